//! The runs: pairs of flows, and the numbers read from them.

use super::study::{Flow, Measured, Outcome, Store, Study};
use crate::Options;
use crate::case;
use bandwise_input::Source;
use bandwise_netsim::infiniband::host::Notify::{self, Event, Poll};
use bandwise_netsim::infiniband::host::{DeviceModel, IdleState};
use bandwise_rdma::verbs::Opcode;
use bandwise_rperf::Summary;
use bandwise_scenario::infiniband::InfinibandScenario;
use bandwise_units::{Bytes, Time};

type Case = case::Case<Study>;
type Reading = case::Reading<Outcome>;

const FDR: &str = include_str!("../../../../papers/isolation/fdr.toml");
const EDR: &str = include_str!("../../../../papers/isolation/edr.toml");

/// The scenario files, shown in the report.
pub(super) const SCENARIOS: &[(&str, &str)] = &[("fdr.toml", FDR), ("edr.toml", EDR)];

/// The verbs with the matrix's names, in its order.
const VERBS: [(&str, Opcode); 4] = [
    ("WRITE", Opcode::Write),
    ("READ", Opcode::Read),
    ("WIMM", Opcode::WriteImm),
    ("SEND", Opcode::Send),
];
const GB: u32 = 1_000_000_000;
pub(super) const MB: u32 = 1_000_000;
/// Elephants, the larger first. Sizes are decimal, as those of the mice must be (10 B, 100 B).
pub(super) const ELEPHANTS: [(&str, u32); 2] = [("1 GB", GB), ("1 MB", MB)];
/// Mice.
pub(super) const MICE: [(&str, u32); 3] = [("10 B", 10), ("100 B", 100), ("1 KB", 1_000)];

/// Idle states of the Xeon E5-2450, which CloudLab's other hosts with ConnectX-3 FDR have: target
/// residency and exit latency in us, from Linux (drivers/idle/intel_idle.c, snb_cstates).
const SANDY_BRIDGE: [(u64, u64); 4] = [(2, 2), (20, 10), (211, 80), (345, 104)];

/// Returns all runs.
pub(super) fn cases(options: &Options) -> Vec<Case> {
    let plan = Plan { quick: options.quick };
    let mut cases = plan.matrix();
    cases.extend(plan.polling());
    cases.extend(plan.waking());
    cases.extend(plan.mice("mice", hosts("fdr.toml", FDR)));
    cases.extend(plan.mice_and_elephants("mouse-elephant", &hosts("fdr.toml", FDR)));
    cases.extend(plan.newer_card());
    cases.extend(plan.stores());
    cases
}

struct Plan {
    quick: bool,
}

fn hosts(name: &str, text: &str) -> InfinibandScenario {
    InfinibandScenario::from_toml(&Source::new(name, text), bandwise_scenario::no_files)
        .expect("the paper's own scenarios are tested")
}

/// Returns the hosts without idle states whose exit latency is above `most`.
fn light_sleepers(hosts: InfinibandScenario, most: Time) -> InfinibandScenario {
    with_device(hosts, |device| device.idle_states.retain(|state| state.exit <= most))
}

/// Returns the hosts with a changed device model.
pub(super) fn with_device(
    hosts: InfinibandScenario,
    change: impl FnMut(&mut DeviceModel),
) -> InfinibandScenario {
    let changed = hosts.into_builder().change_models(|models| models.change_devices(change));
    changed.build().expect("a scenario without flows fits any device")
}

/// Returns the hosts with the idle states of [`SANDY_BRIDGE`].
fn sandy_bridge(hosts: InfinibandScenario) -> InfinibandScenario {
    let us = Time::from_us;
    let states = SANDY_BRIDGE.map(|(after, exit)| IdleState { after: us(after), exit: us(exit) });
    with_device(hosts, |device| device.idle_states = states.into())
}

fn reading(
    item: &'static str,
    case: &str,
    metric: &'static str,
    unit: &'static str,
    read: impl Fn(&Outcome) -> Option<f64> + Send + Sync + 'static,
) -> Reading {
    Reading { item, case: case.to_owned(), metric, unit, read: Box::new(read) }
}

/// Returns the reading of the first flow's bandwidth over the second's.
fn ratio(item: &'static str, case: &str) -> Reading {
    reading(item, case, "bandwidth ratio", "x", |o| match &o.flows[..] {
        [one, other, ..] => Some(one.rate.as_gbps_f64() / other.rate.as_gbps_f64()),
        _ => None,
    })
}

/// Returns the readings of latency and rate of the flow or store that `of` selects.
fn small(
    item: &'static str,
    case: &str,
    of: fn(&Outcome) -> Option<&Measured>,
    rate: &'static str,
) -> Vec<Reading> {
    let us = |metric, read: fn(&Summary) -> f64| {
        reading(item, case, metric, "us", move |o| Some(read(&of(o)?.latency?) / 1e3))
    };
    vec![
        us("latency p50", |s| s.p50_ns),
        us("latency p99", |s| s.p99_ns),
        us("latency p99.9", |s| s.p99_9_ns),
        reading(item, case, rate, "million/s", move |o| Some(of(o)?.per_second / 1e6)),
    ]
}

