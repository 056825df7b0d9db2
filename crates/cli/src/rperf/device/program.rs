//! The programs that two sides run for a task: those that the simulated hosts run.

use super::settings::Until;
use bandwise_random::Stream;
use bandwise_rdma::verbs::{Completion, Next, Posts, Program, Qp};
use bandwise_rperf::{
    Bulk, BulkError, BulkSettings, ClosedLoop, ClosedLoopSettings, Generator, PingPongInitiator,
    PingPongResponder, PingPongSettings, PostPoll, PostPollSettings, RPerf, RPerfSettings, Rounds,
    Think, Window,
};
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_verbs::session::{Method, Operation, Task};

/// Rounds that come first and aren't counted, where it is not a time that says which are: as in the simulator.
const WARMUP: u64 = 20;

/// The only queue pair to the other side, or the first.
const WIRE: Qp = Qp(0);

/// How much a client does, and when.
#[derive(Debug, Clone, Copy)]
pub(in crate::rperf) struct Extent {
    /// When it begins.
    pub(in crate::rperf) start: Time,
    pub(in crate::rperf) until: Until,
    /// What counts, if it is not all.
    pub(in crate::rperf) window: Option<Window>,
    /// The longest pause after a round of what is not done without a pause, and what pauses are drawn from.
    pub(in crate::rperf) think: Time,
    pub(in crate::rperf) seed: u64,
    /// The number of the thread, from 0.
    pub(in crate::rperf) thread: u32,
    /// What the thread's bulk traffic may send at most.
    pub(in crate::rperf) rate: Option<BitRate>,
    /// The length of the slices of time that bulk traffic is counted by, if it is.
    pub(in crate::rperf) slices: Option<Time>,
}

/// Who measures.
pub(in crate::rperf) fn of_client(
    task: &Task,
    loopback: Option<Qp>,
    extent: &Extent,
) -> Result<Generator, BulkError> {
    let Extent { start, thread, .. } = *extent;
    let (bytes, inline_max) = (task.bytes.get(), task.inline.get());
    let rounds = || {
        let seed = Stream::new(extent.seed, "think", 0).time_below(Time::MAX).as_ps();
        let think = Think::uniform(Time::ZERO, extent.think, seed);
        let warmup = if extent.window.is_some() { 0 } else { WARMUP };
        Rounds { warmup, samples: extent.until.samples(), think }
    };
    let mut program: Generator = match task.method {
        Method::Rperf => {
            let loopback = loopback.expect("the plan has one");
            let wire = WIRE;
            RPerf::new(RPerfSettings { wire, loopback, bytes, inline_max, rounds: rounds() }).into()
        }
        Method::PingPong(operation) => {
            PingPongInitiator::new(ping_pong(task, operation), rounds()).into()
        }
        Method::PostPoll => {
            PostPoll::new(PostPollSettings { qp: WIRE, bytes, rounds: rounds() }).into()
        }
        Method::ClosedLoop(operation) => {
            let (qp, opcode) = (WIRE, operation.into());
            let rounds = rounds();
            ClosedLoop::new(ClosedLoopSettings { qp, opcode, bytes, inline_max, rounds }).into()
        }
        Method::Bulk(operation) => {
            let (queue_pairs, depth) = (task.queue_pairs.get(), task.depth.get());
            let until = match extent.until {
                Until::Samples(_) => None,
                Until::Time(time) => Some(start + time),
            };
            let messages = match extent.until {
                Until::Samples(messages) => {
                    let (all, thread) = (u64::from(task.threads.get()), u64::from(thread));
                    Some(messages / all + u64::from(thread < messages % all))
                }
                Until::Time(_) => None,
            };
            let all = Window { from: start, to: until.unwrap_or(Time::MAX) };
            let bulk = Bulk::new(BulkSettings {
                qps: (0..queue_pairs as u16).map(Qp).collect(),
                opcode: operation.into(),
                bytes,
                // All messages are read from the same place: memory doesn't limit how many are posted.
                buffer: Bytes::new(u64::from(bytes)) * u64::from(queue_pairs) * u64::from(depth),
                depth,
                batch: 1,
                signal_every: PingPongSettings::PERFTEST_SIGNAL_EVERY,
                inline_max,
                start,
                until,
                messages,
                rate: extent.rate,
                window: extent.window.unwrap_or(all),
            })?;
            match extent.slices {
                Some(each) => bulk.by_slices(each).into(),
                None => bulk.into(),
            }
        }
    };
    if let Some(window) = extent.window {
        program.count_within(window);
    }
    Ok(program)
}

/// Who answers.
pub(in crate::rperf) fn of_server(task: &Task) -> Answerer {
    match task.method {
        Method::PingPong(operation) => {
            Answerer::Pong(PingPongResponder::new(ping_pong(task, operation)))
        }
        _ => Answerer::Receiver,
    }
}

/// Whether who answers sleeps: where it was asked for, and where nothing completes on that side.
pub(in crate::rperf) fn server_sleeps(task: &Task) -> bool {
    let answers = matches!(task.method, Method::PingPong(_));
    task.events || !(answers || task.method.operation().takes_recv())
}

fn ping_pong(task: &Task, operation: Operation) -> PingPongSettings {
    PingPongSettings {
        qp: WIRE,
        opcode: operation.into(),
        bytes: task.bytes.get(),
        inline_max: task.inline.get(),
        signal_every: PingPongSettings::PERFTEST_SIGNAL_EVERY,
    }
}

/// The side that answers.
pub(in crate::rperf) enum Answerer {
    /// Sends back what comes.
    Pong(PingPongResponder),
    /// Receives, which the device does by itself as long as somebody polls.
    Receiver,
}

impl Program for Answerer {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        match self {
            Answerer::Pong(pong) => pong.step(now, seen, posts),
            Answerer::Receiver => Next::Completion,
        }
    }
}
