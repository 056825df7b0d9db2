//! `bandwise rperf run`.

use super::answer::PlanAnswer;
use super::flags::{AGENT_PORT, RunFlags};
use super::settings::Settings;
use super::tables;
use crate::failure::Failure;
use crate::files::Text;
use crate::interrupt::Interrupt;
use crate::output::{Outputs, Rows, note};
use anyhow::anyhow;
use bandwise_agents::Plan;
use bandwise_agents::coordinator::RunEnd;
use bandwise_measure::coordinator::coordinate;

impl RunFlags {
    /// Runs a plan by agents and prints the results.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let text = Text::read(&self.plan)?;
        let plan = Plan::from_toml(&text.source(), AGENT_PORT)?;
        let outputs = Outputs::new(self.json, self.report, Rows::default(), &[&self.plan])?;
        let token = self.token.read()?;
        let command = format!("bandwise rperf run {}", self.plan.display());
        let settings = Settings { plan, text, command };
        let interrupt = Interrupt::listen()?;
        let interrupted = || interrupt.asked();
        let outcome = coordinate(&settings.plan, &token, &interrupted, |text| note(text))?;
        outputs.answer(&PlanAnswer::new(&settings, &outcome))?;
        match &outcome.end {
            RunEnd::Complete => tables::all_have_samples(&settings, &outcome),
            RunEnd::Interrupted => Err(Failure::Interrupted),
            RunEnd::Failed(why) => Err(anyhow!("{why}; the results are partial").into()),
        }
    }
}