fn first(outcome: &Outcome) -> Option<&Measured> {
    outcome.flows.first()
}

impl Plan {
    fn case(&self, name: String, hosts: InfinibandScenario, flows: Vec<Flow>) -> Case {
        // The slides send 1 TB of each pair. Two flows of 1 GB take 300 ms to send a message each.
        let limit = Time::from_ms(if self.quick { 50 } else { 1_000 });
        Case { name, scenario: Study { hosts, flows, store: None, limit }, readings: Vec::new() }
    }

    /// Returns an elephant whose completions come by `notify`. The slides' 1 TB is too much to
    /// simulate.
    fn elephant(&self, bytes: u32, opcode: Opcode, notify: Notify) -> Flow {
        let messages = if bytes == GB { 1 } else { 100 };
        Flow { opcode, bytes, messages, notify, turned: false }
    }

    /// Returns a mouse. "All flows using WRITE operation with busy polling".
    fn mouse(&self, bytes: u32) -> Flow {
        let messages = if self.quick { 10_000 } else { 100_000 };
        Flow { opcode: Opcode::Write, bytes, messages, notify: Poll, turned: false }
    }

    /// Returns the matrix: each verb and size over each. "Both flows using event-triggered
    /// polling".
    fn matrix(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (i, &(row, one)) in VERBS.iter().enumerate() {
            for &(column, other) in &VERBS[i..] {
                for (large, a) in ELEPHANTS {
                    for (small, b) in
                        ELEPHANTS.into_iter().filter(|&(_, b)| row != column || b <= a)
                    {
                        let name = format!("{row} {large} over {column} {small}");
                        let flows =
                            vec![self.elephant(a, one, Event), self.elephant(b, other, Event)];
                        let mut case = self.case(name.clone(), hosts("fdr.toml", FDR), flows);
                        case.readings = vec![ratio("elephants", &name)];
                        cases.push(case);
                    }
                }
            }
        }
        cases
    }

    fn writes(&self, [a, b]: [u32; 2], [one, other]: [Notify; 2]) -> Vec<Flow> {
        vec![self.elephant(a, Opcode::Write, one), self.elephant(b, Opcode::Write, other)]
    }

    /// Returns pairs of elephants by their way of polling: bandwidth, and CPU time.
    fn polling(&self) -> Vec<Case> {
        let item = "polling";
        let mut cases = Vec::new();
        for (called, a) in ELEPHANTS {
            for one in [Event, Poll] {
                for other in [Event, Poll] {
                    let word = |notify| if notify == Event { "event" } else { "busy" };
                    let name = format!("{called} {} over 1 MB {}", word(one), word(other));
                    let flows = self.writes([a, MB], [one, other]);
                    let mut case = self.case(name.clone(), hosts("fdr.toml", FDR), flows);
                    case.readings.push(ratio(item, &name));
                    for (i, rate, cpu) in [
                        (0, "bandwidth, first", "CPU, first"),
                        (1, "bandwidth, second", "CPU, second"),
                    ] {
                        case.readings.push(reading(item, &name, rate, "Gbps", move |o| {
                            Some(o.flows.get(i)?.rate.as_gbps_f64())
                        }));
                        case.readings.push(reading(item, &name, cpu, "%", move |o| {
                            Some(100.0 * o.flows.get(i)?.cpu)
                        }));
                    }
                    cases.push(case);
                }
            }
        }
        cases
    }

    /// Returns the cases about the ratio of two sleeping elephants.
    fn waking(&self) -> Vec<Case> {
        let one = |name: &str, bytes: [u32; 2], hosts: InfinibandScenario| {
            let flows = self.writes(bytes, [Event, Event]);
            let mut case = self.case(format!("waking {name}"), hosts, flows);
            case.readings = vec![ratio("waking", name)];
            case
        };
        let fdr = || hosts("fdr.toml", FDR);
        let limited = |us: u64| {
            let name = format!("1 GB over 1 MB, states left in {us} us at most");
            one(&name, [GB, MB], light_sleepers(fdr(), Time::from_us(us)))
        };
        let mut apart = one("1 GB over 1 MB, not on the same link", [GB, MB], fdr());
        apart.scenario.flows[1].turned = true;
        vec![
            apart,
            one("1 GB over 1 MB", [GB, MB], fdr()),
            one("1 GB over 1 MB, no idle states", [GB, MB], light_sleepers(fdr(), Time::ZERO)),
            limited(10),
            limited(59),
            one("1 GB over 1 MB, Xeon E5-2450", [GB, MB], sandy_bridge(fdr())),
            one("1 GB over 900 KB", [GB, 900_000], fdr()),
            one("1 GB over 1 MiB", [GB, 1 << 20], fdr()),
            one("1 GB over 10 MB", [GB, 10 * MB], fdr()),
        ]
    }

