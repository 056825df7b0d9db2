//! A host: CPU cores that run programs, a PCIe link, and an RNIC with its port.
//!
//! [`Host`] joins the parts and dispatches events. Posting and polling are in `program`, the
//! sending side in `transmit`, the receiving side in `receive`.

mod core;
mod device;
mod pcie;
mod presets;
mod program;
mod qp;
mod receive;
mod transmit;

pub use self::core::Notify;
pub use device::{DeviceModel, IdleState, OsTick};
pub use presets::DevicePreset;
pub use qp::{MAX_RD_ATOMIC, QpSetup};

use crate::base::ring::Ring;
use crate::base::slab::Slab;
use crate::engine::{ARRIVAL, Event, Node, WAKE};
use crate::infiniband::cable::{Credit, Net};
use crate::infiniband::egress::Egress;
use crate::infiniband::occupancy::Occupancy;
use crate::infiniband::packet::Packet;
use bandwise_random::Stream;
use bandwise_rdma::ib_congestion::SourceSettings;
use bandwise_rdma::qos::{Sl2Vl, VlArbiter};
use bandwise_rdma::verbs::{Completion, Posts, Program};
use bandwise_rdma::wire::Mtu;
use bandwise_units::Time;
use core::Core;
use pcie::Pcie;
use qp::QueuePair;
use transmit::IssueEntry;

/// Kinds of events beside the engine's, in the order in which they are handled at one instant.
const LOOPBACK: u8 = 2;
const STAGED: u8 = 3;
const RESPONSE_READY: u8 = 4;
const DOORBELL: u8 = 5;
const WQES: u8 = 6;
const TRANSMIT: u8 = 7;
const CQE: u8 = 8;
const STEP: u8 = 9;

/// A host that runs programs of type `P`.
#[derive(Debug)]
pub struct Host<P> {
    index: u16,
    /// Number of this host in its events.
    number: u32,
    model: DeviceModel,
    sl2vl: Sl2Vl,
    lanes: usize,
    pub(crate) egress: Egress,
    /// Occupancy of the receive buffer, by lane.
    occupancy: Occupancy,
    /// Packets at the port: requests, then responses, with one queue per lane.
    queues: Vec<Ring<Packet>>,
    qps: Vec<QueuePair>,
    pub(crate) cores: Vec<Core<P>>,
    pcie: Pcie,
    packets: Slab<Packet>,
    cqes: Slab<Completion>,
    /// Queue pairs with packets to issue, in round-robin order.
    issue_queue: Ring<IssueEntry>,
    issue_free: Time,
    transmit_at: Time,
    /// Payload bytes fetched and not yet sent, by lane.
    fetched: [u32; 16],
    /// Offset of the congestion control timer ahead of the simulation's clock. Ports do not start
    /// their timers at the same moment.
    congestion_timer_offset: Time,
    loopback_free: Time,
    posts: Posts,
    polled: Vec<Completion>,
    rung: Vec<u16>,
    /// Packets that arrived over the link, and packets that left.
    pub(crate) packets_in: u64,
    pub(crate) packets_out: u64,
}

impl<P: Program> Node for Host<P> {
    type Packet = Packet;
    type FlowControl = Credit;

    /// Handles an event.
    fn handle(&mut self, event: Event, net: &mut Net) {
        let now = event.at();
        match event.kind() {
            WAKE => self.port_woke(now, net),
            ARRIVAL => self.arrival(now, event.arg(), net),
            LOOPBACK => {
                let packet = self.packets.take(event.arg());
                self.act_on(now, &packet, true, net);
            }
            STAGED => self.staged(now, event.object(), event.arg(), net),
            RESPONSE_READY => {
                let packet = self.packets.take(event.arg());
                self.stage(now, packet, net);
            }
            DOORBELL => self.doorbell(now, event.object(), net),
            WQES => {
                self.wqes_ready(event.object(), event.arg());
                self.transmit(now, net);
            }
            TRANSMIT => {
                if self.transmit_at == now {
                    self.transmit_at = Time::MAX;
                }
                self.transmit(now, net);
            }
            CQE => {
                let completion = self.cqes.take(event.arg());
                self.cores[event.object()].pending.push(completion);
                self.step(now, event.object(), net);
            }
            _ => {
                let core = &mut self.cores[event.object()];
                if core.wake_at == now {
                    core.wake_at = Time::MAX;
                }
                self.step(now, event.object(), net);
            }
        }
    }
}

