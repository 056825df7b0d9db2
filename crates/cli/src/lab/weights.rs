//! `bandwise lab weights`.

use super::exec::no_such_host;
use super::name::NameFlag;
use super::status::{self, PortRow};
use crate::answer::{Answer, Stats};
use crate::failure::Failure;
use crate::output::Json;
use crate::values::{Refusal, refused};
use bandwise_enforce::htb::Dscp;
use bandwise_lab::{QUEUES, Record, needs_root};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use serde::Serialize;
use std::collections::BTreeSet;

/// Flags of `bandwise lab weights`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Packets with these marks share the link from the switch to HOST by these weights. A mark is a DSCP,
the upper six bits of IP_TOS and IPV6_TCLASS: 10 is a TOS of 40 (0x28). Bandwidth that one queue
does not use goes to the others. Packets without a weight share the reserve of `bandwise lab up
--others`, and unused bandwidth. Without weights, the command shows the present ones.

Examples:
  bandwise lab weights h3 10=3 12=1
  # 10 and 14 share a queue
  bandwise lab weights h3 10,14=3 12=1
  bandwise lab weights h3 --json
  bandwise lab weights h3 --clear")]
pub(crate) struct Flags {
    /// Host at the end of the link
    host: String,
    /// Marks that share a queue, 1 to 63, and the weight of the queue, 1 to 255
    #[arg(value_name = "DSCP[,DSCP]=WEIGHT", value_parser = queue)]
    queues: Vec<Queue>,
    /// Remove all weights
    #[arg(long, conflicts_with = "queues")]
    clear: bool,
    #[command(flatten)]
    name: NameFlag,
    #[command(flatten)]
    json: Json,
}

/// The marks of a queue, and its weight.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Queue {
    marks: Vec<Dscp>,
    weight: u8,
}

fn queue(text: &str) -> Result<Queue, Refusal> {
    let read = || {
        let (marks, weight) = text.split_once('=')?;
        let mark = |text: &str| Dscp::try_from(text.trim().parse::<u16>().ok()?).ok();
        let marks = marks.split(',').map(mark).collect::<Option<Vec<Dscp>>>()?;
        let weight = weight.trim().parse().ok().filter(|&weight| weight > 0)?;
        Some(Queue { marks, weight })
    };
    match read() {
        Some(queue) => Ok(queue),
        None => refused(None, "a DSCP from 1 to 63 and a weight from 1 to 255, such as 10=3"),
    }
}

/// Returns the configuration of a port: each mark once, and no more queues than a port has.
fn config(queues: &[Queue]) -> Result<PortConfig, Failure> {
    if queues.len() > usize::from(QUEUES.get()) {
        let message = format!("{} weights, each of which needs a queue", queues.len());
        return Err(Failure::usage(
            message,
            format!("up to {QUEUES}; marks can share one: 10,14=3"),
        ));
    }
    let mut seen = BTreeSet::new();
    let marks =
        || (0u8..).zip(queues).flat_map(|(at, queue)| queue.marks.iter().map(move |&m| (at, m)));
    if let Some((_, twice)) = marks().find(|&(_, mark)| !seen.insert(mark)) {
        return Err(Failure::usage(format!("DSCP {twice} has two weights"), "one for each DSCP"));
    }
    let table = marks().map(|(at, mark)| (PriorityLevel(mark.get().into()), at)).collect();
    Ok(PortConfig { table, weights: queues.iter().map(|queue| queue.weight).collect() })
}

impl Flags {
    /// Writes the weights that were given, reads the port back and prints it.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let config = config(&self.queues)?;
        let outputs = self.json.resolve(&[])?;
        needs_root()?;
        let record = Record::open(&self.name.name)?;
        let lab = &record.lab;
        let Some(number) = lab.number(&self.host) else {
            return Err(no_such_host(&self.host, lab.hosts, ""));
        };
        let writes = self.clear || !self.queues.is_empty();
        let shares = [record.share_link_to(number, writes.then_some(config))?];
        outputs.answer(&WeightsAnswer {
            schema: 1,
            lab: &lab.name,
            ports: shares.each_ref().map(PortRow::from),
            stats: Stats::HERE,
        })
    }
}

/// The port of a lab with its weights.
#[derive(Serialize)]
struct WeightsAnswer<'a> {
    schema: u32,
    lab: &'a str,
    ports: [PortRow<'a>; 1],
    stats: Stats,
}

impl Answer for WeightsAnswer<'_> {
    fn text(&self) -> String {
        status::text(&self.ports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_or_refused() {
        let queues: Vec<Queue> = ["10,14=3", " 12 = 255"].map(|text| queue(text).unwrap()).into();
        let read = config(&queues).unwrap();
        let table: Vec<(u16, u8)> = read.table.iter().map(|(level, at)| (level.0, at)).collect();
        assert_eq!((table, read.weights), (vec![(10, 0), (12, 1), (14, 0)], vec![3, 255]));
        for text in ["10", "10=", "=3", "0=1", "64=1", "10=0", "10=256", "10,=1", "a=1", "10=-1"] {
            assert!(queue(text).is_err(), "{text}");
        }
        let twice = ["10=1", "12,10=2"].map(|text| queue(text).unwrap());
        assert!(config(&twice).is_err());
        let nine: Vec<Queue> = (1..10).map(|i| queue(&format!("{i}=1")).unwrap()).collect();
        assert!(config(&nine).is_err() && config(&nine[..8]).is_ok());
    }
}
