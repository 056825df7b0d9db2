//! The measurement of all cases by the agents of the two hosts.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use bandwise_agents::Token;
use bandwise_agents::coordinator::{HostOutcome, RunEnd};
use bandwise_measure::coordinator::coordinate;
use bandwise_papers::isolation::{DeviceCase, DeviceStudy, PAPER};
use bandwise_papers::{Claim, Finding};

/// The findings of all measured cases.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) findings: Vec<Finding>,
    pub(super) claims: Vec<Claim>,
    pub(super) answer: Vec<String>,
    /// Cases in which a flow had no message in the measured time.
    pub(super) empty: Vec<String>,
    /// The two hosts, as reported in the last case.
    pub(super) hosts: Vec<HostOutcome>,
    /// The number of measured cases, and the number of all cases.
    pub(super) measured: (usize, usize),
    pub(super) end: RunEnd,
}

/// Measures the cases in order, up to the first failure.
pub(super) fn all(
    study: &DeviceStudy,
    cases: &[DeviceCase],
    token: &Token,
    interrupt: &Interrupt,
) -> Result<Found, Failure> {
    let (mut findings, mut empty, mut hosts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut end, mut done) = (RunEnd::Complete, 0);
    for (number, case) in cases.iter().enumerate() {
        let title = case.title();
        note(format_args!("{title} ({} of {}) …", number + 1, cases.len()));
        let outcome =
            match coordinate(&case.plan(study), token, &|| interrupt.asked(), |text| note(text)) {
                Ok(outcome) => outcome,
                Err(error) if number == 0 => return Err(error.into()),
                Err(error) => {
                    end = RunEnd::Failed(format!("{title}: {error:#}"));
                    break;
                }
            };
        hosts = outcome.hosts.clone();
        match &outcome.end {
            RunEnd::Complete => {}
            RunEnd::Interrupted => end = RunEnd::Interrupted,
            RunEnd::Failed(why) => end = RunEnd::Failed(format!("{title}: {why}")),
        }
        // An incomplete case has no findings.
        if end != RunEnd::Complete {
            break;
        }
        done += 1;
        match case.findings(&outcome) {
            Some(found) => findings.extend(found),
            None => empty.push(title),
        }
    }
    let findings = (PAPER.derived)(findings);
    let (claims, answer) = ((PAPER.claims)(&findings), (PAPER.answer)(&findings));
    let measured = (done, cases.len());
    Ok(Found { findings, claims, answer, empty, hosts, measured, end })
}
