//! The true traffic of flows, the agents' reports of it, and the bounds of a coordinator's results.

use super::World;
use bandwise_agents::coordinator::Outcome;
use bandwise_agents::message::Job;
use bandwise_agents::{Counted, FlowEnd, Report};
use bandwise_rperf::Window;
use bandwise_units::Time;

/// Time of a message.
const MESSAGE: Time = Time::from_ms(1);

impl World {
    /// A flow carries nothing from then on, and may not from before.
    pub(super) fn ceases(&mut self, flow: u16, at: Time) {
        let ceased = self.ceased.entry(flow).or_insert(at);
        *ceased = at.min(*ceased);
    }

    /// Returns an agent's report of a flow that ends now and had a message each millisecond while it was active.
    pub(super) fn report(&self, i: usize, job: &Job, start: Time, end: FlowEnd) -> Report {
        let pace = self.paces[i];
        let of_run = |time: Time| pace.read(time).saturating_sub(start);
        let Some(&began) = self.began.get(&job.flow).filter(|&&began| began < self.now) else {
            return Report::none(end);
        };
        let ceased = self.ceased.get(&job.flow).map_or(self.now, |&ceased| ceased.min(self.now));
        let (from, until) = (of_run(began), of_run(ceased));
        let counted = |from: Time, to: Time| {
            let messages = to.min(until).saturating_sub(from).as_ps() / MESSAGE.as_ps();
            Counted { messages, ..Counted::NONE }
        };
        let window = Window { from: job.window.from(), to: job.window.to() };
        Report {
            active: Some((from, of_run(self.now))),
            carried: (from < until).then_some(until),
            whole: counted(from, Time::MAX),
            window: counted(window.from, window.to),
            parts: std::array::from_fn(|part| counted(window.from, window.first(part + 1).to)),
            ..Report::none(end)
        }
    }

    /// Checks the common window: by one clock, each flow carried messages during the whole window of the others.
    pub(crate) fn check_window(&self, outcome: &Outcome) {
        let Some(window) = outcome.window else {
            let counted = outcome.flows.iter().filter_map(|flow| flow.report.as_ref());
            counted.for_each(|report| assert_eq!(report.window, Counted::NONE));
            return;
        };
        assert_eq!(window.from(), self.plan.window.from());
        for (number, (flow, of)) in (0..).zip(self.plan.flows.iter().zip(&outcome.flows)) {
            let Some(report) = &of.report else { continue };
            let whole = (window.to() - window.from()).as_ps() / MESSAGE.as_ps();
            assert_eq!(report.window.messages, whole, "{outcome:?}");
            let (pace, start) = (self.paces[flow.from], self.starts[&number]);
            let [from, to] = [window.from(), window.to()].map(|time| pace.when(start + time));
            for other in 0..self.plan.flows.len() as u16 {
                let (began, ceased) = (self.began[&other], self.ceased[&other]);
                assert!(
                    began <= from && to <= ceased,
                    "{number}: {from} to {to}, {other}: {began} to {ceased}"
                );
            }
        }
    }
}
