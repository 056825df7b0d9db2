//! A host: CPU cores that run programs, a PCIe link, and an RNIC with its port.
//!
//! [`Host`] joins the parts and dispatches events; what they do stands beside it: posting and
//! polling in `program`, the sending side in `transmit`, the receiving side in `receive`.

mod core;
mod device;
mod pcie;
mod program;
mod qp;
mod receive;
mod transmit;

pub use self::core::Notify;
pub use device::{DeviceModel, OsTick, PRESETS};
pub use qp::QpSetup;

use crate::egress::Egress;
use crate::event::{Event, EventQueue, rank};
use crate::link::{Credit, Flight, Inbound, Outbox};
use crate::occupancy::Occupancy;
use crate::packet::Packet;
use crate::slab::Slab;
use bandwise_rdma::qos::Sl2Vl;
use bandwise_rdma::verbs::{Completion, Posts, Program};
use bandwise_units::Time;
use core::Core;
use pcie::Pcie;
use qp::QueuePair;
use std::collections::VecDeque;

/// Kinds of events; at one instant in this order.
const PORT: u8 = 0;
const RECEIVE: u8 = 1;
const LOOPBACK: u8 = 2;
const STAGED: u8 = 3;
const ANSWERED: u8 = 4;
const DOORBELL: u8 = 5;
const WQES: u8 = 6;
const TRANSMIT: u8 = 7;
const CQE: u8 = 8;
const STEP: u8 = 9;

/// A host that runs programs of type `P`.
#[derive(Debug)]
pub struct Host<P> {
    index: u16,
    model: DeviceModel,
    sl2vl: Sl2Vl,
    lanes: usize,
    pub(crate) egress: Egress,
    inbound: Inbound,
    /// Of the receive buffer, by lane.
    occupancy: Occupancy,
    /// Where credits for what arrives here go: node and port.
    upstream: (u32, u8),
    /// Packets at the port: requests, then answers, a queue a lane.
    queues: Vec<VecDeque<Packet>>,
    qps: Vec<QueuePair>,
    pub(crate) cores: Vec<Core<P>>,
    pcie: Pcie,
    pub(crate) events: EventQueue,
    packets: Slab<Packet>,
    cqes: Slab<Completion>,
    /// Queue pairs with something to send, in turn: index times two, plus one for answers.
    ring: VecDeque<u32>,
    issue_free: Time,
    transmit_at: Time,
    /// Payload bytes fetched and not yet sent, a lane.
    fetched: [u32; 16],
    loopback_free: Time,
    posts: Posts,
    seen: Vec<Completion>,
    rung: Vec<u16>,
    /// Packets and payload that arrived over the link.
    pub(crate) packets_in: u64,
    pub(crate) packets_out: u64,
    pub(crate) payload_in: u64,
    pub(crate) handled: u64,
}

impl<P: Program> Host<P> {
    pub(crate) fn new(
        index: u16,
        model: DeviceModel,
        sl2vl: Sl2Vl,
        lanes: usize,
        egress: Egress,
        upstream: (u32, u8),
    ) -> Self {
        Host {
            index,
            pcie: Pcie::new(&model),
            sl2vl,
            lanes,
            egress,
            inbound: Inbound::new(),
            occupancy: Occupancy::new(lanes),
            upstream,
            queues: (0..2 * lanes).map(|_| VecDeque::new()).collect(),
            qps: Vec::new(),
            cores: Vec::new(),
            events: EventQueue::default(),
            packets: Slab::new(),
            cqes: Slab::new(),
            ring: VecDeque::new(),
            issue_free: Time::ZERO,
            transmit_at: Time::MAX,
            fetched: [0; 16],
            loopback_free: Time::ZERO,
            posts: Posts::default(),
            seen: Vec::new(),
            rung: Vec::new(),
            packets_in: 0,
            packets_out: 0,
            payload_in: 0,
            handled: 0,
            model,
        }
    }

    /// Adds a queue pair; returns its number.
    pub(crate) fn add_qp(&mut self, setup: QpSetup) -> u16 {
        self.qps.push(QueuePair::new(setup));
        (self.qps.len() - 1) as u16
    }

    pub(crate) fn qp_setup_mut(&mut self, qp: u16) -> &mut QpSetup {
        &mut self.qps[usize::from(qp)].setup
    }

    /// How many queue pairs it has.
    pub(crate) fn qp_count(&self) -> usize {
        self.qps.len()
    }

    /// Adds a program on a core of its own, first stepped at `start`.
    pub(crate) fn add_program(
        &mut self,
        program: P,
        notify: Notify,
        start: Time,
        seed: u64,
    ) -> u16 {
        let core = self.cores.len() as u16;
        let index = u64::from(self.index) << 16 | u64::from(core);
        let mut state = Core::new(program, notify, &self.model, seed, index);
        state.timer = start;
        self.cores.push(state);
        self.wake_core(core, start);
        core
    }

    /// Takes a packet that the link delivers. True if that is a new event, at the packet's time.
    #[inline]
    pub(crate) fn receive(&mut self, flight: Flight) -> bool {
        self.inbound.push_back(flight);
        let first = self.inbound.len() == 1;
        if first {
            self.events.push(Event { at: flight.at, rank: rank(RECEIVE, 0), arg: 0 });
        }
        first
    }

    /// Takes credits that the link returns. True if that is a new event, at the credit's time.
    #[inline]
    pub(crate) fn receive_credit(&mut self, credit: Credit) -> bool {
        let woken = self.egress.credit(credit);
        if woken {
            self.events.push(Event { at: credit.at, rank: rank(PORT, 0), arg: 0 });
        }
        woken
    }

    /// Does everything that is due before `horizon`; returns when something is due again.
    pub(crate) fn run(&mut self, horizon: Time, out: &mut Outbox) -> Time {
        while let Some(event) = self.events.pop_before(horizon) {
            self.handled += 1;
            let now = event.at;
            match event.kind() {
                PORT => self.port_woke(now, out),
                RECEIVE => self.arrival(now, out),
                LOOPBACK => {
                    let packet = self.packets.take(event.arg);
                    self.handle(now, &packet, true, out);
                }
                STAGED => self.staged(now, event.object(), event.arg, out),
                ANSWERED => {
                    let packet = self.packets.take(event.arg);
                    self.stage(now, packet, out);
                }
                DOORBELL => self.doorbell(now, event.object()),
                WQES => {
                    self.wqes_ready(event.object(), event.arg);
                    self.transmit(now);
                }
                TRANSMIT => {
                    if self.transmit_at == now {
                        self.transmit_at = Time::MAX;
                    }
                    self.transmit(now);
                }
                CQE => {
                    let completion = self.cqes.take(event.arg);
                    self.cores[event.object()].pending.push(completion);
                    self.step(now, event.object());
                }
                _ => {
                    let core = &mut self.cores[event.object()];
                    if core.wake_at == now {
                        core.wake_at = Time::MAX;
                    }
                    self.step(now, event.object());
                }
            }
        }
        self.events.next_at()
    }

    fn at(&mut self, at: Time, kind: u8, object: u32, arg: u32) {
        self.events.push(Event { at, rank: rank(kind, object), arg });
    }

    /// Packets in the RNIC: at the port, or on their way to it.
    pub(crate) fn buffered(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum::<usize>() + self.packets.len()
    }
}
