//! `bandwise isolation`: the bandwidth and the latency of two flows that share a link between two
//! real hosts. Agents measure the cases that `papers run isolation` simulates; the same rules
//! derive the verdicts.

mod answer;
mod flags;
mod measure;

pub(crate) use flags::Flags;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Outputs, Rows};
use answer::IsolationAnswer;
use anyhow::anyhow;
use bandwise_agents::MARGINS;
use bandwise_agents::coordinator::RunEnd;

impl Flags {
    /// Measures and prints.
    pub(crate) fn run(self) -> Result<(), Failure> {
        if !MARGINS.contains(&self.margin) || self.margin * 4 > self.length() {
            let message = format!("--margin {} of {}", self.margin, self.length());
            let allowed = format!(
                "{} to {}, and a quarter of --duration at most",
                MARGINS.start(),
                MARGINS.end()
            );
            return Err(Failure::usage(message, allowed));
        }
        let study = self.study();
        let cases = study.cases();
        if cases.is_empty() {
            let message = format!("--largest {}: nothing is left to measure", self.largest);
            return Err(Failure::usage(message, "1 MB or more, or another --item"));
        }
        let outputs = Outputs::new(self.json.clone(), self.report.clone(), Rows::default(), &[])?;
        let token = self.token.read()?;
        let found = measure::all(&study, &cases, &token, &Interrupt::listen()?)?;
        outputs.answer(&IsolationAnswer::new(&study, &found))?;
        match found.end {
            RunEnd::Complete if found.empty.is_empty() => Ok(()),
            RunEnd::Complete => {
                let cases = found.empty.join(", ");
                Err(anyhow!(
                    "no message in the measured time: {cases}; needed: a longer --duration"
                )
                .into())
            }
            RunEnd::Interrupted => Err(Failure::Interrupted),
            RunEnd::Failed(why) => Err(anyhow!("{why}; the results are partial").into()),
        }
    }
}
