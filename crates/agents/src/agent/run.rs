//! [`Run`]: what an agent does for the coordinator that has it.

use super::{Event, Link, Order, RunId};
use crate::message::{FromAgent, Job, ToAgent};
use crate::{End, SILENCE};
use bandwise_session::Part;
use bandwise_units::Time;
use std::collections::BTreeMap;

/// Flows that an agent has a part in at most; each takes a thread.
pub const MOST_JOBS: usize = 128;
/// How long anything may take before flows begin, and after they were to end.
const BEFORE: Time = Time::from_ms(60_000);
const AFTER: Time = Time::from_ms(30_000);
/// How far ahead a start may be.
const AHEAD: Time = Time::from_ms(10_000);

/// A flow's part here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Queue pairs are being made.
    Preparing,
    /// They can be connected.
    Prepared,
    /// They are being connected.
    Connecting,
    /// It can begin.
    Connected,
    /// It measures, or answers.
    Running,
    /// It has told what there is.
    Ended,
}

#[derive(Debug)]
pub(super) struct Run {
    pub(super) id: RunId,
    pub(super) link: Link,
    jobs: BTreeMap<u16, (Part, State)>,
    /// How long jobs take once they have begun.
    length: Time,
    heard: Time,
    until: Time,
    started: bool,
    stopped: bool,
}

/// What to do, and what to say.
type Done = (Vec<Order>, Option<FromAgent>);

impl Run {
    pub(super) fn new(id: RunId, link: Link, now: Time) -> Self {
        let (heard, until) = (now, now.saturating_add(BEFORE));
        let (jobs, length) = (BTreeMap::new(), Time::ZERO);
        Run { id, link, jobs, length, heard, until, started: false, stopped: false }
    }

    /// The coordinator has said something.
    pub(super) fn touch(&mut self, now: Time) {
        self.heard = now;
    }

    /// When it is given up.
    pub(super) fn deadline(&self) -> Time {
        self.heard.saturating_add(SILENCE).min(self.until)
    }

    /// Why.
    pub(super) fn overdue(&self, now: Time) -> String {
        match self.until <= now {
            true => "the coordinator takes longer than it can need".to_owned(),
            false => format!("the coordinator said nothing for {SILENCE}"),
        }
    }

    /// What it says after it was welcomed; an error is what makes no sense.
    pub(super) fn message(&mut self, message: ToAgent, now: Time) -> Result<Done, String> {
        match message {
            ToAgent::Prepare(job) => self.prepare(job),
            ToAgent::Connect { flow, side } => match self.jobs.get_mut(&flow) {
                Some((_, state)) if *state == State::Prepared => {
                    *state = State::Connecting;
                    Ok((vec![Order::Connect(self.id, flow, side)], None))
                }
                _ => Err(format!("flow {flow} can't be connected: it is not prepared")),
            },
            ToAgent::Start(at) => self.start(at, now),
            ToAgent::Stop => {
                self.stopped = true;
                Ok((vec![Order::Stop(self.id)], None))
            }
            ToAgent::Hello | ToAgent::Clock(_) | ToAgent::Finish => {
                Err("this was said already".to_owned())
            }
        }
    }

    fn prepare(&mut self, job: Job) -> Result<Done, String> {
        if self.started || self.stopped || self.jobs.contains_key(&job.flow) {
            return Err(format!("flow {} can't be prepared now", job.flow));
        }
        if self.jobs.len() == MOST_JOBS {
            return Err(format!("more than {MOST_JOBS} flows for one agent"));
        }
        self.length = self.length.max(job.active.to());
        self.jobs.insert(job.flow, (job.part, State::Preparing));
        Ok((vec![Order::Prepare(self.id, job)], None))
    }

    fn start(&mut self, at: Time, now: Time) -> Result<Done, String> {
        let are_ready = self.jobs.values().all(|&(_, state)| state == State::Connected);
        if self.started || self.stopped || self.jobs.is_empty() || !are_ready {
            return Err("there is nothing to start, or not all of it is connected".to_owned());
        }
        if at <= now {
            return Err("the start is over already: the order came too late".to_owned());
        }
        if at > now.saturating_add(AHEAD) {
            return Err(format!("the start is more than {AHEAD} away"));
        }
        self.started = true;
        self.until = at.saturating_add(self.length).saturating_add(AFTER);
        self.jobs.values_mut().for_each(|(_, state)| *state = State::Running);
        Ok((vec![Order::Start(self.id, at)], Some(FromAgent::Starting)))
    }

    /// Something has come of an order; what is to be said of it.
    pub(super) fn event(&mut self, flow: u16, event: Event) -> Option<FromAgent> {
        let (part, state) = self.jobs.get_mut(&flow)?;
        let (next, answer) = match (event, *state) {
            (_, State::Ended) => return None,
            (Event::Prepared(side), State::Preparing) => {
                (State::Prepared, FromAgent::Prepared { flow, side })
            }
            (Event::Connected(mtu), State::Connecting) => {
                (State::Connected, FromAgent::Connected { flow, mtu })
            }
            (Event::Ended(report), _) if *part == Part::Client => {
                (State::Ended, FromAgent::Report { flow, report })
            }
            (Event::Ended(report), _) => match report.end {
                // Who answers ends when it is told to.
                End::Complete | End::Stopped => return None,
                End::Failed(why) => (State::Ended, FromAgent::Failed { flow: Some(flow), why }),
            },
            (Event::Failed(why), _) => (State::Ended, FromAgent::Failed { flow: Some(flow), why }),
            (Event::Prepared(_) | Event::Connected(_), _) => return None,
        };
        *state = next;
        Some(answer)
    }
}
