//! What a client found.

use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{Bandwidth, Spread, Summary};
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_verbs::ibverbs::Pages;
use bandwise_verbs::session::Task;

/// What came out.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// Of each size, as far as they were measured; at least one.
    pub(super) runs: Vec<Run>,
    pub(super) end: Ended,
    /// What times were taken by.
    pub(super) clock: String,
}

/// Of one size.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) task: Task,
    /// The other side's device.
    pub(super) peer: String,
    /// The largest payload of a packet.
    pub(super) mtu: Mtu,
    /// What the memory was made of.
    pub(super) pages: Pages,
    /// How fast the device's clock counts, kHz; `None` if it stamps nothing.
    pub(super) stamped_at_khz: Option<u64>,
    /// Of a method that measures latency, with at least a sample.
    pub(super) latency: Option<Summary>,
    /// The same by the device's stamps, and by how much it differs, sample by sample.
    pub(super) by_stamps: Option<(Summary, Summary)>,
    /// Of the other.
    pub(super) bandwidth: Option<Throughput>,
    /// How long it measured.
    pub(super) took: Time,
    /// How much its threads kept processors busy, added up.
    pub(super) busy: Time,
}

/// What went through.
#[derive(Debug, Clone)]
pub(super) struct Throughput {
    pub(super) all: Bandwidth,
    /// Of each thread.
    pub(super) threads: Vec<Bandwidth>,
    /// What completed in slices of time; `None` if it took less than one.
    pub(super) spread: Option<Spread>,
}

impl Throughput {
    /// Of all threads together; `None` for no thread.
    pub(super) fn of(threads: Vec<Bandwidth>, spread: Option<Spread>) -> Option<Self> {
        let all = threads.iter().copied().reduce(|a, b| Bandwidth {
            bytes: a.bytes + b.bytes,
            messages: a.messages + b.messages,
            from: a.from.min(b.from),
            to: a.to.max(b.to),
        })?;
        Some(Throughput { all, threads, spread })
    }

    /// Messages in a second.
    pub(super) fn messages_per_s(&self) -> f64 {
        let took = self.all.to.saturating_sub(self.all.from).as_s_f64();
        if took > 0.0 { self.all.messages as f64 / took } else { 0.0 }
    }

    /// Payload of the slices with the most and the fewest messages, over time.
    pub(super) fn peak_and_least(&self) -> Option<(BitRate, BitRate)> {
        let Spread { each, least, most, .. } = self.spread?;
        // All messages have one size.
        let size = self.all.bytes.get().checked_div(self.all.messages).unwrap_or(0);
        let rate = |messages: u64| BitRate::over(Bytes::new(size) * messages, each);
        Some((rate(most), rate(least)))
    }
}

/// Why it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// It has what was wanted.
    Complete,
    /// Somebody asked.
    Interrupted,
    /// The device or the other side has failed.
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let bandwidth = |messages, from, to| Bandwidth {
            bytes: Bytes::new(1000 * messages),
            messages,
            from: Time::from_ms(from),
            to: Time::from_ms(to),
        };
        let each = Time::from_ms(1);
        let spread = Some(Spread { each, count: 4, least: 0, most: 20 });
        let threads = vec![bandwidth(10, 1, 4), bandwidth(30, 1, 5)];
        let all = Throughput::of(threads, spread).unwrap();
        assert_eq!(all.all, bandwidth(40, 1, 5));
        assert_eq!(all.messages_per_s(), 10_000.0);
        // 20 messages of 1000 B in a millisecond are 160 Mbps.
        let mbps = |n: u64| BitRate::from_bps(n * 1_000_000);
        assert_eq!(all.peak_and_least(), Some((mbps(160), mbps(0))));
        assert!(Throughput::of(Vec::new(), None).is_none());
    }
}