impl<P: Program> Host<P> {
    pub(crate) fn new(
        index: u16,
        number: u32,
        model: DeviceModel,
        mut congestion_timer: Stream,
        sl2vl: Sl2Vl,
        lanes: usize,
        egress: Egress,
    ) -> Self {
        let period = model.congestion_control.as_ref().map_or(Time::ZERO, SourceSettings::timer);
        Host {
            index,
            number,
            pcie: Pcie::new(&model),
            sl2vl,
            lanes,
            egress,
            occupancy: Occupancy::new(lanes),
            queues: (0..2 * lanes).map(|_| Ring::new()).collect(),
            qps: Vec::new(),
            cores: Vec::new(),
            packets: Slab::new(),
            cqes: Slab::new(),
            issue_queue: Ring::new(),
            issue_free: Time::ZERO,
            transmit_at: Time::MAX,
            fetched: [0; 16],
            congestion_timer_offset: congestion_timer.time_below(period),
            loopback_free: Time::ZERO,
            posts: Posts::default(),
            polled: Vec::new(),
            rung: Vec::new(),
            packets_in: 0,
            packets_out: 0,
            model,
        }
    }

    /// Adds a queue pair. Returns its number.
    pub(crate) fn add_qp(&mut self, setup: QpSetup) -> u16 {
        self.qps.push(QueuePair::new(setup));
        (self.qps.len() - 1) as u16
    }

    pub(crate) fn qp_setup_mut(&mut self, qp: u16) -> &mut QpSetup {
        &mut self.qps[usize::from(qp)].setup
    }

    /// Returns the MTU of the host.
    pub(crate) fn mtu(&self) -> Mtu {
        self.model.mtu
    }

    /// Returns the number of queue pairs.
    pub(crate) fn qp_count(&self) -> usize {
        self.qps.len()
    }

    /// Returns the payload bytes that arrived over the link for each queue pair.
    pub(crate) fn payload_in(&self) -> impl Iterator<Item = u64> + '_ {
        self.qps.iter().map(|qp| qp.payload_in)
    }

    /// Adds a program on its own core, first stepped at `start`.
    pub(crate) fn add_program(
        &mut self,
        program: P,
        notify: Notify,
        start: Time,
        seed: u64,
        net: &mut Net,
    ) -> u16 {
        let core = self.cores.len() as u16;
        let index = u64::from(self.index) << 16 | u64::from(core);
        let mut state = Core::new(program, notify, &self.model, seed, index);
        state.start_at(start);
        self.cores.push(state);
        self.wake_core(core, start, net);
        core
    }

    /// Steps a program at `now`, or as soon as its core is free.
    pub(crate) fn wake_program(&mut self, number: usize, now: Time, net: &mut Net) {
        let core = &mut self.cores[number];
        core.timer = core.timer.min(now);
        self.wake_core(number as u16, now, net);
    }

    /// Replaces the mapping and arbitration of the port, for packets without a lane yet.
    pub(crate) fn set_tables(&mut self, sl2vl: Sl2Vl, arbiter: VlArbiter) {
        self.sl2vl = sl2vl;
        self.refresh_issue_queue();
        self.egress.set_arbiter(arbiter);
    }

    /// Adds an event of this host.
    fn at(&self, at: Time, kind: u8, object: u16, arg: u32, net: &mut Net) {
        net.push(Event::new(at, self.number, kind, object, arg));
    }

    /// Returns the number of packets in the RNIC, at the port or in the pipeline.
    pub(crate) fn buffered(&self) -> usize {
        self.queues.iter().map(Ring::len).sum::<usize>() + self.packets.len()
    }
}
