//! The programs of both sides for a task, the same as on simulated hosts.

use bandwise_random::Stream;
use bandwise_rdma::verbs::{Completion, Next, Posts, Program, Qp};
use bandwise_rperf::defaults::WARMUP_ROUNDS;
use bandwise_rperf::{
    Bulk, BulkError, BulkSettings, ClosedLoop, ClosedLoopSettings, Generator, KeyValueClient,
    KeyValueClientSettings, KeyValueSizes, KeyValueWorker, KeyValueWorkerSettings,
    PingPongInitiator, PingPongResponder, PingPongSettings, PostPoll, PostPollSettings, RPerf,
    RPerfSettings, Rounds, Think, Window,
};
use bandwise_session::{Method, Operation, Part, Task};
use bandwise_units::{BitRate, Bytes, Time};

/// The only or first queue pair to the other side.
const WIRE: Qp = Qp(0);

/// The end of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// After this number of samples or messages.
    Samples(u64),
    /// After this time.
    Time(Time),
}

impl Until {
    /// Returns the largest number of samples.
    fn samples(self) -> u64 {
        match self {
            Until::Samples(samples) => samples,
            Until::Time(_) => u64::MAX,
        }
    }
}

/// The extent of a client's work.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Start of the measurement.
    pub start: Time,
    /// End of the measurement.
    pub until: Until,
    /// Window in which messages count; `None` counts all.
    pub window: Option<Window>,
    /// Longest pause between rounds of a method that pauses.
    pub think: Time,
    /// Seed of the random pauses.
    pub seed: u64,
    /// The number of the thread, from 0.
    pub thread: u32,
    /// Rate limit of the thread's bulk traffic.
    pub rate: Option<BitRate>,
    /// Length of the time slices by which bulk traffic is counted; `None` counts no slices.
    pub slices: Option<Time>,
}

/// Returns the program of one thread of the client.
///
/// # Errors
///
/// Returns [`BulkError`] if bulk traffic can't have these settings.
///
/// # Panics
///
/// Panics if the method is RPerf and there is no loopback.
pub fn client(task: &Task, loopback: Option<Qp>, extent: &Extent) -> Result<Generator, BulkError> {
    let Extent { start, thread, .. } = *extent;
    let (bytes, inline_max) = (task.bytes.get(), task.inline.get());
    let rounds = || {
        let seed = Stream::new(extent.seed, "think", thread.into()).time_below(Time::MAX).as_ps();
        let think = Think::uniform(Time::ZERO, extent.think, seed);
        let warmup = if extent.window.is_some() { 0 } else { WARMUP_ROUNDS };
        Rounds { warmup, samples: extent.until.samples(), think }
    };
    let mut program: Generator = match task.method {
        Method::Rperf => {
            let loopback = loopback.expect("the plan has a loopback");
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
            let (qp, opcode, depth) = (WIRE, operation.into(), task.depth.get());
            let rounds = rounds();
            ClosedLoop::new(ClosedLoopSettings { qp, opcode, bytes, inline_max, depth, rounds })
                .into()
        }
        Method::KeyValue(store) => KeyValueClient::new(KeyValueClientSettings {
            workers: store.queue_pairs(Part::Client),
            window: task.depth.get(),
            sizes: KeyValueSizes::herd(bytes),
            put_every: store.put_every,
            inline_max,
            rounds: rounds(),
        })
        .into(),
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
            let slice = extent.slices.unwrap_or(Time::MAX);
            let bulk = Bulk::new(BulkSettings {
                qps: (0..queue_pairs as u16).map(Qp).collect(),
                opcode: operation.into(),
                bytes,
                // All messages share one buffer: memory doesn't limit the number of posted messages.
                buffer: Bytes::new(u64::from(bytes)) * u64::from(queue_pairs) * u64::from(depth),
                depth,
                batch: 1,
                signal_every: signal_every(extent.rate, bytes, slice, messages, queue_pairs),
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
        program.record_window(window);
    }
    Ok(program)
}

/// Returns the interval of signaled requests: perftest's interval, or a shorter one, so that a time
/// slice at a low rate and a run of few messages have 20 completions.
fn signal_every(
    rate: Option<BitRate>,
    bytes: u32,
    slice: Time,
    messages: Option<u64>,
    queue_pairs: u32,
) -> u32 {
    const SOME: u64 = 20;
    const USUAL: u32 = PingPongSettings::PERFTEST_SIGNAL_EVERY;
    let in_a_slice = rate.map_or(u64::MAX, |rate| {
        slice.as_ps() / rate.time_for(Bytes::new(u64::from(bytes))).as_ps().max(1)
    });
    let in_all = messages.map_or(u64::MAX, |messages| messages / u64::from(queue_pairs));
    (in_a_slice.min(in_all) / SOME).clamp(1, u64::from(USUAL)) as u32
}

/// Returns the program of one thread of the server.
pub fn server(task: &Task) -> Answerer {
    match task.method {
        Method::PingPong(operation) => {
            Answerer::Pong(PingPongResponder::new(ping_pong(task, operation)))
        }
        Method::KeyValue(store) => Answerer::Worker(KeyValueWorker::new(KeyValueWorkerSettings {
            clients: store.queue_pairs(Part::Server),
            sizes: KeyValueSizes::herd(task.bytes.get()),
            inline_max: task.inline.get(),
        })),
        _ => Answerer::Receiver,
    }
}

/// Returns whether the server waits for events: if the task asks for it, or if the server has no
/// completions.
pub fn server_sleeps(task: &Task) -> bool {
    let answers = matches!(task.method, Method::PingPong(_) | Method::KeyValue(_));
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

/// The program of a server.
pub enum Answerer {
    /// Answers each message of a ping-pong.
    Pong(PingPongResponder),
    /// Answers requests of a key-value store.
    Worker(KeyValueWorker),
    /// Receives messages. The device receives by itself while its completions are polled.
    Receiver,
}

impl Program for Answerer {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        match self {
            Answerer::Pong(pong) => pong.step(now, seen, posts),
            Answerer::Worker(worker) => worker.step(now, seen, posts),
            Answerer::Receiver => Next::Completion,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_flows_request_more_frequent_completions() {
        let slice = Time::from_ms(100);
        let every = |rate, bytes| signal_every(rate, bytes, slice, None, 1);
        assert_eq!(every(None, 64), 100);
        assert_eq!(every(Some(BitRate::from_gbps(100)), 65_536), 100);
        // 8000 messages of 125 B a second are 800 in a slice.
        assert_eq!(every(Some(BitRate::from_bps(8_000_000)), 125), 40);
        assert_eq!(every(Some(BitRate::from_bps(1_000)), 1 << 20), 1);
        let of = |messages, queue_pairs| signal_every(None, 64, slice, Some(messages), queue_pairs);
        assert_eq!((of(1_000_000, 4), of(400, 4), of(3, 4)), (100, 5, 1));
    }
}
