//! Shared parts of the simulator's tests: programs that keep a log, plain models, small fabrics.

#![allow(dead_code, missing_docs, reason = "every test file uses a part of it")]

pub(crate) mod random;

use bandwise_netsim::infiniband::host::DeviceModel;
use bandwise_netsim::infiniband::host::Notify;
use bandwise_netsim::infiniband::switch::SwitchModel;
use bandwise_netsim::infiniband::{Models, Qos, Simulation};
use bandwise_rdma::qos::{Sl, Sl2Vl, Vl, VlArbTable};
use bandwise_rdma::verbs::{Completion, Next, Opcode, Posts, Program, Qp, WorkRequest};
use bandwise_topology::{Fabric, Routes};
use bandwise_units::{BitRate, Time};

/// Rate of a link that carries 7 bytes per nanosecond.
pub(crate) const RATE: BitRate = BitRate::from_gbps(56);

pub(crate) fn sl(n: u8) -> Sl {
    Sl::try_from(n).unwrap()
}

pub(crate) fn request(qp: Qp, id: u64, opcode: Opcode, bytes: u32) -> WorkRequest {
    WorkRequest { qp, id, opcode, bytes, signaled: true, inline: false, ring: true }
}

/// A host without randomness and with no limits beside those of its device table.
pub(crate) fn device() -> DeviceModel {
    DeviceModel { cpu_poll: Time::ZERO, os_tick: None, ..DeviceModel::connectx4_56g() }
}

/// A host in which only the wire takes time.
pub(crate) fn instant_device() -> DeviceModel {
    DeviceModel {
        cpu_wqe: Time::ZERO,
        cpu_inline: Time::ZERO,
        cpu_completion: Time::ZERO,
        mmio: Time::ZERO,
        doorbell_gap: Time::ZERO,
        dma_read: Time::ZERO,
        dma_write: Time::ZERO,
        dma_flush: Time::ZERO,
        pcie_rate: BitRate::from_gbps(4_000),
        issue_gap: Time::ZERO,
        qp_gap: Time::ZERO,
        ..device()
    }
}

/// Models with each service level on its own of `lanes` lanes, all with equal weights.
pub(crate) fn models(device: DeviceModel, lanes: u8) -> Models {
    let vls = (0..lanes).map(|vl| Vl::try_from(vl).unwrap());
    let sl2vl = Sl2Vl::modulo(lanes);
    let qos = Qos { sl2vl, vlarb: VlArbTable::even(vls, 64), ports: Vec::new() };
    Models::alike(SwitchModel::default(), device, qos)
}

/// A program that posts given requests and keeps a log.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Requests with their times, in order.
    pub posts: Vec<(Time, WorkRequest)>,
    posted: usize,
    /// Completions with their times.
    pub seen: Vec<(Time, Completion)>,
}

impl Script {
    pub(crate) fn new(posts: Vec<(Time, WorkRequest)>) -> Self {
        Script { posts, ..Script::default() }
    }
}

impl Program for Script {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        self.seen.extend(seen.iter().map(|&c| (now, c)));
        while let Some(&(at, request)) = self.posts.get(self.posted) {
            if at > now {
                return Next::At(at);
            }
            posts.post(request);
            self.posted += 1;
        }
        Next::Completion
    }
}

/// A program that keeps `window` messages outstanding forever, and counts completions.
#[derive(Debug)]
pub(crate) struct Flood {
    qp: Qp,
    bytes: u32,
    window: u64,
    posted: u64,
    pub completed: u64,
}

impl Flood {
    pub(crate) fn new(qp: Qp, bytes: u32, window: u64) -> Self {
        Flood { qp, bytes, window, posted: 0, completed: 0 }
    }
}

impl Program for Flood {
    fn step(&mut self, _: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        self.completed += seen.len() as u64;
        while self.posted < self.completed + self.window {
            posts.post(request(self.qp, self.posted, Opcode::Write, self.bytes));
            self.posted += 1;
        }
        Next::Completion
    }
}

/// A program of either type.
#[derive(Debug)]
pub(crate) enum Either {
    Script(Script),
    Flood(Flood),
}

impl Either {
    pub(crate) fn completed(&self) -> u64 {
        match self {
            Either::Flood(flood) => flood.completed,
            Either::Script(script) => script.seen.len() as u64,
        }
    }

    pub(crate) fn script(&self) -> &Script {
        match self {
            Either::Script(script) => script,
            Either::Flood(_) => panic!("a flood keeps no log"),
        }
    }
}

impl Program for Either {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        match self {
            Either::Script(script) => script.step(now, seen, posts),
            Either::Flood(flood) => flood.step(now, seen, posts),
        }
    }
}

pub(crate) fn simulation<P: Program>(fabric: &Fabric, models: &Models) -> Simulation<P> {
    Simulation::new(fabric, &Routes::shortest(fabric), models, 1).unwrap()
}

/// Makes host `from` flood host `to` with WRITEs of `bytes`.
pub(crate) fn flood(
    sim: &mut Simulation<Either>,
    (from, to): (usize, usize),
    sl: Sl,
    bytes: u32,
    window: u64,
) {
    let (qp, _) = sim.connect(from, to, bandwise_rdma::verbs::Transport::Rc, sl);
    sim.start(from, &[qp], Either::Flood(Flood::new(qp, bytes, window)), Notify::Poll, Time::ZERO);
}
