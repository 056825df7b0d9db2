//! `bandwise rperf client`.

use super::answer::DeviceAnswer;
use super::flags::Client;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use anyhow::anyhow;
use bandwise_measure::client::measure;
use bandwise_measure::outcome::RunEnd;
use bandwise_verbs::{Monotonic, Tsc};

impl Client {
    /// Measures and prints.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (settings, outputs) = self.resolve()?;
        let interrupt = Interrupt::listen()?;
        // Binds this thread before the device's memory is allocated near it.
        settings.placement.bind(0, |text| note(text));
        let interrupted = || interrupt.asked();
        let (outcome, _open) = match Tsc::start() {
            Ok(tsc) => measure(&settings, &tsc, &interrupted, |text| note(text))?,
            Err(_) => measure(&settings, &Monotonic::start(), &interrupted, |text| note(text))?,
        };
        outputs.answer(&DeviceAnswer::new(&settings, &outcome))?;
        let has_none =
            outcome.runs.iter().any(|run| run.latency.is_none() && run.bandwidth.is_none());
        match outcome.end {
            RunEnd::Complete if has_none => {
                Err(anyhow!("no sample: the first rounds are not counted; needed: a longer -D")
                    .into())
            }
            RunEnd::Complete => Ok(()),
            RunEnd::Interrupted => Err(Failure::Interrupted),
            RunEnd::Failed(why) => Err(anyhow!("{why}; the results are partial").into()),
        }
    }
}
