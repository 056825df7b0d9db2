//! `bandwise rperf`: latency and bandwidth between hosts, of a simulated fabric or by RDMA devices:
//! `device` between two hosts, `agents` between several.

#[cfg(feature = "verbs")]
mod agents;
mod answer;
mod assumptions;
#[cfg(feature = "verbs")]
mod device;
mod flags;
mod limits;
#[cfg(feature = "verbs")]
mod listening;
mod measure;
mod names;
mod on_device;
mod rendering;
mod report;
mod settings;
mod tables;

#[cfg(feature = "verbs")]
pub(crate) use agents::{TokenFlag, agent};
pub(crate) use flags::Flags;

use crate::fabric::deadlock;
use crate::failure::Failure;
use crate::files::Text;
use crate::interrupt::Interrupt;
use crate::output::{Json, Report};
use answer::RperfAnswer;
use bandwise_scenario::Stop;
use std::path::PathBuf;

impl Flags {
    /// Measures and prints.
    pub(crate) fn run(mut self) -> Result<(), Failure> {
        if let Some(on_device) = self.on_device.take() {
            return on_device.run();
        }
        let text = self.read()?;
        self.measure(text, &Interrupt::listen()?)
    }

    /// Returns the flags that run the flows of a scenario file.
    pub(crate) fn of_scenario(
        file: PathBuf,
        seed: Option<u64>,
        json: Json,
        report: Report,
    ) -> Self {
        Flags { fabric: Some(file), seed, json, report, ..Flags::default() }
    }

    /// Simulates the runs of these flags and the file's text, and prints the results.
    pub(crate) fn measure(self, text: Text, interrupt: &Interrupt) -> Result<(), Failure> {
        let settings = self.resolve(text)?;
        let outcome = measure::all(&settings, interrupt)?;
        settings.outputs.answer(&RperfAnswer::new(&settings, &outcome))?;
        match &outcome.stop {
            Stop::Interrupted => Err(Failure::Interrupted),
            Stop::Deadlock(ports) => Err(deadlock(settings.fabric(), ports, outcome.simulated)),
            _ => {
                tables::all_have_samples(&settings, &outcome)?;
                tables::all_are_plausible(&outcome)
            }
        }
    }
}
