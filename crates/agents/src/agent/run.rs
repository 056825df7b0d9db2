//! [`Run`]: the work of an agent for one coordinator.

use super::{Event, Link, Order, RunId};
use crate::message::{FromAgent, Job, ToAgent};
use crate::{FlowEnd, LONGEST_RUN, LONGEST_THINK, SILENCE};
use bandwise_session::{Part, Side};
use bandwise_units::Time;
use std::collections::BTreeMap;

/// The largest number of flows of an agent; each needs a thread.
pub(super) const MOST_JOBS: usize = 128;
/// The time for all steps before the flows start, and after their end.
const BEFORE: Time = Time::from_ms(60_000);
const AFTER: Time = Time::from_ms(30_000);
/// The longest time between the order to start and the start.
const AHEAD: Time = Time::from_ms(10_000);

/// The state of one side of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Queue pairs are being made.
    Preparing,
    /// Queue pairs are made.
    Prepared,
    /// Queue pairs are being connected.
    Connecting,
    /// Queue pairs are connected.
    Connected,
    /// The side measures or responds.
    Running,
    /// The side has reported.
    Ended,
}

#[derive(Debug)]
pub(super) struct Run {
    pub(super) id: RunId,
    pub(super) link: Link,
    jobs: BTreeMap<u16, (Part, State)>,
    /// The sides that were made, by flow.
    sides: BTreeMap<u16, Side>,
    /// The time from the start to the end of the last job.
    length: Time,
    last_received: Time,
    until: Time,
    started: bool,
    stopped: bool,
}

/// Orders, and a message to the coordinator.
type Done = (Vec<Order>, Option<FromAgent>);

impl Run {
    pub(super) fn new(id: RunId, link: Link, now: Time) -> Self {
        let (last_received, until) = (now, now.saturating_add(BEFORE));
        let (jobs, sides, length) = (BTreeMap::new(), BTreeMap::new(), Time::ZERO);
        Run { id, link, jobs, sides, length, last_received, until, started: false, stopped: false }
    }

    /// Extends the deadline after a message of the coordinator.
    pub(super) fn touch(&mut self, now: Time) {
        self.last_received = now;
    }

    /// Returns the time at which the run is abandoned.
    pub(super) fn deadline(&self) -> Time {
        self.last_received.saturating_add(SILENCE).min(self.until)
    }

    /// Returns the reason for which the run is abandoned.
    pub(super) fn overdue(&self, now: Time) -> String {
        match self.until <= now {
            true => "the coordinator has exceeded the longest duration of a run".to_owned(),
            false => format!("the coordinator has been silent for {SILENCE}"),
        }
    }

    /// Returns `true` if this run has made a side for a flow.
    pub(super) fn has_made(&self, flow: u16, side: &Side) -> bool {
        self.sides.get(&flow) == Some(side)
    }

    /// Handles a message after the welcome. Returns an error if the message is invalid in this state.
    pub(super) fn message(&mut self, message: ToAgent, now: Time) -> Result<Done, String> {
        match message {
            ToAgent::Prepare(job) => self.prepare(job),
            ToAgent::Connect { flow, side, port } => match self.jobs.get_mut(&flow) {
                Some((_, state)) if *state == State::Prepared => {
                    *state = State::Connecting;
                    Ok((vec![Order::Connect(self.id, flow, side, port)], None))
                }
                _ => Err(format!("flow {flow} can't be connected: it is not prepared")),
            },
            ToAgent::Start(at) => self.start(at, now),
            ToAgent::Stop => {
                self.stopped = true;
                Ok((vec![Order::Stop(self.id)], None))
            }
            ToAgent::Hello | ToAgent::Clock(_) | ToAgent::Finish | ToAgent::Vouch { .. } => {
                Err("this message is not for this state of a run".to_owned())
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
        if job.active.to().max(job.window.to()) > LONGEST_RUN {
            return Err(format!("flow {} lasts longer than {LONGEST_RUN}", job.flow));
        }
        if job.think > LONGEST_THINK {
            return Err(format!("flow {} pauses for longer than {LONGEST_THINK}", job.flow));
        }
        self.length = self.length.max(job.active.to());
        self.jobs.insert(job.flow, (job.part, State::Preparing));
        Ok((vec![Order::Prepare(self.id, job)], None))
    }

    fn start(&mut self, at: Time, now: Time) -> Result<Done, String> {
        let are_ready = self.jobs.values().all(|&(_, state)| state == State::Connected);
        if self.started || self.stopped || self.jobs.is_empty() || !are_ready {
            return Err("no flow, or one that is not connected, can be started".to_owned());
        }
        if at <= now {
            return Err("the order to start came after the start".to_owned());
        }
        if at > now.saturating_add(AHEAD) {
            return Err(format!("the start is more than {AHEAD} away"));
        }
        self.started = true;
        self.until = at.saturating_add(self.length).saturating_add(AFTER);
        self.jobs.values_mut().for_each(|(_, state)| *state = State::Running);
        Ok((vec![Order::Start(self.id, at)], Some(FromAgent::Starting)))
    }

    /// Handles the result of an order. Returns the message to the coordinator.
    pub(super) fn event(&mut self, flow: u16, event: Event) -> Option<FromAgent> {
        let (part, state) = self.jobs.get_mut(&flow)?;
        let (next, answer) = match (event, *state) {
            (_, State::Ended) => return None,
            (Event::Prepared(side), State::Preparing) => {
                self.sides.insert(flow, side.clone());
                (State::Prepared, FromAgent::Prepared { flow, side })
            }
            (Event::Connected(mtu), State::Connecting) => {
                (State::Connected, FromAgent::Connected { flow, mtu })
            }
            (Event::Ended(report), _) if *part == Part::Client => {
                (State::Ended, FromAgent::Report { flow, report })
            }
            (Event::Ended(report), _) => match report.end {
                // A responding side ends when the coordinator finishes.
                FlowEnd::Complete | FlowEnd::Stopped => return None,
                FlowEnd::Failed(why) => (State::Ended, FromAgent::Failed { flow: Some(flow), why }),
            },
            (Event::Failed(why), _) => (State::Ended, FromAgent::Failed { flow: Some(flow), why }),
            (Event::Prepared(_) | Event::Connected(_), _) => return None,
        };
        *state = next;
        Some(answer)
    }
}
