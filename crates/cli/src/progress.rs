//! Progress of long work on standard error: a bar on a terminal, otherwise a line at the beginning
//! and one at the end.

use crate::output::{note, readable};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The progress of some work.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// Shows the beginning of some work.
    pub(crate) fn begin(what: &str) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            note(format_args!("{what} …"));
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target).with_message(readable(what));
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} %, {eta} left");
        bar.set_style(style.expect("a template that is right"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar, started: Instant::now() }
    }

    /// Shows no estimate of the time left, for steps of different lengths.
    pub(crate) fn without_guess(self) -> Self {
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
        self.bar.set_style(style.expect("a template that is right"));
        self
    }

    /// Prints a line that stays above the progress bar.
    pub(crate) fn say(&self, what: &str) {
        self.bar.suspend(|| note(what));
    }

    /// Sets the number of steps.
    pub(crate) fn steps(&self, steps: u64) {
        self.bar.set_length(steps);
    }

    /// Sets the number of completed steps.
    pub(crate) fn at(&self, steps: u64) {
        self.bar.set_position(steps);
    }

    /// Sets the description of the present step.
    pub(crate) fn doing(&self, what: &str) {
        self.bar.set_message(readable(what));
    }

    /// Counts a completed step.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// Removes the bar and returns the elapsed time.
    pub(crate) fn end(&self) -> Duration {
        self.bar.finish_and_clear();
        self.started.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
