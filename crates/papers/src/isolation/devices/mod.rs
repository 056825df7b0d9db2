//! Flows that are measured together, and the values read from them. Names are those of the
//! simulated study, so that its rules apply.

mod findings;
mod plan;

use super::flags::{Flags, Item};

const GB: u32 = 1_000_000_000;
const MB: u32 = 1_000_000;
/// Elephants, the larger first.
const ELEPHANTS: [(&str, u32); 2] = [("1 GB", GB), ("1 MB", MB)];
const MICE: [(&str, u32); 3] = [("10 B", 10), ("100 B", 100), ("1 KB", 1_000)];
/// The verbs in the order of the matrix: pairs of the name in the matrix and the name in plans.
const VERBS: [(&str, &str); 4] =
    [("WRITE", "write"), ("READ", "read"), ("WIMM", "write-imm"), ("SEND", "send")];
const WRITE: &str = "write";

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
pub(super) struct Case {
    item: Item,
    name: String,
    /// Set if a key-value store is the first flow.
    store: bool,
    flows: Vec<Wanted>,
    reads: Reads,
}

/// Returns the cases that the flags select.
pub(super) fn cases(flags: &Flags) -> Vec<Case> {
    let of_mice = [mice(), mice_and_elephants(flags.quick)].concat();
    let all = [matrix(flags.quick), polling(), of_mice, stores()].concat();
    let is_wanted = |case: &Case| {
        let fits = case.flows.iter().all(|flow| u64::from(flow.bytes) <= flags.largest.get());
        // The smallest mouse alone is also the reference for the mouse beside an elephant.
        let is_alone = case.item == Item::Mice && case.flows.len() == 1;
        let is_item = flags
            .item
            .is_none_or(|item| item == case.item || (item == Item::MouseElephant && is_alone));
        fits && is_item
    };
    all.into_iter().filter(is_wanted).collect()
}

fn elephant(opcode: &'static str, bytes: u32) -> Wanted {
    Wanted { opcode, bytes, events: true }
}

fn mouse(bytes: u32) -> Wanted {
    Wanted { opcode: WRITE, bytes, events: false }
}

fn matrix(quick: bool) -> Vec<Case> {
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

fn polling() -> Vec<Case> {
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

fn without_store(item: Item, name: String, flows: Vec<Wanted>, reads: Reads) -> Case {
    Case { item, name, store: false, flows, reads }
}

fn small(item: Item, name: String, flows: Vec<Wanted>) -> Case {
    Case { item, name, store: false, flows, reads: Reads::Small("messages") }
}

fn mice() -> Vec<Case> {
    let beside = MICE.map(|(called, bytes)| {
        let name = format!("10 B beside {called}");
        small(Item::Mice, name, vec![mouse(10), mouse(bytes)])
    });
    let alone = small(Item::Mice, "10 B alone".to_owned(), vec![mouse(10)]);
    [alone].into_iter().chain(beside).collect()
}

fn mice_and_elephants(quick: bool) -> Vec<Case> {
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
fn stores() -> Vec<Case> {
    let one = |(name, elephants): (String, Vec<Wanted>)| Case {
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

impl Case {
    /// Returns the number of flows.
    #[cfg(test)]
    fn len(&self) -> usize {
        usize::from(self.store) + self.flows.len()
    }

    /// Returns the title.
    pub(super) fn title(&self) -> String {
        format!("{}: {}", self.item.name(), self.name)
    }
}
