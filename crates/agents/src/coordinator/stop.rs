//! The end of a run, after completion or a failure.

use super::{Coordinator, FINISHING, Order, Phase, Progress, RunEnd, STOPPING};
use crate::Flow;
use crate::message::ToAgent;
use bandwise_units::Time;

impl Coordinator {
    pub(super) fn drop_agent(&mut self, agent: usize, why: &str, now: Time) {
        self.peers[agent].is_there = false;
        self.orders.push(Order::Close(agent));
        match self.phase {
            Phase::Finishing => self.end_if_finished(),
            Phase::Over => {}
            Phase::Stopping => self.finish_if_reported(now),
            _ => {
                let name = self.name(agent);
                self.fail(format!("{name}: {why}"), now);
            }
        }
    }

    pub(super) fn fail(&mut self, why: String, now: Time) {
        self.trouble(RunEnd::Failed(why), now);
    }

    /// Handles a failure: stops everything that has started.
    pub(super) fn trouble(&mut self, why: RunEnd, now: Time) {
        if matches!(self.phase, Phase::Stopping | Phase::Finishing | Phase::Over) {
            return;
        }
        self.trouble.get_or_insert((why, now));
        match self.phase {
            Phase::Starting | Phase::Running => {
                self.phase = Phase::Stopping;
                self.until = now.saturating_add(STOPPING);
                self.tell_all(&ToAgent::Stop);
                // Responding sides were alive until now.
                for agent in 0..self.peers.len() {
                    self.ask(agent, now);
                }
                self.finish_if_reported(now);
            }
            _ => self.finish(now),
        }
    }

    /// Finishes after a stop, when all connected agents have reported.
    pub(super) fn finish_if_reported(&mut self, now: Time) {
        let mut flows = self.flows.iter().zip(&self.plan.flows);
        let is_done = |(done, flow): (&Progress, &Flow)| {
            done.report.is_some() || !self.peers[flow.from].is_there
        };
        if flows.all(is_done) {
            self.finish(now);
        }
    }

    pub(super) fn finish(&mut self, now: Time) {
        self.phase = Phase::Finishing;
        self.until = now.saturating_add(FINISHING);
        self.tell_all(&ToAgent::Finish);
        self.end_if_finished();
    }

    pub(super) fn end_if_finished(&mut self) {
        if self.peers.iter().all(|peer| !peer.is_there) {
            self.end();
        }
    }

    pub(super) fn end(&mut self) {
        self.phase = Phase::Over;
        (self.until, self.beat) = (Time::MAX, Time::MAX);
        for agent in 0..self.peers.len() {
            if std::mem::take(&mut self.peers[agent].is_there) {
                self.orders.push(Order::Close(agent));
            }
        }
    }
}
