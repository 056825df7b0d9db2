//! Flags of `bandwise isolation`, as they are given.

use crate::output::{Json, Report};
use crate::rperf::{TokenFlag, agent};
use crate::values::{Refusal, duration, number, refused, size};
use bandwise_agents::{Address, CLIENTS, WORKERS};
use bandwise_papers::isolation::{DeviceStudy, Item};
use bandwise_units::{Bytes, Time};

/// Flags of `bandwise isolation`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
`bandwise rperf agent` runs on both hosts. Data goes from the first to the second, also if the
second posts READs. A flow posts a message on each completion, with --depth messages in flight.
Results cover the time in which both flows are active.

Examples:
  bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file token --report isolation.html
  bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file token --item mice --quick
  # The key-value store with fewer threads; each thread keeps a processor busy
  bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file token --item key-value \\
    --clients 2 --workers 1
  # Without messages of 1 GB, for which each host locks 2 GB per flow
  bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file token --largest \"1 MB\"")]
pub(crate) struct Flags {
    /// Agent of the host that data comes from, and its port if it is not 18517
    #[arg(long, value_name = "HOST[:PORT]", value_parser = agent)]
    pub(super) from: Address,
    /// Agent of the host that data goes to
    #[arg(long, value_name = "HOST[:PORT]", value_parser = agent)]
    pub(super) to: Address,
    #[command(flatten)]
    pub(super) token: TokenFlag,
    /// Item to measure [default: all]
    #[arg(long, value_enum, value_name = "ITEM")]
    pub(super) item: Option<ItemFlag>,
    /// Time for which each pair of flows is active [default: 5 s; with --quick: 1 s]
    #[arg(long, value_name = "TIME", value_parser = long_enough)]
    #[arg(allow_hyphen_values = true)]
    pub(super) duration: Option<Time>,
    /// Time left out at both ends of the duration; it must exceed the clock error, and flows begin
    /// within it
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "100 ms")]
    #[arg(allow_hyphen_values = true)]
    pub(super) margin: Time,
    /// Threads of the first host that send requests to the key-value store
    #[arg(long, value_name = "N", value_parser = number(1..=64), default_value_t = CLIENTS.into())]
    pub(super) clients: u64,
    /// Threads of the second host that answer requests
    #[arg(long, value_name = "N", value_parser = number(1..=64), default_value_t = WORKERS.into())]
    pub(super) workers: u64,
    /// Messages of elephants and mice in flight (pipelining); the verdicts apply to 1
    #[arg(long, value_name = "N", value_parser = number(1..=128), default_value = "1")]
    pub(super) depth: u64,
    /// Largest message; cases with larger ones are left out
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "1 GB")]
    #[arg(allow_hyphen_values = true)]
    pub(super) largest: Bytes,
    /// Only elephants by WRITE, and beside them the smallest mouse; each case for 1 s
    #[arg(long)]
    pub(super) quick: bool,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) report: Report,
}

/// An item of the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ItemFlag {
    /// Flows of 1 GB and 1 MB against each other, by verb, with events
    Elephants,
    /// Two elephants, each by polling and by events
    Polling,
    /// 10 B beside 10 B, 100 B and 1 KB
    Mice,
    /// 10 B, 100 B and 1 KB beside 1 GB and 1 MB
    MouseElephant,
    /// Requests of a key-value store in the manner of HERD, alone and beside 1 GB and 1 MB
    KeyValue,
}

impl From<ItemFlag> for Item {
    fn from(flag: ItemFlag) -> Self {
        match flag {
            ItemFlag::Elephants => Item::Elephants,
            ItemFlag::Polling => Item::Polling,
            ItemFlag::Mice => Item::Mice,
            ItemFlag::MouseElephant => Item::MouseElephant,
            ItemFlag::KeyValue => Item::KeyValue,
        }
    }
}

impl Flags {
    /// Returns the time for which each pair is active.
    pub(super) fn length(&self) -> Time {
        let usual = if self.quick { Time::from_ms(1_000) } else { Time::from_ms(5_000) };
        self.duration.unwrap_or(usual)
    }

    /// Returns the two hosts and the selected cases.
    pub(super) fn study(&self) -> DeviceStudy {
        DeviceStudy {
            from: self.from.clone(),
            to: self.to.clone(),
            item: self.item.map(Item::from),
            length: self.length(),
            margin: self.margin,
            clients: self.clients,
            workers: self.workers,
            depth: self.depth,
            largest: self.largest,
            quick: self.quick,
        }
    }
}

/// Parses a duration that is several times as long as the margins at both ends.
fn long_enough(text: &str) -> Result<Time, Refusal> {
    const LEAST: Time = Time::from_ms(500);
    match duration(text)? {
        time if time >= LEAST => Ok(time),
        _ => refused(None, format!("{LEAST} or more, such as \"10 s\"")),
    }
}
