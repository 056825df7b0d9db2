//! The links with which the times of jobs were measured, as sentences.

use bandwise_scenario::jobs::{JobsScenario, MeasuredAt, RateSource, host_links};
use bandwise_units::BitRate;

/// The most jobs that a sentence names.
const NAMED: usize = 5;

/// Returns a sentence for each rate and source, in the order of jobs.
pub(super) fn sentences(scenario: &JobsScenario) -> Vec<String> {
    let mut groups: Vec<(MeasuredAt, Vec<&str>)> = Vec::new();
    for job in scenario.jobs() {
        let Some(at) = job.measured_at else { continue };
        match groups.iter_mut().find(|group| group.0 == at) {
            Some((_, names)) => names.push(&job.name),
            None => groups.push((at, vec![&job.name])),
        }
    }
    let links = host_links(scenario.fabric());
    groups.iter().map(|(at, names)| sentence(*at, &listed(names), links)).collect()
}

fn sentence(at: MeasuredAt, jobs: &str, [slowest, fastest]: [BitRate; 2]) -> String {
    let here = match slowest == fastest {
        true => format!("the hosts here have {slowest}"),
        false => format!("the hosts here have {slowest} to {fastest}"),
    };
    let MeasuredAt { rate, by } = at;
    match by {
        RateSource::HostLink => format!(
            "Times of {jobs} count as measured with links of {rate}, because {here}; `measured-at` in a \
             [[job]] states another rate."
        ),
        RateSource::Key => {
            format!("Times of {jobs} were measured with links of {rate} (`measured-at`); {here}.")
        }
        RateSource::Workload => {
            format!("Times of {jobs} are Saba's, with links of {rate}; {here}.")
        }
    }
}

/// Returns a list of names in which the ones after the first few are counted.
fn listed(names: &[&str]) -> String {
    match names {
        [one] => (*one).to_owned(),
        [first @ .., last] if names.len() <= NAMED => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} others", names[..NAMED].join(", "), names.len() - NAMED),
    }
}
