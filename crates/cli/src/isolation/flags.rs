//! Flags of `bandwise isolation`, as they are given.

use crate::output::{Json, Report};
use crate::rperf::{TokenFlag, agent};
use crate::values::{Refusal, duration, number, refused, size};
use bandwise_agents::Address;
use bandwise_units::{Bytes, Time};

/// Clients and workers of the key-value store, as the simulated study has them.
const CLIENTS: &str = "4";
const WORKERS: &str = "4";

/// Flags of `bandwise isolation`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
On each of the two hosts `bandwise rperf agent` runs. Data goes from the first to the second,
whoever posts; the next message of a flow is posted when the last one's completion is seen (or, with
--depth, that of one some before), and both count while both are active.

Examples:
  bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file token --report isolation.html
  bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file token --item mice --quick
  # The key-value store with fewer threads than 4 on each host: each keeps a processor busy
  bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file token --item key-value \\
    --clients 2 --workers 1
  # Without messages of 1 GB, for which each host locks 2 GB for each flow
  bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file token --largest \"1 MB\"")]
pub struct Flags {
    /// Where the agent listens from whose host data comes, and its port if it is not 18517
    #[arg(long, value_name = "HOST[:PORT]", value_parser = agent)]
    pub(super) from: Address,
    /// Where the agent listens to whose host data goes
    #[arg(long, value_name = "HOST[:PORT]", value_parser = agent)]
    pub(super) to: Address,
    #[command(flatten)]
    pub(super) token: TokenFlag,
    /// Measure this alone; if not given, all of them
    #[arg(long, value_enum, value_name = "ITEM")]
    pub(super) item: Option<Item>,
    /// How long each pair of flows is active; if not given, 5 s, with --quick 1 s
    #[arg(long, value_name = "TIME", value_parser = long_enough)]
    #[arg(allow_hyphen_values = true)]
    pub(super) duration: Option<Time>,
    /// What is left out at both ends of that; clocks must be known to less, and flows begin within it
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "100 ms")]
    #[arg(allow_hyphen_values = true)]
    pub(super) margin: Time,
    /// Threads of the first host that ask the key-value store
    #[arg(long, value_name = "N", value_parser = number(1..=64), default_value = CLIENTS)]
    #[arg(allow_negative_numbers = true)]
    pub(super) clients: u64,
    /// Threads of the second host that answer them
    #[arg(long, value_name = "N", value_parser = number(1..=64), default_value = WORKERS)]
    #[arg(allow_negative_numbers = true)]
    pub(super) workers: u64,
    /// Messages that elephants and mice have under way (pipelining); the verdicts are about 1
    #[arg(long, value_name = "N", value_parser = number(1..=128), default_value = "1")]
    #[arg(allow_negative_numbers = true)]
    pub(super) depth: u64,
    /// Leave out what has larger messages
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "1 GB")]
    #[arg(allow_hyphen_values = true)]
    pub(super) largest: Bytes,
    /// Elephants by WRITE alone, beside them the smallest mouse alone, each case for 1 s
    #[arg(long)]
    pub(super) quick: bool,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) report: Report,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Item {
    /// 1 GB and 1 MB over each other, by verb, with events
    Elephants,
    /// Two elephants by who polls and who waits for events
    Polling,
    /// 10 B beside 10 B, 100 B and 1 KB
    Mice,
    /// 10 B, 100 B and 1 KB beside 1 GB and 1 MB
    MouseElephant,
    /// Requests of a key-value store in the manner of HERD, alone and beside 1 GB and 1 MB
    KeyValue,
}

impl Item {
    /// Its name, as the simulated study has it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Item::Elephants => "elephants",
            Item::Polling => "polling",
            Item::Mice => "mice",
            Item::MouseElephant => "mouse-elephant",
            Item::KeyValue => "kv",
        }
    }
}

impl Flags {
    /// How long each pair is active.
    pub(super) fn length(&self) -> Time {
        let usual = if self.quick { Time::from_ms(1_000) } else { Time::from_ms(5_000) };
        self.duration.unwrap_or(usual)
    }

    /// Those of two hosts, and more.
    #[cfg(test)]
    pub(super) fn of(more: &[&str]) -> Flags {
        use clap::Parser;
        #[derive(Debug, Parser)]
        struct Command {
            #[command(flatten)]
            flags: Flags,
        }
        let line = [&["x", "--from", "10.0.0.1", "--to", "10.0.0.2:7"], more].concat();
        Command::try_parse_from(line).unwrap().flags
    }
}

/// Some times what is left out at both ends.
fn long_enough(text: &str) -> Result<Time, Refusal> {
    const LEAST: Time = Time::from_ms(500);
    match duration(text)? {
        time if time >= LEAST => Ok(time),
        _ => refused(None, format!("{LEAST} or more, such as \"10 s\"")),
    }
}
