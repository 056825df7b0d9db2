//! [`Watched`]: ports of Linux that report each write.

use bandwise_enforce::tc::{LinuxTc, TcPlan};
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Applied, Fault, Port, Switches, Wanted};
use std::sync::mpsc::Sender;
use std::time::Instant;

/// Ports of Linux that send the time of each write that was read back.
pub(super) struct Watched {
    pub(super) switches: LinuxTc,
    pub(super) written: Sender<Instant>,
}

impl Switches for Watched {
    type Plan = TcPlan;

    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        self.switches.discover()
    }

    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        self.switches.path(from, to)
    }

    fn plan(&mut self, port: PortId, wanted: &Wanted) -> Result<TcPlan, Fault> {
        self.switches.plan(port, wanted)
    }

    fn apply(&mut self, plan: &TcPlan) -> Result<Applied, Fault> {
        let applied = self.switches.apply(plan)?;
        if applied.is_written {
            // The receiver may have been dropped.
            let _ = self.written.send(Instant::now());
        }
        Ok(applied)
    }

    fn read_back(&mut self, port: PortId) -> Result<PortConfig, Fault> {
        self.switches.read_back(port)
    }
}
