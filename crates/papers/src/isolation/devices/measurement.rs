//! [`DeviceMeasurement`]: the cases in order, up to the first failure.

use super::super::{claims, found};
use super::DeviceCase;
use crate::{Claim, Finding};
use bandwise_agents::coordinator::{HostOutcome, Outcome, RunEnd};

/// The measurement of cases in order, up to the first failure.
///
/// A driver measures the case that [`next_case`](Self::next_case) returns and reports its
/// outcome, until no case is left.
#[derive(Debug)]
pub struct DeviceMeasurement<'a> {
    cases: &'a [DeviceCase],
    findings: Vec<Finding>,
    empty: Vec<String>,
    hosts: Vec<HostOutcome>,
    done: usize,
    end: RunEnd,
}

/// The findings of all measured cases.
#[derive(Debug)]
pub struct DeviceResults {
    /// The findings, with the ratios derived from them.
    pub findings: Vec<Finding>,
    /// The claims that have their cases.
    pub claims: Vec<Claim>,
    /// The verdicts, in sentences.
    pub answer: Vec<String>,
    /// Cases in which a flow had no message in the measured time.
    pub empty: Vec<String>,
    /// The two hosts, as reported in the last case.
    pub hosts: Vec<HostOutcome>,
    /// The number of measured cases, and the number of all cases.
    pub measured: (usize, usize),
    /// The end of the measurement.
    pub end: RunEnd,
}

impl<'a> DeviceMeasurement<'a> {
    /// Returns the measurement before its first case.
    pub fn new(cases: &'a [DeviceCase]) -> Self {
        DeviceMeasurement {
            cases,
            findings: Vec::new(),
            empty: Vec::new(),
            hosts: Vec::new(),
            done: 0,
            end: RunEnd::Complete,
        }
    }

    /// Returns the number of measured cases.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Returns the next case; `None` after the last one, a failure or an interrupt.
    pub fn next_case(&self) -> Option<&'a DeviceCase> {
        self.cases.get(self.done).filter(|_| self.end == RunEnd::Complete)
    }

    /// Adds the outcome of the next case. An incomplete case has no findings and ends the
    /// measurement.
    pub fn add(&mut self, outcome: Outcome) {
        let Some(case) = self.next_case() else { return };
        let found = case.findings(&outcome);
        self.hosts = outcome.hosts;
        match outcome.end {
            RunEnd::Complete => {
                self.done += 1;
                match found {
                    Some(found) => self.findings.extend(found),
                    None => self.empty.push(case.title()),
                }
            }
            RunEnd::Interrupted => self.end = RunEnd::Interrupted,
            RunEnd::Failed(why) => self.fail(&why),
        }
    }

    /// Ends the measurement with a failure of the next case.
    pub fn fail(&mut self, why: &str) {
        let Some(case) = self.next_case() else { return };
        self.end = RunEnd::Failed(format!("{}: {why}", case.title()));
    }

    /// Returns the findings of all measured cases, and the verdicts on them.
    pub fn finish(self) -> DeviceResults {
        let findings = found::with_derived(self.findings);
        DeviceResults {
            claims: claims::claims(&findings),
            answer: claims::answer(&findings),
            findings,
            empty: self.empty,
            hosts: self.hosts,
            measured: (self.done, self.cases.len()),
            end: self.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Item, study};
    use super::*;
    use bandwise_agents::coordinator::FlowOutcome;
    use bandwise_agents::{Counted, FlowEnd, Report};
    use bandwise_rperf::Latency;
    use bandwise_units::{Bytes, Time};

    /// The outcome of two mice, with a number of messages each.
    fn outcome(end: RunEnd, messages: u64) -> Outcome {
        let mut latency = Latency::new();
        latency.record_ps(2_000_000);
        let counted = match messages {
            0 => Counted::NONE,
            _ => Counted {
                messages,
                bytes: Bytes::new(1_000),
                over: Time::from_us(1),
                latency: latency.summary(),
            },
        };
        let report = Report { window: counted, cpu: None, ..Report::none(FlowEnd::Complete) };
        let flow = || FlowOutcome { mtu: None, report: Some(report.clone()) };
        let host = HostOutcome { device: Some("mlx5_0".into()), clock: None, clock_error: None };
        Outcome { end, hosts: vec![host], flows: vec![flow(), flow()], window: None }
    }

    fn mice() -> Vec<DeviceCase> {
        study(|study| study.item = Some(Item::Mice)).cases()
    }

    /// Measures all cases; an entry of `outcomes` is the end and the number of messages of one.
    fn measure(cases: &[DeviceCase], outcomes: Vec<(RunEnd, u64)>) -> DeviceResults {
        let mut measurement = DeviceMeasurement::new(cases);
        let mut outcomes = outcomes.into_iter();
        while measurement.next_case().is_some() {
            let (end, messages) = outcomes.next().expect("a case after the end");
            measurement.add(outcome(end, messages));
        }
        assert_eq!(outcomes.next(), None, "no case is left");
        measurement.finish()
    }

    #[test]
    fn complete_cases_have_findings_and_ratios() {
        let cases = mice();
        let found = measure(&cases, vec![(RunEnd::Complete, 10); 4]);
        assert_eq!((found.measured, &found.end), ((4, 4), &RunEnd::Complete));
        assert_eq!(found.hosts[0].device.as_deref(), Some("mlx5_0"));
        let ratio = found.findings.iter().find(|f| f.case == "10 B beside 1 KB over alone");
        assert_eq!(ratio.unwrap().runs, [1.0]);
        assert!(found.answer[0].starts_with("10 B vs. 10 B: fair"), "{:?}", found.answer);
    }

    #[test]
    fn case_without_messages_is_counted_and_named() {
        let cases = mice();
        let ends = [10, 0, 10, 10].map(|messages| (RunEnd::Complete, messages));
        let found = measure(&cases, ends.into());
        assert_eq!((found.measured, found.empty), ((4, 4), vec![cases[1].title()]));
        assert!(found.findings.iter().all(|f| f.case != "10 B beside 10 B"));
    }

    #[test]
    fn failure_or_interrupt_ends_the_measurement() {
        let cases = mice();
        let failed = RunEnd::Failed("the agent is silent".into());
        let found = measure(&cases, vec![(RunEnd::Complete, 10), (failed, 10)]);
        let why = RunEnd::Failed("mice: 10 B beside 10 B: the agent is silent".into());
        assert_eq!((found.measured, found.end), ((1, 4), why));
        let found = measure(&cases, vec![(RunEnd::Interrupted, 10)]);
        assert_eq!((found.measured, found.end), ((0, 4), RunEnd::Interrupted));
        assert!(found.findings.is_empty() && found.answer.is_empty());
    }

    #[test]
    fn failed_connection_names_its_case() {
        let cases = mice();
        let mut measurement = DeviceMeasurement::new(&cases);
        measurement.fail("no route");
        assert!(measurement.next_case().is_none());
        let end = RunEnd::Failed("mice: 10 B alone: no route".into());
        assert_eq!(measurement.finish().end, end);
    }
}
