//! Timelines of computing and sending, under the baseline and under Saba.

use super::settings::{RECORDED, Settings};
use bandwise_report::{Axis, Lane, Lanes, Scale, Step, Track};
use bandwise_scenario::jobs::{Doing, Findings, JobsResults, SharedJob, Timeline};
use bandwise_units::Time;

/// The most lanes on a page; more would be unreadable.
const MOST_LANES: usize = 24;

/// Returns a lane for each job; `None` if nothing was recorded.
pub(super) fn lanes(settings: &Settings, findings: &Findings) -> Option<Lanes> {
    let results: Vec<(&JobsResults, &Timeline)> = RECORDED
        .iter()
        .filter_map(|&policy| findings.comparison.of(policy))
        .filter_map(|results| Some((results, results.timeline.as_ref()?)))
        .collect();
    let step = results.iter().map(|of| of.1.step).max()?.as_s_f64();
    let jobs = settings.scenario.jobs();
    let lane = |(number, job): (usize, &SharedJob)| Lane {
        name: job.name.clone(),
        tracks: results.iter().map(|of| track(of.0, of.1, number, job)).collect(),
    };
    let lanes: Vec<Lane> = jobs.iter().take(MOST_LANES).enumerate().map(lane).collect();
    let steps = lanes.iter().flat_map(|lane| &lane.tracks).flat_map(|track| &track.steps);
    let most = steps.map(|step| step.height).fold(0.0, f64::max);
    let left_out = match jobs.len().saturating_sub(MOST_LANES) {
        0 => String::new(),
        more => format!(" {more} more jobs are not shown."),
    };
    Some(Lanes {
        id: "timeline".into(),
        title: "Computing and sending over time".into(),
        caption: format!(
            "Sending rate of one instance of each job, as means of {step:.3} s; a full track is {most:.1} Gbps. \
             The strip below a track shows the fraction of each step in which instances compute. A line marks \
             the end of the job.{left_out}"
        ),
        x: Axis { label: "time".into(), unit: "s".into(), scale: Scale::Linear },
        tracks: results.iter().map(|of| of.0.policy.title().to_owned()).collect(),
        meanwhile: "computing".into(),
        most,
        lanes,
    })
}

/// Returns the timeline of a job under a policy.
fn track(results: &JobsResults, timeline: &Timeline, number: usize, job: &SharedJob) -> Track {
    let width = timeline.step.as_s_f64();
    let gbps = |doing: &Doing| doing.bytes.get() as f64 * 8.0 / 1e9 / width;
    let of_instance = |doing: &Doing| Step {
        height: gbps(doing) / f64::from(job.job.instances),
        share: doing.computing.as_s_f64() / width,
    };
    let steps = &timeline.jobs[number];
    let all = (width * steps.len() as f64).max(f64::MIN_POSITIVE);
    let end = results.took[number].map_or(all, |took| (job.start + took).as_s_f64());
    let last = ((end / width).ceil() as usize).min(steps.len());
    let sum = |of: fn(&Doing) -> Time| steps.iter().map(|doing| of(doing).as_s_f64()).sum::<f64>();
    let took = results.took[number].map_or(all, |took| took.as_s_f64()).max(f64::MIN_POSITIVE);
    let (computing, sending) = (sum(|doing| doing.computing), sum(|doing| doing.sending));
    Track {
        steps: steps[..last].iter().map(of_instance).collect(),
        width,
        end,
        note: format!(
            "computing {:.0}% of its time\nsending {:.0}% of its time",
            computing / took * 100.0,
            sending / took * 100.0
        ),
    }
}
