//! Results of a client.

pub use bandwise_agents::coordinator::RunEnd;

use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{Bandwidth, Spread, Summary};
use bandwise_session::Task;
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_verbs::ibverbs::Pages;

/// The results of all sizes.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Results of each measured size, one or more.
    pub runs: Vec<Run>,
    /// Reason for the end.
    pub end: RunEnd,
    /// Name of the clock.
    pub clock: String,
}

/// The results of one size.
#[derive(Debug, Clone)]
pub struct Run {
    /// Task.
    pub task: Task,
    /// Device of the other side.
    pub peer: String,
    /// The largest payload of a packet.
    pub mtu: Mtu,
    /// Pages of the memory.
    pub pages: Pages,
    /// Rate of the device's clock in kHz; `None` without time stamps.
    pub stamped_at_khz: Option<u64>,
    /// Latency, if the method measures it and there is a sample.
    pub latency: Option<Summary>,
    /// Latency by the device's time stamps, and its difference to `latency`, sample by sample.
    pub by_stamps: Option<(Summary, Summary)>,
    /// Bandwidth, if the method measures it.
    pub bandwidth: Option<Throughput>,
    /// Duration.
    pub took: Time,
    /// Processor time of all threads.
    pub busy: Time,
}

/// Bulk bandwidth.
#[derive(Debug, Clone)]
pub struct Throughput {
    /// All threads together.
    pub all: Bandwidth,
    /// Each thread.
    pub threads: Vec<Bandwidth>,
    /// Messages by time slice; `None` if there was no whole slice.
    pub spread: Option<Spread>,
}

impl Throughput {
    /// Adds threads up; returns `None` for no thread.
    pub fn of(threads: Vec<Bandwidth>, spread: Option<Spread>) -> Option<Self> {
        let all = threads.iter().copied().reduce(|a, b| Bandwidth {
            bytes: a.bytes + b.bytes,
            messages: a.messages + b.messages,
            from: a.from.min(b.from),
            to: a.to.max(b.to),
        })?;
        Some(Throughput { all, threads, spread })
    }

    /// Returns messages per second.
    pub fn messages_per_s(&self) -> f64 {
        let took = self.all.to.saturating_sub(self.all.from).as_s_f64();
        if took > 0.0 { self.all.messages as f64 / took } else { 0.0 }
    }

    /// Returns the payload rates of the fastest and the slowest time slice.
    pub fn peak_and_least(&self) -> Option<(BitRate, BitRate)> {
        let Spread { each, least, most, .. } = self.spread?;
        // All messages have one size.
        let size = self.all.bytes.get().checked_div(self.all.messages).unwrap_or(0);
        let rate = |messages: u64| BitRate::over(Bytes::new(size) * messages, each);
        Some((rate(most), rate(least)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_bandwidths_add_up() {
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
