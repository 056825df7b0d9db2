//! The study over RDMA devices of two hosts: flows that are measured together, and the values read
//! from them. Names are those of the simulated study, so that its rules apply.

mod findings;
mod measurement;
mod plan;

pub use measurement::{DeviceMeasurement, DeviceResults};

use super::cases::{ELEPHANTS, MB, MICE};
use bandwise_agents::Address;
use bandwise_units::{Bytes, Time};

/// The verbs in the order of the matrix: pairs of the name in the matrix and the name in plans.
const VERBS: [(&str, &str); 4] =
    [("WRITE", "write"), ("READ", "read"), ("WIMM", "write-imm"), ("SEND", "send")];
const WRITE: &str = "write";

/// An item of the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Flows of 1 GB and 1 MB against each other, by verb, with events.
    Elephants,
    /// Two elephants, each by polling and by events.
    Polling,
    /// 10 B beside 10 B, 100 B and 1 KB.
    Mice,
    /// 10 B, 100 B and 1 KB beside 1 GB and 1 MB.
    MouseElephant,
    /// Requests of a key-value store in the manner of HERD, alone and beside 1 GB and 1 MB.
    KeyValue,
}

impl Item {
    /// Returns the name of the item in the simulated study.
    const fn name(self) -> &'static str {
        match self {
            Item::Elephants => "elephants",
            Item::Polling => "polling",
            Item::Mice => "mice",
            Item::MouseElephant => "mouse-elephant",
            Item::KeyValue => "kv",
        }
    }
}

/// The two hosts, and the cases to measure between them.
#[derive(Debug, Clone)]
pub struct DeviceStudy {
    /// The agent of the host that data comes from.
    pub from: Address,
    /// The agent of the host that data goes to.
    pub to: Address,
    /// The item, or all.
    pub item: Option<Item>,
    /// The time for which the flows of a case are active.
    pub length: Time,
    /// The time left out at both ends.
    pub margin: Time,
    /// Threads of the first host that send requests to the key-value store, 1 to 64.
    pub clients: u64,
    /// Threads of the second host that answer requests, 1 to 64.
    pub workers: u64,
    /// Messages of elephants and mice in flight, 1 to 128.
    pub depth: u64,
    /// The largest message; cases with larger ones are left out.
    pub largest: Bytes,
    /// Only elephants by WRITE, and beside them the smallest mouse.
    pub quick: bool,
}

/// A flow.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    opcode: &'static str,
    bytes: u32,
    events: bool,
}

