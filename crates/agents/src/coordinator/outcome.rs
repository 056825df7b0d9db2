//! [`Outcome`]: what came of a plan.

use super::Coordinator;
use crate::{Counted, End, Flow, Report, Span};
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{PARTS, Window};
use bandwise_units::Time;

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// All flows were active in the whole window, and all has been reported.
    Complete,
    /// Somebody asked.
    Interrupted,
    /// Something failed first: who and why.
    Failed(String),
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostOutcome {
    /// Device and port; `None` where it never came to that, as with the clock.
    pub device: Option<String>,
    /// What times are taken by.
    pub clock: Option<String>,
    /// How far its clock can have been from what was taken for it.
    pub clock_error: Option<Time>,
}

/// A flow.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowOutcome {
    /// The largest payload of a packet, once both sides are connected.
    pub mtu: Option<Mtu>,
    /// What who measures has reported, if it has; its `window` is cut to that of the outcome.
    pub report: Option<Report>,
}

/// What came of a plan. Numbers of one that is not complete are partial.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub end: Ended,
    /// In the plan's order.
    pub hosts: Vec<HostOutcome>,
    /// In the plan's order.
    pub flows: Vec<FlowOutcome>,
    /// The time that the flows' `window` is about. Of a run that was cut short the first parts of the plan's in which
    /// all flows were active; `None` if there are none.
    pub window: Option<Span>,
}

impl Coordinator {
    pub(super) fn judge(&self) -> Outcome {
        let hosts = self.peers.iter().map(|peer| HostOutcome {
            device: peer.welcome.as_ref().map(|(device, _)| device.clone()),
            clock: peer.welcome.as_ref().map(|(_, clock)| clock.clone()),
            clock_error: match self.trouble {
                None => peer.clock_error(),
                // The clocks have not been asked for after the end.
                Some(_) => peer.clock_error_so_far(),
            },
        });
        let hosts: Vec<HostOutcome> = hosts.collect();
        let (end, parts) = match &self.trouble {
            Some((trouble, known)) => (trouble.clone(), self.parts(&hosts, *known).unwrap_or(0)),
            None => (self.gap(&hosts).map_or(Ended::Complete, Ended::Failed), PARTS),
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

    /// When the first parts of the window end, from the start of the run.
    fn first(&self, parts: usize) -> Time {
        Window { from: self.plan.window.from(), to: self.plan.window.to() }.first(parts).to
    }

    /// In how many of the window's parts, from the first on, all flows can be shown to have been active, where something
    /// went wrong that was known then. A flow was until its last message was completed; one that nobody has reported,
    /// as long as the agents were there and knew of no failure. `None` if that can't be shown of any.
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

    /// A flow that can't be shown to have been active in the whole window of every other: clocks differ by up to
    /// their errors.
    fn gap(&self, hosts: &[HostOutcome]) -> Option<String> {
        let worst = hosts.iter().filter_map(|host| host.clock_error).max()?;
        let gap = |(flow, report): (&Flow, &Option<Report>)| {
            let name = &flow.name;
            let Some(Report { active: Some((began, ended)), end: End::Complete, .. }) = report
            else {
                return Some(format!("flow {name} has not been reported as a whole"));
            };
            let error = hosts[flow.from].clock_error?.saturating_add(worst);
            let window = self.plan.window;
            let is_active = began.saturating_add(error) <= window.from()
                && *ended >= window.to().saturating_add(error);
            (!is_active).then(|| {
                format!(
                    "flow {name} was active from {began} to {ended} by a clock that is known to {error}: not in all of \
                     the time from {} to {} in which all were to be; a longer `margin` would do",
                    window.from(),
                    window.to()
                )
            })
        };
        let reports = self.flows.iter().map(|flow| &flow.report);
        self.plan.flows.iter().zip(reports).find_map(gap)
    }
}

/// A report of the first parts of the window alone.
fn cut(report: Report, parts: usize) -> Report {
    let window = match parts {
        0 => Counted::NONE,
        PARTS => report.window,
        _ => report.parts[parts - 1],
    };
    Report { window, ..report }
}
