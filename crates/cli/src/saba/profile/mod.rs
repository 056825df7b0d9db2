//! `bandwise saba profile`: runs a program with less bandwidth and measures its slowdown (Saba,
//! section 4.2).

mod answer;
mod flags;
mod progress;
mod report;
mod tables;

pub(super) use flags::Flags;

use crate::failure::Failure;
use crate::files::Text;
use crate::interrupt::Interrupt;
use crate::output::note;
use answer::ProfileAnswer;
use bandwise_profiler::{Campaign, Journal, ProfileResults};
use bandwise_runner::{Completion, JournalFile};
use progress::ProfileProgress;

impl Flags {
    /// Makes the remaining runs, and prints the results of all.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut settings = self.resolve()?;
        let interrupt = Interrupt::listen()?;
        let subject = Journal::new(
            settings.application.as_str().to_owned(),
            settings.words(),
            settings.profile.links.to_string(),
        );
        let locked = JournalFile::lock(&settings.journal)
            .map_err(|unfit| Failure::unfit_for("--journal", unfit))?;
        let text = (!locked.is_empty()).then(|| Text::read(&settings.journal)).transpose()?;
        let source = text.as_ref().map(Text::source);
        let (mut journal, before) = locked
            .resume(source.as_ref(), &subject)
            .map_err(|error| Failure::of_runner("--journal", error))?;
        let mut campaign = Campaign::new(&settings.plan);
        let resumed = before.len();
        before.into_iter().for_each(|run| campaign.made(run));
        if resumed > 0 {
            let (path, left) = (settings.journal.display(), campaign.left());
            note(format_args!("{path}: {resumed} runs are done, {left} are left"));
        }
        let progress = ProfileProgress::begin(settings.application.as_str(), &campaign);
        let completion = settings.profile.run(
            &mut campaign,
            &mut journal,
            &|| interrupt.asked(),
            &mut |event| progress.show(&event),
        );
        drop(progress);
        let is_complete = completion? == Completion::Complete;
        let results = ProfileResults::of(&campaign, settings.within);
        let unusable = results.unusable();
        let is_stored = is_complete && unusable.is_none() && settings.store(&results)?;
        let table = settings.table.as_deref().filter(|_| is_stored);
        settings.outputs.answer(&ProfileAnswer::new(&settings, &campaign, results, table))?;
        match unusable {
            _ if !is_complete => Err(Failure::Interrupted),
            None => Ok(()),
            Some(why) => Err(anyhow::anyhow!("no model: {why}").into()),
        }
    }
}
