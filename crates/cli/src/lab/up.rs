//! `bandwise lab up`.

use super::name::NameFlag;
use super::status::HostRow;
use crate::answer::{Answer, Stats};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Json;
use crate::values::{number, rate};
use bandwise_lab::{Lab, LabError, needs_root, up};
use bandwise_units::BitRate;
use serde::Serialize;
use std::ops::RangeInclusive;

/// Flags of `bandwise lab up`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Hosts are named h1, h2 and so on, and have the addresses 10.0.0.1, 10.0.0.2 and so on. Each host
and the switch is a network namespace of this machine. Links carry --rate in each direction. The
machine's own network is not touched. `bandwise lab down` removes the lab.

Examples:
  bandwise lab up --hosts 4 --rate 200Mbit
  bandwise lab up --name rack2 --hosts 2 --rate '1 Gbps' --json")]
pub(crate) struct Flags {
    /// Number of hosts
    #[arg(long, value_name = "N", value_parser = number(2..=64), default_value = "4")]
    hosts: u64,
    /// Rate of each link, in each direction
    #[arg(long, value_name = "RATE", value_parser = rate(rates(), "200Mbit or \"1 Gbps\""), default_value = "200Mbit")]
    #[arg(allow_hyphen_values = true)]
    rate: BitRate,
    /// Part of each link reserved for packets without a mark, in percent
    #[arg(long, value_name = "PERCENT", value_parser = number(1..=99), default_value = "10")]
    others: u64,
    #[command(flatten)]
    name: NameFlag,
    #[command(flatten)]
    json: Json,
}

/// Returns the rates that one machine can forward with room to spare.
fn rates() -> RangeInclusive<BitRate> {
    BitRate::from_bps(1_000_000)..=BitRate::from_gbps(100)
}

impl Flags {
    /// Makes the lab and prints its hosts, addresses and rate.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        needs_root()?;
        let lab = Lab {
            name: self.name.name,
            hosts: self.hosts as u8,
            rate_bps: self.rate.as_bps(),
            others: self.others as f64 / 100.0,
        };
        let interrupt = Interrupt::listen()?;
        let lab = up(lab, &|| interrupt.asked())?.lab;
        let rate = lab.rate().map_err(LabError::from)?;
        outputs.answer(&UpAnswer {
            schema: 1,
            lab: &lab.name,
            rate_bps: rate.as_bps(),
            hosts: HostRow::all(&lab),
            stats: Stats::HERE,
            rate,
        })
    }
}

/// A new lab.
#[derive(Serialize)]
struct UpAnswer<'a> {
    schema: u32,
    lab: &'a str,
    /// The rate of each link, in each direction.
    rate_bps: u64,
    hosts: Vec<HostRow>,
    stats: Stats,
    #[serde(skip)]
    rate: BitRate,
}

impl Answer for UpAnswer<'_> {
    fn text(&self) -> String {
        let UpAnswer { lab, hosts, rate, .. } = self;
        let last = hosts.len() as u8;
        let (from, to) = (Lab::address(1), Lab::address(last));
        format!("{lab}: h1 to h{last}, {from} to {to}, {rate} each way to the switch\n")
    }
}
