//! `bandwise lab up`.

use super::namespaces::{self, Identity};
use super::parts::{Lab, SWITCH};
use super::record::{Made, Record, lock};
use super::{NameFlag, down, root};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{note, print};
use crate::values::{Refusal, number, refused};
use anyhow::{Result, bail};
use bandwise_enforce::{Switches, Wanted};
use bandwise_saba::controller::PortConfig;
use bandwise_units::BitRate;

/// Flags of `bandwise lab up`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Hosts are h1 and so on, with the addresses 10.0.0.1 and so on. Each is a network namespace of this
machine, and so is the switch. Links carry --rate each way; nothing of the machine's own network is
touched. `bandwise lab down` takes all of it away.

Examples:
  bandwise lab up --hosts 4 --rate 200Mbit
  bandwise lab up --name rack2 --hosts 2 --rate '1 Gbps'")]
pub struct Flags {
    /// How many hosts
    #[arg(long, value_name = "N", value_parser = number(2..=64), default_value = "4")]
    #[arg(allow_negative_numbers = true)]
    hosts: u64,
    /// What each link carries, each way
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "200Mbit")]
    #[arg(allow_hyphen_values = true)]
    rate: BitRate,
    /// The part of each link, in percent, that packets without a mark have whatever the others do
    #[arg(long, value_name = "PERCENT", value_parser = number(1..=99), default_value = "10")]
    #[arg(allow_negative_numbers = true)]
    others: u64,
    #[command(flatten)]
    name: NameFlag,
}

/// What one machine can send through itself, with room.
fn rate(text: &str) -> Result<BitRate, Refusal> {
    let range = BitRate::from_bps(1_000_000)..=BitRate::from_gbps(100);
    let allowed = "1 Mbps to 100 Gbps, such as 200Mbit or \"1 Gbps\"";
    match text.parse::<BitRate>() {
        Ok(rate) if range.contains(&rate) => Ok(rate),
        Ok(_) => refused(None, allowed),
        Err(error) => refused(Some(error.to_string()), allowed),
    }
}

impl Flags {
    /// Makes the lab, all of it or nothing.
    pub fn run(self) -> Result<(), Failure> {
        root::needs_root()?;
        let lab = Lab {
            name: self.name.name,
            hosts: self.hosts as u8,
            rate_bps: self.rate.as_bps(),
            others: self.others as f64 / 100.0,
        };
        let record = raise(lab, &Interrupt::listen()?)?;
        let lab = &record.lab;
        let rate = lab.rate().map_err(anyhow::Error::from)?;
        let (first, last) = (Lab::address(1), Lab::address(lab.hosts));
        print(&format!(
            "{}: h1 to h{}, {first} to {last}, {rate} each way to the switch\n",
            lab.name, lab.hosts
        ))
    }
}

/// Makes a lab, all of it or nothing.
pub(super) fn raise(lab: Lab, interrupt: &Interrupt) -> Result<Record> {
    let _locked = lock()?;
    let mut record = Record::create(lab)?;
    let Err(error) = make(&mut record, interrupt) else { return Ok(record) };
    // Nobody has got to run anything there yet.
    match down::take(record, false) {
        Ok(_) => Err(error.context("what was made is taken back")),
        Err(also) => {
            note(format_args!("what was made could not be taken back: {also:#}"));
            Err(error)
        }
    }
}

fn make(record: &mut Record, interrupt: &Interrupt) -> Result<()> {
    let go_on = || match interrupt.asked() {
        true => bail!("interrupted"),
        false => Ok(()),
    };
    let lab = record.lab.clone();
    for node in lab.nodes() {
        go_on()?;
        let name = lab.namespace(&node);
        if Identity::of(&name)?.is_some() {
            bail!("a network namespace {name} is there that no lab is known to have made");
        }
        record.namespaces.push(Made { name: name.clone(), identity: None });
        record.save()?;
        if let Err(error) = namespaces::add(&name) {
            // If it is there now, somebody else was quicker.
            record.namespaces.pop();
            return Err(error);
        }
        let identity = Identity::of(&name)?;
        record.namespaces.last_mut().expect("pushed").identity = identity;
        record.save()?;
    }
    namespaces::configure(&lab.namespace(SWITCH), &lab.switch_lines())?;
    for (number, host) in (1..).zip(lab.host_names()) {
        go_on()?;
        namespaces::configure(&lab.namespace(&host), &Lab::host_lines(number))?;
    }
    let mut switches = lab.switches()?;
    for port in switches.discover()? {
        go_on()?;
        let plan = switches.plan(port.id, &Wanted::Shared(PortConfig::default()))?;
        switches.apply(&plan)?;
    }
    record.is_complete = true;
    record.save()
}
