//! Flags of `bandwise rperf`, as they are given.

use super::on_device::OnDevice;
use crate::output::{Json, Report};
use crate::values::{duration, number, size};
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_scenario::infiniband::MethodName;
use bandwise_units::{Bytes, Time};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::path::PathBuf;

/// Flags of `bandwise rperf`.
#[derive(Debug, Default, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
The JSON depends only on the fabric, the flags and the seed. An interrupted run prints partial
results, marked `Partial`, and exits with 130. A deadlock exits with 1 and prints its ports.

Examples:
  # The latency of small messages while three hosts send bulk traffic to the same destination
  bandwise rperf --fabric papers/rperf/rack.toml --from h6 --to dst --background h1,h2,h3
  # The same on another lane, if the fabric's tables have one for service level 1
  bandwise rperf --fabric papers/rperf/rack.toml --from h6 --to dst --background h1,h2,h3 --sl 1
  # The errors of the usual tools
  bandwise rperf --fabric papers/rperf/rack.toml --from h6 --to dst --compare --report report.html
  # A real fabric, with the default switch and hosts; names are those that ibnetdiscover prints
  ibnetdiscover > fabric.txt && bandwise rperf --fabric fabric.txt --from node1 --to node2
  # A TOML scenario with [[flow]] tables
  bandwise rperf --fabric docs/examples/two-lanes.toml --json -
  # Real hosts: `bandwise rperf server --listen 0.0.0.0` on node1, then on node2
  bandwise rperf client node1")]
pub(crate) struct Flags {
    #[command(subcommand)]
    pub(super) on_device: Option<OnDevice>,
    /// Fabric: a TOML scenario, ibnetdiscover output or an ibsim netlist; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(super) fabric: Option<PathBuf>,
    /// Measuring host [default: the first host without another task]
    #[arg(long, value_name = "HOST")]
    pub(super) from: Option<String>,
    /// Remote host; replaces the flows of the file, which run without this flag
    #[arg(long, value_name = "HOST")]
    pub(super) to: Option<String>,
    /// Measuring method [default: rperf]
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(super) method: Option<MethodFlag>,
    /// Compare rperf, ping-pong and post-poll with the true latency
    #[arg(long, conflicts_with = "method")]
    pub(super) compare: bool,
    /// Payload of a message [default: 64 B; bulk: 4096 B]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    #[arg(allow_hyphen_values = true)]
    pub(super) size: Option<Bytes>,
    /// Samples [default: 10000]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(1..=1_000_000_000))]
    pub(super) samples: Option<u64>,
    /// Service level, 0 to 15 [default: 0]
    #[arg(long, value_name = "N", value_parser = number(0..=15))]
    pub(super) sl: Option<u64>,
    /// Hosts that send bulk traffic to the same destination during the measurement
    #[arg(long, value_name = "HOST,…", value_delimiter = ',')]
    pub(super) background: Vec<String>,
    /// Payload of a bulk message [default: 4096 B]
    #[arg(long, value_name = "SIZE", requires = "background", value_parser = size)]
    #[arg(allow_hyphen_values = true)]
    pub(super) background_size: Option<Bytes>,
    /// Service level of the bulk traffic [default: 0]
    #[arg(long, value_name = "N", requires = "background")]
    #[arg(value_parser = number(0..=15))]
    pub(super) background_sl: Option<u64>,
    /// Scheduling among the inputs of a switch, in place of the file's
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) scheduling: Option<SchedulingFlag>,
    /// Longest simulated time [default: the file's, else 50 ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub(super) duration: Option<Time>,
    /// Random seed [default: the scenario's, else 1]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(0..=u64::MAX))]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) report: Report,
}

/// A method by the name that scenario files have for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct MethodFlag(pub(super) MethodName);

impl ValueEnum for MethodFlag {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [MethodFlag; MethodName::ALL.len()] = {
            let mut all = [MethodFlag(MethodName::Rperf); MethodName::ALL.len()];
            let mut i = 0;
            while i < all.len() {
                all[i] = MethodFlag(MethodName::ALL[i]);
                i += 1;
            }
            all
        };
        &ALL
    }
    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            MethodName::Rperf => "Time of a SEND over the wire minus that of one over the loopback",
            MethodName::PingPong => "A SEND answered by software, as in perftest",
            MethodName::PostPoll => "A WRITE and its completion, as in qperf",
            MethodName::ClosedLoop => "One request at a time, as a client sends them",
            MethodName::Bulk => "Bulk traffic: bandwidth instead of latency",
        };
        Some(PossibleValue::new(self.0.as_str()).help(help))
    }
}

/// The scheduling of a switch's output among inputs.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum SchedulingFlag {
    /// The packet that arrived at the switch first
    Fcfs,
    /// The packet that left its source first, as in the RPerf paper's simulator
    Age,
    /// One packet of each input in turn
    RoundRobin,
}

impl From<SchedulingFlag> for Scheduling {
    fn from(flag: SchedulingFlag) -> Scheduling {
        match flag {
            SchedulingFlag::Fcfs => Scheduling::Fcfs,
            SchedulingFlag::Age => Scheduling::Age,
            SchedulingFlag::RoundRobin => Scheduling::RoundRobin,
        }
    }
}
