//! `bandwise rperf`: latency and bandwidth between hosts, of a simulated fabric or by RDMA devices: in [`device`]
//! between two, in [`agents`] between several.

mod agents;
mod device;
mod flags;
mod json;
mod listening;
mod measure;
mod names;
mod reaching;
mod report;
mod settings;
mod tables;

pub use agents::{TokenFlag, agent, measured};
pub use flags::Flags;

use crate::fabric::circle;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use anyhow::anyhow;
use bandwise_scenario::infiniband::InfinibandStop;

impl Flags {
    /// Measures and prints.
    pub fn run(mut self) -> Result<(), Failure> {
        if let Some(on_device) = self.on_device.take() {
            return on_device.run();
        }
        let settings = self.resolve()?;
        let outcome = measure::all(&settings, &Interrupt::listen()?)?;
        settings
            .outputs
            .emit(&tables::text(&settings, &outcome), &json::of(&settings, &outcome))?;
        if settings.outputs.wants_report() {
            settings.outputs.report(&report::html(&settings, &outcome))?;
        }
        match &outcome.stop {
            InfinibandStop::Complete => tables::all_have_samples(&settings, &outcome),
            InfinibandStop::Interrupted => Err(Failure::Interrupted),
            InfinibandStop::Deadlock(ports) => {
                let ports = circle(settings.fabric(), ports).join(" -> ");
                let what = "deadlock: these ports wait for each other's credits for ever";
                Err(anyhow!("{what}: {ports} (simulated until {})", outcome.simulated).into())
            }
        }
    }
}
