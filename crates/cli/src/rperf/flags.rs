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
Examples:
  # What a small message sees while three hosts send bulk traffic to the same destination
  bandwise rperf --fabric papers/rperf/rack.toml --from h6 --to dst --background h1,h2,h3
  # The same on a lane of its own, if the fabric's tables have one for service level 1
  bandwise rperf --fabric papers/rperf/rack.toml --from h6 --to dst --background h1,h2,h3 --sl 1
  # How wrong are the usual tools?
  bandwise rperf --fabric papers/rperf/rack.toml --from h6 --to dst --compare --report report.html
  # The fabric there is, with the usual switch and hosts; its names are those ibnetdiscover prints
  ibnetdiscover > fabric.txt && bandwise rperf --fabric fabric.txt --from node1 --to node2
  # A TOML scenario with [[flow]]s of its own
  bandwise rperf --fabric docs/examples/two-lanes.toml --json -
  # Real hosts: `bandwise rperf server --listen 0.0.0.0` on node1, then on node2
  bandwise rperf client node1

The JSON depends on the fabric, the flags and the seed alone. An interrupted run prints what it
has, says `partial`, and ends with exit code 130; a deadlock ends with 1 and names its ports.")]
pub struct Flags {
    #[command(subcommand)]
    pub(super) on_device: Option<OnDevice>,
    /// Where to measure: a TOML scenario, ibnetdiscover output or an ibsim netlist; - for
    /// standard input
    #[arg(long, value_name = "FILE")]
    pub(super) fabric: Option<PathBuf>,
    /// Who measures; if not given, the first host that has nothing else to do
    #[arg(long, value_name = "HOST")]
    pub(super) from: Option<String>,
    /// Who answers; takes the place of the file's flows, which are run if it is not given
    #[arg(long, value_name = "HOST")]
    pub(super) to: Option<String>,
    /// How to measure; if not given, rperf
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(super) method: Option<MethodFlag>,
    /// Measure by rperf, ping-pong and post-poll and set each beside what was true
    #[arg(long, conflicts_with = "method")]
    pub(super) compare: bool,
    /// Payload of a message; if not given, 64 B, and 4096 B for bulk
    #[arg(long, value_name = "SIZE", value_parser = size)]
    #[arg(allow_hyphen_values = true)]
    pub(super) size: Option<Bytes>,
    /// Samples to take; if not given, 10000
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number(1..=1_000_000_000))]
    pub(super) samples: Option<u64>,
    /// Service level, 0 to 15; if not given, 0
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(0..=15))]
    pub(super) sl: Option<u64>,
    /// Other hosts, which send bulk traffic to the same destination meanwhile
    #[arg(long, value_name = "HOST,…", value_delimiter = ',')]
    pub(super) background: Vec<String>,
    /// Payload of a bulk message; if not given, 4096 B
    #[arg(long, value_name = "SIZE", requires = "background", value_parser = size)]
    #[arg(allow_hyphen_values = true)]
    pub(super) background_size: Option<Bytes>,
    /// Service level of the bulk traffic; if not given, 0
    #[arg(long, value_name = "N", requires = "background", allow_negative_numbers = true)]
    #[arg(value_parser = number(0..=15))]
    pub(super) background_sl: Option<u64>,
    /// Who goes first among a switch's inputs, in place of what the file says
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) scheduling: Option<SchedulingFlag>,
    /// Simulated time to measure for at most; if not given, what the file says, or 50 ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub(super) duration: Option<Time>,
    /// What all random numbers are made from; if not given, what the file says, or 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
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
            MethodName::Rperf => "A SEND over the wire less one over the loopback",
            MethodName::PingPong => "A SEND that software answers, as perftest does",
            MethodName::PostPoll => "A WRITE and its completion, as qperf does",
            MethodName::ClosedLoop => "One request at a time, as a client does",
            MethodName::Bulk => "As much as goes through: bandwidth instead of latency",
        };
        Some(PossibleValue::new(self.0.as_str()).help(help))
    }
}

/// How a switch's output chooses among inputs.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum SchedulingFlag {
    /// The oldest packet first
    Fcfs,
    /// A packet from each in turn
    RoundRobin,
}

impl From<SchedulingFlag> for Scheduling {
    fn from(flag: SchedulingFlag) -> Scheduling {
        match flag {
            SchedulingFlag::Fcfs => Scheduling::Fcfs,
            SchedulingFlag::RoundRobin => Scheduling::RoundRobin,
        }
    }
}
