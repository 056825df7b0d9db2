//! [`Outcome`]: the outcome of a plan.

use super::Coordinator;
use crate::{Counted, Flow, FlowEnd, Report, Span};
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{PARTS, Window};
use bandwise_units::Time;

/// The reason for which a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// All flows were active in the whole window, and all results are here.
    Complete,
    /// The user interrupted it.
    Interrupted,
    /// A step of the run failed; the message names the host and the reason.
    Failed(String),
}

/// The outcome of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostOutcome {
    /// The device and port; `None` if the agent was not reached.
    pub device: Option<String>,
    /// The clock that times are taken by.
    pub clock: Option<String>,
    /// The largest error of the estimated clock difference.
    pub clock_error: Option<Time>,
}

/// The outcome of a flow.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowOutcome {
    /// The largest payload of a packet, if both sides were connected.
    pub mtu: Option<Mtu>,
    /// The report of the measuring side; its `window` is cut to that of the outcome.
    pub report: Option<Report>,
}

/// The outcome of a plan. If the run is not complete, its numbers are partial.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The reason of the end.
    pub end: RunEnd,
    /// The hosts, in the order of the plan.
    pub hosts: Vec<HostOutcome>,
    /// The flows, in the order of the plan.
    pub flows: Vec<FlowOutcome>,
    /// The window of the flows' results. In a run that was cut short, it consists of the first parts of the plan's
    /// window in which all flows were active; `None` if there are none.
    pub window: Option<Span>,
}

impl Coordinator {
    pub(super) fn judge(&self) -> Outcome {
        let hosts = self.peers.iter().map(|peer| HostOutcome {
            device: peer.welcome.as_ref().map(|(device, _)| device.clone()),
            clock: peer.welcome.as_ref().map(|(_, clock)| clock.clone()),
            clock_error: match self.trouble {
                None => peer.clock_error(),
                // There was no clock exchange after the end.
                Some(_) => peer.clock_error_so_far(),
            },
        });
        let hosts: Vec<HostOutcome> = hosts.collect();
        let (end, parts) = match &self.trouble {
            Some((trouble, known)) => (trouble.clone(), self.parts(&hosts, *known).unwrap_or(0)),
            None => (self.gap(&hosts).map_or(RunEnd::Complete, RunEnd::Failed), PARTS),
        };
        let flows = self.flows.iter().map(|flow| FlowOutcome {
            mtu: flow.mtus[0].and_then(|mtu| Some(mtu.min(flow.mtus[1]?))),
            report: flow.report.clone().map(|report| cut(report, parts)),
        });
        let window = match parts {
            PARTS => Some(self.plan.window),
            _ => Span::new(self.plan.window.from(), self.first(parts)).ok(),
        };
        Outcome { end, flows: flows.collect(), hosts, window }
    }

    /// Returns the end of the first parts of the window, from the start of the run.
    fn first(&self, parts: usize) -> Time {
        Window { from: self.plan.window.from(), to: self.plan.window.to() }.first(parts).to
    }

    /// Returns the number of first parts of the window in which all flows are known to have been
    /// active, after a failure that was noticed at `known`. A reported flow was active until its
    /// last message was completed. Any other flow was active as long as its agents were alive
    /// without an error. Returns `None` if there are no such parts.
    fn parts(&self, hosts: &[HostOutcome], known: Time) -> Option<usize> {
        let (start, worst) =
            (self.start()?, hosts.iter().filter_map(|host| host.clock_error).max()?);
        let there = self.peers.iter().map(|peer| peer.alive).fold(known, Time::min);
        let there = there.saturating_sub(start).saturating_sub(worst);
        let flows = self.plan.flows.iter().zip(&self.flows);
        let mut reported = flows.filter_map(|(flow, done)| Some((flow, done.report.as_ref()?)));
        let until = |(flow, report): (&Flow, &Report)| {
            let error = hosts[flow.from].clock_error?.saturating_add(worst);
            let (began, _) = report.active?;
            let is_in_time = began.saturating_add(error) <= self.plan.window.from();
            report.carried.filter(|_| is_in_time).map(|carried| carried.saturating_sub(error))
        };
        let until = reported.try_fold(there, |least, one| Some(least.min(until(one)?)))?;
        (0..=PARTS).rev().find(|&parts| self.first(parts) <= until)
    }

    /// Returns a flow that may not have been active in the whole window of every other flow, given the errors of the
    /// clocks.
    fn gap(&self, hosts: &[HostOutcome]) -> Option<String> {
        let worst = hosts.iter().filter_map(|host| host.clock_error).max()?;
        let gap = |(flow, report): (&Flow, &Option<Report>)| {
            let name = &flow.name;
            let Some(Report { active: Some((began, ended)), end: FlowEnd::Complete, .. }) = report
            else {
                return Some(format!("flow {name} has no complete report"));
            };
            let error = hosts[flow.from].clock_error?.saturating_add(worst);
            let window = self.plan.window;
            let is_active = began.saturating_add(error) <= window.from()
                && *ended >= window.to().saturating_add(error);
            (!is_active).then(|| {
                format!(
                    "flow {name} was active from {began} to {ended} by a clock with an error of {error}: not in all of \
                     the time from {} to {} in which all had to be active; a longer `margin` helps",
                    window.from(),
                    window.to()
                )
            })
        };
        let reports = self.flows.iter().map(|flow| &flow.report);
        self.plan.flows.iter().zip(reports).find_map(gap)
    }
}

/// Returns the report of the first parts of the window.
fn cut(report: Report, parts: usize) -> Report {
    let window = match parts {
        0 => Counted::NONE,
        PARTS => report.window,
        _ => report.parts[parts - 1],
    };
    Report { window, ..report }
}
