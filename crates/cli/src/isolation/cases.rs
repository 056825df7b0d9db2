//! Which flows are measured together, and what is read off them. Names are those of the simulated study, so that
//! its rules find them.

use super::flags::{Flags, Item};
use bandwise_agents::coordinator::Outcome;
use bandwise_agents::{Counted, Plan, Report};
use bandwise_input::Source;
use bandwise_papers::Finding;
use bandwise_rperf::Summary;

const GB: u32 = 1_000_000_000;
const MB: u32 = 1_000_000;
/// Larger first.
const ELEPHANTS: [(&str, u32); 2] = [("1 GB", GB), ("1 MB", MB)];
const MICE: [(&str, u32); 3] = [("10 B", 10), ("100 B", 100), ("1 KB", 1_000)];
/// As the matrix calls and orders them, and as plans do.
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

/// What is read off.
#[derive(Debug, Clone, Copy)]
enum Reads {
    /// The first flow's bandwidth over the second's.
    Ratio,
    /// The same, both bandwidths and what they cost of a processor.
    Cpu,
    /// The first flow's latency and rate: messages, or requests.
    Small(&'static str),
}

/// Flows that are active together.
#[derive(Debug, Clone)]
pub(super) struct Case {
    item: Item,
    name: String,
    /// Whether a key-value store is the first flow, before the others.
    store: bool,
    flows: Vec<Wanted>,
    reads: Reads,
}

/// All that were asked for.
pub(super) fn cases(flags: &Flags) -> Vec<Case> {
    let of_mice = [mice(), mice_and_elephants(flags.quick)].concat();
    let all = [matrix(flags.quick), polling(), of_mice, stores()].concat();
    let is_wanted = |case: &Case| {
        let fits = case.flows.iter().all(|flow| u64::from(flow.bytes) <= flags.largest.get());
        // The smallest mouse alone is what it is held against beside an elephant, too.
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
        // The smallest mouse alone is among the mice.
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

/// "HERD vs. Elephant".
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
    /// How many flows it has.
    #[cfg(test)]
    fn len(&self) -> usize {
        usize::from(self.store) + self.flows.len()
    }

    /// What people call it.
    pub(super) fn title(&self) -> String {
        format!("{}: {}", self.item.name(), self.name)
    }

    /// What agents are told.
    pub(super) fn plan(&self, flags: &Flags) -> Plan {
        let (length, margin) = (flags.length(), flags.margin);
        let mut text =
            format!("title = {:?}\nduration = \"{length}\"\nmargin = \"{margin}\"\n", self.title());
        for (name, agent) in [("from", &flags.from), ("to", &flags.to)] {
            text += &format!("[[host]]\nname = \"{name}\"\nagent = \"{agent}\"\n");
        }
        if self.store {
            let (clients, workers) = (flags.clients, flags.workers);
            text += &format!(
                "[[flow]]\nname = \"store\"\nfrom = \"from\"\nto = \"to\"\nmethod = \"key-value\"\n\
                 clients = {clients}\nworkers = {workers}\n"
            );
        }
        let depth = flags.depth;
        for (number, flow) in self.flows.iter().enumerate() {
            let Wanted { opcode, bytes, events } = flow;
            // "Both flows share the same link": who READs posts where the data goes to.
            let (from, to) = if *opcode == "read" { ("to", "from") } else { ("from", "to") };
            let completion = if *events { "event" } else { "poll" };
            text += &format!(
                "[[flow]]\nname = \"{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\nmethod = \"closed-loop\"\n\
                 opcode = \"{opcode}\"\nbytes = \"{bytes} B\"\ncompletion = \"{completion}\"\nthink = \"0 s\"\n\
                 depth = {depth}\n"
            );
        }
        let plan = Plan::from_toml(&Source::new("<isolation>", &text), flags.from.port);
        plan.expect("cases are tested, and addresses are ones")
    }

    /// What is read off; `None` where a flow has no message in the time there was.
    pub(super) fn findings(&self, outcome: &Outcome) -> Option<Vec<Finding>> {
        let reports: Option<Vec<&Report>> =
            outcome.flows.iter().map(|flow| flow.report.as_ref()).collect();
        let reports = reports?;
        let gbps = |counted: &Counted| counted.rate().map(|rate| rate.as_gbps_f64());
        let first = reports.first()?;
        let mut found = Vec::new();
        let mut add = |item: Item, metric: &str, unit: &str, value: f64| {
            found.push(Finding {
                item: item.name().to_owned(),
                case: self.name.clone(),
                metric: metric.to_owned(),
                unit: unit.to_owned(),
                runs: vec![value],
            });
        };
        match self.reads {
            Reads::Ratio | Reads::Cpu => {
                let second = reports.get(1)?;
                let (one, other) = (gbps(&first.window)?, gbps(&second.window)?);
                add(self.item, "bandwidth ratio", "x", one / other);
                if matches!(self.reads, Reads::Cpu) {
                    add(self.item, "bandwidth, first", "Gbps", one);
                    add(self.item, "CPU, first", "%", 100.0 * first.cpu?);
                    add(self.item, "bandwidth, second", "Gbps", other);
                    add(self.item, "CPU, second", "%", 100.0 * second.cpu?);
                }
            }
            Reads::Small(called) => {
                let (latency, rate) = (first.window.latency?, first.window.per_second()?);
                let is_alone = self.item == Item::Mice && self.flows.len() == 1;
                let both = [self.item, Item::MouseElephant];
                for &item in if is_alone { &both[..] } else { &both[..1] } {
                    let us = |read: fn(&Summary) -> f64| read(&latency) / 1e3;
                    add(item, "latency p50", "us", us(|s| s.p50_ns));
                    add(item, "latency p99", "us", us(|s| s.p99_ns));
                    add(item, "latency p99.9", "us", us(|s| s.p99_9_ns));
                    add(item, called, "million/s", rate / 1e6);
                }
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_agents::coordinator::{Ended, FlowOutcome};
    use bandwise_agents::{Address, End};
    use bandwise_papers::paper;
    use bandwise_rperf::Latency;
    use bandwise_units::{Bytes, Time};
    use bandwise_verbs::session::Method;
    use clap::Parser;
    use std::collections::BTreeSet;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        flags: Flags,
    }

    fn flags(more: &[&str]) -> Flags {
        let line = [&["x", "--from", "10.0.0.1", "--to", "10.0.0.2:7"], more].concat();
        Command::try_parse_from(line).unwrap().flags
    }

    /// Two flows of which the first gets twice as much.
    fn outcome(flows: usize) -> Outcome {
        let mut latency = Latency::new();
        latency.record_ps(2_000_000);
        let report = |i: usize| {
            let counted = Counted {
                messages: 10,
                bytes: Bytes::new(if i == 0 { 2_000 } else { 1_000 }),
                over: Time::from_us(1),
                latency: latency.summary(),
            };
            Report { window: counted, cpu: Some(0.5), ..Report::none(End::Complete) }
        };
        let flow = |i| FlowOutcome { mtu: None, report: Some(report(i)) };
        let flows = (0..flows).map(flow).collect();
        Outcome { end: Ended::Complete, hosts: Vec::new(), flows, window: None }
    }

    /// What the simulated study decides by is found under the same names.
    #[test]
    fn the_verdicts_of_the_study_are_found() {
        let study = paper("isolation").unwrap();
        let cases = cases(&flags(&[]));
        let found = cases.iter().flat_map(|case| case.findings(&outcome(case.len())).unwrap());
        let found = (study.derived)(found.collect());
        let claims = (study.claims)(&found);
        let sections: BTreeSet<&str> = claims.iter().map(|claim| claim.section).collect();
        let sections_of =
            ["At A First Glance", "Mouse vs. Mouse", "Mouse vs. Elephant", "HERD vs. Elephant"];
        for section in sections_of {
            assert!(sections.contains(section), "{sections:?}");
        }
        let verdicts = claims.iter().filter(|claim| claim.section == "At A First Glance");
        assert_eq!(verdicts.count(), 4);
        let ratio = found.iter().find(|f| f.case == "READ 1 GB over SEND 1 MB").unwrap();
        assert_eq!(ratio.runs, [2.0]);
    }

    #[test]
    fn every_case_is_a_plan() {
        let count = |more: &[&str]| {
            let flags = flags(more);
            let cases = cases(&flags);
            for case in &cases {
                let plan = case.plan(&flags);
                assert_eq!(plan.hosts[1].agent, Address { name: "10.0.0.2".into(), port: 7 });
                assert_eq!(plan.flows.len(), case.len());
                assert!(plan.flows.iter().all(|flow| flow.think == Time::ZERO));
                for flow in &plan.flows[usize::from(case.store)..] {
                    assert_eq!(u64::from(flow.task.depth.get()), flags.depth);
                }
            }
            cases.len()
        };
        // Three of each verb with itself, four of each pair of two: 12 and 24.
        assert_eq!(count(&["--item", "elephants"]), 36);
        assert_eq!(count(&["--item", "elephants", "--quick"]), 3);
        assert_eq!(count(&["--item", "elephants", "--largest", "1 MB"]), 10);
        assert_eq!(count(&["--item", "mouse-elephant"]), 9);
        assert_eq!(count(&["--item", "mice", "--duration", "500 ms"]), 4);
        assert_eq!(count(&["--item", "polling", "--largest", "10 B"]), 0);
        assert_eq!(count(&["--item", "key-value", "--quick"]), 3);
        assert_eq!(count(&["--item", "key-value", "--largest", "1 MB", "--clients", "1"]), 2);
        assert_eq!(count(&[]), 36 + 8 + 4 + 8 + 3);
        // READs can be at most 255 at a time; all cases are plans with as many as the flag takes.
        assert_eq!(count(&["--depth", "128"]), count(&[]));
    }

    /// The store of the simulated study, and its elephant: where threads are no other than asked for.
    #[test]
    fn the_store_is_the_first_flow() {
        let flags = flags(&["--item", "key-value", "--workers", "3"]);
        let cases = cases(&flags);
        let plan = cases[1].plan(&flags);
        assert_eq!(cases[1].title(), "kv: beside 1 GB");
        let [store, elephant] = &plan.flows[..] else { panic!("two flows") };
        let Method::KeyValue(of) = store.task.method else { panic!("{:?}", store.task) };
        assert_eq!((of.clients.get(), of.workers.get(), of.put_every), (4, 3, 20));
        assert_eq!(
            (store.task.bytes.get(), store.task.depth.get(), store.task.events),
            (32, 4, false)
        );
        assert_eq!((elephant.task.bytes.get(), elephant.task.events), (GB, true));
        assert_eq!((store.from, store.to), (elephant.from, elephant.to));
        let found = cases[1].findings(&outcome(2)).unwrap();
        let metrics: Vec<&str> = found.iter().map(|f| f.metric.as_str()).collect();
        assert_eq!(metrics, ["latency p50", "latency p99", "latency p99.9", "requests"]);
    }

    /// Data of all flows crosses the same link.
    #[test]
    fn who_reads_posts_at_the_other_end() {
        let flags = flags(&["--item", "elephants"]);
        let cases = cases(&flags);
        let read = cases.iter().find(|case| case.name == "WRITE 1 MB over READ 1 MB").unwrap();
        let plan = read.plan(&flags);
        let ends: Vec<_> = plan.flows.iter().map(|flow| (flow.from, flow.to)).collect();
        assert_eq!(ends, [(0, 1), (1, 0)]);
    }

    #[test]
    fn nothing_is_read_off_what_was_not_measured() {
        let flags = flags(&["--item", "mice"]);
        let mut empty = outcome(1);
        empty.flows[0].report.as_mut().unwrap().window = Counted::NONE;
        assert!(cases(&flags)[0].findings(&empty).is_none());
    }
}
