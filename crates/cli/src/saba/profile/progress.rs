//! [`ProfileProgress`]: the progress of a profile on standard error.

use crate::output::note;
use crate::progress::Progress;
use bandwise_profiler::Campaign;
use bandwise_runner::ProfileEvent;
use bandwise_units::Time;

/// The progress of a profile.
pub(super) struct ProfileProgress {
    application: String,
    /// `None` if no run is left.
    progress: Option<Progress>,
}

impl ProfileProgress {
    /// Shows the start, if runs are left.
    pub(super) fn begin(application: &str, campaign: &Campaign) -> Self {
        let begin = || Progress::begin(&format!("profiling {application}")).without_guess();
        let progress = (campaign.left() > 0).then(begin);
        ProfileProgress { application: application.to_owned(), progress }
    }

    /// Shows an event.
    pub(super) fn show(&self, event: &ProfileEvent) {
        if let ProfileEvent::StillRestoring { links } = event {
            note(format_args!("not restored yet: {links}, which still runs and restores them"));
        }
        let Some(progress) = &self.progress else { return };
        match event {
            ProfileEvent::StillRestoring { .. } => {}
            ProfileEvent::Started { number, of, next, time_left } => {
                progress.steps(*of as u64);
                progress.at(*number as u64 - 1);
                let left = time_left
                    .map_or(String::new(), |left| format!(", about {} left", duration(left)));
                let application = &self.application;
                progress.doing(&format!("{application}, run {number} of {of}: {next}{left}"));
            }
            ProfileEvent::Ended { number, of, next, run } => {
                let (seconds, outcome) = (run.time.as_s_f64(), &run.outcome);
                progress.say(&format!("run {number} of {of}, {next}: {seconds:.3} s, {outcome}"));
            }
        }
    }
}

/// Returns a time as text, to the second.
fn duration(time: Time) -> String {
    let seconds = time.as_s_f64().round() as u64;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