    /// Returns the cases of a mouse of 10 B alone and beside other mice.
    fn mice(&self, item: &'static str, hosts: InfinibandScenario) -> Vec<Case> {
        let beside = MICE.map(|(called, bytes)| (format!("10 B beside {called}"), Some(bytes)));
        let alone = ("10 B alone".to_owned(), None);
        let one = |(name, other): (String, Option<u32>)| {
            let flows = [Some(10), other].into_iter().flatten().map(|bytes| self.mouse(bytes));
            let mut case = self.case(format!("{item} {name}"), hosts.clone(), flows.collect());
            case.readings = small(item, &name, first, "messages");
            if other.is_none() && item == "mice" {
                // The mouse alone is also the reference for mice beside elephants.
                case.readings.extend(small("mouse-elephant", &name, first, "messages"));
            }
            case
        };
        [alone].into_iter().chain(beside).map(one).collect()
    }

    /// Returns the cases of mice beside elephants. "Mouse flows using busy polling while background
    /// elephant flows using event-triggered polling".
    fn mice_and_elephants(&self, item: &'static str, hosts: &InfinibandScenario) -> Vec<Case> {
        let mut cases = Vec::new();
        for (mouse, bytes) in MICE {
            let elephants =
                ELEPHANTS.map(|(called, bytes)| (format!(" beside {called}"), Some(bytes)));
            // The item `mice` has the smallest mouse alone.
            let alone = (mouse != "10 B").then(|| (" alone".to_owned(), None));
            for (after, elephant) in alone.into_iter().chain(elephants) {
                let name = format!("{mouse}{after}");
                let elephant = elephant.map(|bytes| self.background(bytes));
                let flows = [Some(self.mouse(bytes)), elephant].into_iter().flatten().collect();
                let mut case = self.case(format!("{item} {name}"), hosts.clone(), flows);
                case.readings = small(item, &name, first, "messages");
                cases.push(case);
            }
        }
        cases
    }

    /// Returns an elephant that sends until the other flows are done.
    fn background(&self, bytes: u32) -> Flow {
        Flow { messages: u64::MAX, ..self.elephant(bytes, Opcode::Write, Event) }
    }

    /// Returns the same cases over a faster RNIC. "Hardware is Not Enough for Isolation".
    fn newer_card(&self) -> Vec<Case> {
        let edr = || hosts("edr.toml", EDR);
        let name = "WRITE 1 GB over WRITE 1 MB";
        let elephants = |name: String, hosts: InfinibandScenario| {
            let mut case =
                self.case(format!("edr {name}"), hosts, self.writes([GB, MB], [Event, Event]));
            case.readings = vec![ratio("edr", &name)];
            case
        };
        let mut cases = vec![
            elephants(name.to_owned(), edr()),
            elephants(format!("{name}, no idle states"), light_sleepers(edr(), Time::ZERO)),
        ];
        cases.extend(self.mice("edr", edr()));
        cases.extend(self.mice_and_elephants("edr", &edr()));
        cases.extend([8, 128].map(|kib| self.buffered(kib, edr())));
        cases
    }

    /// Returns a case of a mouse beside an elephant, whose RNIC prefetches `kib` KiB.
    fn buffered(&self, kib: u64, hosts: InfinibandScenario) -> Case {
        let hosts = with_device(hosts, |device| device.tx_buffer = Bytes::from_kib(kib));
        let name = format!("10 B beside 1 GB, {kib} KiB fetched ahead");
        let flows = vec![self.mouse(10), self.background(GB)];
        let mut case = self.case(format!("edr {name}"), hosts, flows);
        case.readings = small("edr", &name, first, "messages");
        case
    }

    /// Returns the cases of HERD alone and beside an elephant. The slides do not state the numbers
    /// of clients and workers.
    fn stores(&self) -> Vec<Case> {
        let requests = if self.quick { 5_000 } else { 50_000 };
        let store = Store { clients: 4, workers: 4, window: 4, put_every: 20, value: 32, requests };
        let one = |(name, elephant): (String, Option<u32>)| {
            let flows = elephant.map(|bytes| self.background(bytes)).into_iter().collect();
            let mut case = self.case(format!("kv {name}"), hosts("edr.toml", EDR), flows);
            case.scenario.store = Some(store);
            case.readings = small("kv", &name, |o| o.store.as_ref(), "requests");
            case
        };
        let elephants = ELEPHANTS.map(|(called, bytes)| (format!("beside {called}"), Some(bytes)));
        [("alone".to_owned(), None)].into_iter().chain(elephants).map(one).collect()
    }
}