/// The kind of findings of a case.
#[derive(Debug, Clone, Copy)]
enum Reads {
    /// The first flow's bandwidth over the second's.
    Ratio,
    /// The bandwidth ratio, both bandwidths, and the CPU time of both.
    Cpu,
    /// The first flow's latency and rate: messages, or requests.
    Small(&'static str),
}

/// Flows that are active together.
#[derive(Debug, Clone)]
pub struct DeviceCase {
    item: Item,
    name: String,
    /// Set if a key-value store is the first flow.
    store: bool,
    flows: Vec<Wanted>,
    reads: Reads,
}

impl DeviceStudy {
    /// Returns the selected cases.
    pub fn cases(&self) -> Vec<DeviceCase> {
        let of_mice = [mice(), mice_and_elephants(self.quick)].concat();
        let all = [matrix(self.quick), polling(), of_mice, stores()].concat();
        let is_wanted = |case: &DeviceCase| {
            let fits = case.flows.iter().all(|flow| u64::from(flow.bytes) <= self.largest.get());
            // The smallest mouse alone is also the reference for the mouse beside an elephant.
            let is_alone = case.item == Item::Mice && case.flows.len() == 1;
            let is_item = self
                .item
                .is_none_or(|item| item == case.item || (item == Item::MouseElephant && is_alone));
            fits && is_item
        };
        all.into_iter().filter(is_wanted).collect()
    }
}

fn elephant(opcode: &'static str, bytes: u32) -> Wanted {
    Wanted { opcode, bytes, events: true }
}

fn mouse(bytes: u32) -> Wanted {
    Wanted { opcode: WRITE, bytes, events: false }
}

fn matrix(quick: bool) -> Vec<DeviceCase> {
    let mut cases = Vec::new();
    let verbs = if quick { &VERBS[..1] } else { &VERBS[..] };
    for (i, &(row, one)) in verbs.iter().enumerate() {
        for &(column, other) in &verbs[i..] {
            for (large, a) in ELEPHANTS {
                for (small, b) in ELEPHANTS.into_iter().filter(|&(_, b)| row != column || b <= a) {
                    let name = format!("{row} {large} over {column} {small}");
                    let flows = vec![elephant(one, a), elephant(other, b)];
                    cases.push(without_store(Item::Elephants, name, flows, Reads::Ratio));
                }
            }
        }
    }
    cases
}

fn polling() -> Vec<DeviceCase> {
    let mut cases = Vec::new();
    let word = |events| if events { "event" } else { "busy" };
    for (called, bytes) in ELEPHANTS {
        for (one, other) in [(true, true), (true, false), (false, true), (false, false)] {
            let name = format!("{called} {} over 1 MB {}", word(one), word(other));
            let first = Wanted { events: one, ..elephant(WRITE, bytes) };
            let second = Wanted { events: other, ..elephant(WRITE, MB) };
            let flows = vec![first, second];
            cases.push(without_store(Item::Polling, name, flows, Reads::Cpu));
        }
    }
    cases
}

fn without_store(item: Item, name: String, flows: Vec<Wanted>, reads: Reads) -> DeviceCase {
    DeviceCase { item, name, store: false, flows, reads }
}

fn small(item: Item, name: String, flows: Vec<Wanted>) -> DeviceCase {
    DeviceCase { item, name, store: false, flows, reads: Reads::Small("messages") }
}

fn mice() -> Vec<DeviceCase> {
    let beside = MICE.map(|(called, bytes)| {
        let name = format!("10 B beside {called}");
        small(Item::Mice, name, vec![mouse(10), mouse(bytes)])
    });
    let alone = small(Item::Mice, "10 B alone".to_owned(), vec![mouse(10)]);
    [alone].into_iter().chain(beside).collect()
}

fn mice_and_elephants(quick: bool) -> Vec<DeviceCase> {
    let mut cases = Vec::new();
    let all = if quick { &MICE[..1] } else { &MICE[..] };
    for &(called, bytes) in all {
        // The item `Mice` has the smallest mouse alone.
        if bytes != 10 {
            let name = format!("{called} alone");
            cases.push(small(Item::MouseElephant, name, vec![mouse(bytes)]));
        }
        for (large, elephant_bytes) in ELEPHANTS {
            let name = format!("{called} beside {large}");
            let flows = vec![mouse(bytes), elephant(WRITE, elephant_bytes)];
            cases.push(small(Item::MouseElephant, name, flows));
        }
    }
    cases
}

/// Returns the cases of "HERD vs. Elephant".
fn stores() -> Vec<DeviceCase> {
    let one = |(name, elephants): (String, Vec<Wanted>)| DeviceCase {
        item: Item::KeyValue,
        name,
        store: true,
        flows: elephants,
        reads: Reads::Small("requests"),
    };
    let beside =
        ELEPHANTS.map(|(called, bytes)| (format!("beside {called}"), vec![elephant(WRITE, bytes)]));
    [("alone".to_owned(), Vec::new())].into_iter().chain(beside).map(one).collect()
}

impl DeviceCase {
    /// Returns the number of flows.
    #[cfg(test)]
    fn len(&self) -> usize {
        usize::from(self.store) + self.flows.len()
    }

    /// Returns the title.
    pub fn title(&self) -> String {
        format!("{}: {}", self.item.name(), self.name)
    }
}

#[cfg(test)]
fn study(change: impl FnOnce(&mut DeviceStudy)) -> DeviceStudy {
    let address = |name: &str, port| Address { name: name.into(), port };
    let mut study = DeviceStudy {
        from: address("10.0.0.1", 18517),
        to: address("10.0.0.2", 7),
        item: None,
        length: Time::from_ms(5_000),
        margin: Time::from_ms(100),
        clients: 4,
        workers: 4,
        depth: 1,
        largest: Bytes::new(1_000_000_000),
        quick: false,
    };
    change(&mut study);
    study
}
