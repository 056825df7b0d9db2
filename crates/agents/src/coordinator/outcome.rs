//! [`Outcome`]: what came of a plan.

use super::Coordinator;
use crate::{End, Flow, Report};
use bandwise_rdma::wire::Mtu;
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
    /// What who measures has reported, if it has.
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
}

impl Coordinator {
    pub(super) fn judge(&self) -> Outcome {
        let hosts = self.peers.iter().map(|peer| HostOutcome {
            device: peer.welcome.as_ref().map(|(device, _)| device.clone()),
            clock: peer.welcome.as_ref().map(|(_, clock)| clock.clone()),
            clock_error: peer.clock_error(),
        });
        let hosts: Vec<HostOutcome> = hosts.collect();
        let flows = self.flows.iter().map(|flow| FlowOutcome {
            mtu: flow.mtus[0].and_then(|mtu| Some(mtu.min(flow.mtus[1]?))),
            report: flow.report.clone(),
        });
        let end = match &self.trouble {
            Some(trouble) => trouble.clone(),
            None => self.gap(&hosts).map_or(Ended::Complete, Ended::Failed),
        };
        Outcome { end, flows: flows.collect(), hosts }
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
