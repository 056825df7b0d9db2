//! [`Arrivals`]: the payload that arrives for a bulk flow while it is measured.

use bandwise_netsim::infiniband::Simulation;
use bandwise_rdma::verbs::{Program, Qp};
use bandwise_rperf::Window;
use bandwise_units::Bytes;

/// The payload of packets that arrive for a bulk flow within a window. A message in flight at
/// either end of the window counts in part, so that a few long messages have the rate of many short
/// ones.
#[derive(Debug)]
pub(super) struct Arrivals {
    /// The receiving host: of a READ, the one that requests it.
    pub(super) host: usize,
    /// The queue pairs there.
    pub(super) qps: Vec<Qp>,
    /// The window.
    pub(super) window: Window,
    /// Payload that has arrived at the start of the window, and at its end; `None` before.
    pub(super) before: [Option<u64>; 2],
}

impl Arrivals {
    /// Takes note of the payload so far at the first call from either end of the window on. The
    /// simulation must have stopped there.
    pub(super) fn look<P: Program>(&mut self, sim: &Simulation<P>) {
        let Window { from, to } = self.window;
        let arrived = self.arrived(sim);
        for (at, before) in [from, to].into_iter().zip(&mut self.before) {
            if at <= sim.now() {
                before.get_or_insert(arrived);
            }
        }
    }

    /// Returns the payload that has arrived in the window so far.
    pub(super) fn payload<P: Program>(&self, sim: &Simulation<P>) -> Bytes {
        let [start, end] = self.before;
        let end = end.unwrap_or_else(|| self.arrived(sim));
        Bytes::new(start.map_or(0, |start| end - start))
    }

    fn arrived<P: Program>(&self, sim: &Simulation<P>) -> u64 {
        self.qps.iter().map(|&qp| sim.payload_arrived(self.host, qp)).sum()
    }
}
