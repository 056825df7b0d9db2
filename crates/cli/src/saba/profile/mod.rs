//! `bandwise saba profile`: what a program loses with less bandwidth, by running it with less (Saba 4.2).

mod answer;
mod book;
mod devices;
mod flags;
mod json;
mod links;
mod report;

pub use answer::outcome;
pub use flags::Flags;

use super::program::{self, Ended};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use crate::progress::Progress;
use answer::Answer;
use anyhow::{Context, Result};
use bandwise_profiler::{Campaign, Journal, Next, Purpose, Run, Timed};
use bandwise_units::Time;
use book::Book;
use flags::Settings;
use links::SHARE;
use std::process::Command;

impl Flags {
    /// Makes the runs that are left, and says what they come to.
    pub fn run(self) -> Result<(), Failure> {
        let mut settings = self.resolve()?;
        let interrupt = Interrupt::listen()?;
        let journal = Journal::new(
            settings.application.as_str().to_owned(),
            settings.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            settings.links.to_string(),
        );
        let (mut book, before) = Book::open(&settings.journal, &journal)?;
        let mut campaign = Campaign::new(&settings.plan);
        let resumed = before.len();
        before.into_iter().for_each(|run| campaign.made(run));
        if resumed > 0 {
            let path = settings.journal.display();
            note(format_args!(
                "{path}: {resumed} runs are made already, {} are left",
                campaign.left()
            ));
        }
        let made = match campaign.left() {
            0 => Ok(true),
            _ => runs(&mut settings, &mut campaign, &mut book, &interrupt),
        };
        // Whatever became of the runs, the links are to be as they were; also where all were made by one that was
        // killed before it came to this.
        let restored = settings.links.restore().context("links are still limited");
        let is_whole = made.and_then(|made| restored.map(|()| made))?;
        let answer = Answer::of(&campaign, settings.within);
        let stored = is_whole && answer.is_fit() && settings.store(&answer)?;
        let json = json::document(&settings, &campaign, &answer, stored);
        let table = stored.then_some(settings.table.as_deref()).flatten();
        settings.outputs.emit(&answer::text(&settings, &campaign, &answer, table), &json)?;
        if settings.outputs.wants_report() {
            settings.outputs.report(&report::html(&settings, &campaign, &answer, table))?;
        }
        match (is_whole, answer.is_fit()) {
            (false, _) => Err(Failure::Interrupted),
            (true, true) => Ok(()),
            (true, false) => Err(anyhow::anyhow!("no model: {}", answer.why_unfit()).into()),
        }
    }
}

/// Makes all runs that are left. False if somebody asked to stop.
fn runs(
    settings: &mut Settings,
    campaign: &mut Campaign,
    book: &mut Book,
    interrupt: &Interrupt,
) -> Result<bool> {
    let application = settings.application.as_str().to_owned();
    let progress = Progress::begin(&format!("profiling {application}")).without_guess();
    while let Some(next) = campaign.next() {
        if interrupt.asked() {
            return Ok(false);
        }
        let (done, left) = (campaign.runs().len(), campaign.left());
        progress.steps((done + left) as u64);
        progress.at(done as u64);
        let what = doing(next, campaign.time_left());
        let number = done + 1;
        progress.doing(&format!("{application}, run {number} of {}: {what}", done + left));
        settings.links.limit(next.share)?;
        let output = book.output(&format!("run {number}: {}", with(next)))?;
        let mut command = Command::new(&settings.command[0]);
        command.args(&settings.command[1..]).env(SHARE, next.share.get().to_string());
        match program::run(vec![(command, output)], settings.timeout, interrupt)? {
            Ended::Interrupted => return Ok(false),
            Ended::Themselves(timed) => {
                let [Timed { time, outcome }] = <[Timed; 1]>::try_from(timed).expect("one was run");
                let run = Run { share: next.share, purpose: next.purpose, time, outcome };
                book.add(&run)?;
                let said = answer::outcome(&run.outcome);
                progress.say(&format!(
                    "run {number} of {}, {}: {}, {said}",
                    done + left,
                    with(next),
                    answer::seconds(run.time)
                ));
                campaign.made(run);
            }
        }
    }
    progress.end();
    Ok(true)
}

/// A run, in a few words.
fn with(next: Next) -> String {
    let again = match next.failed {
        0 => String::new(),
        failed => format!(", after {failed} that failed"),
    };
    match next.purpose {
        Purpose::WarmUp => format!("to warm up{again}"),
        Purpose::Sample => format!("{}{again}", next.share),
    }
}

fn doing(next: Next, left: Option<Time>) -> String {
    match left {
        Some(left) => format!("{}, about {} left", with(next), answer::duration(left)),
        None => with(next),
    }
}
