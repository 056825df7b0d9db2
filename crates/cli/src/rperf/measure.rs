//! The simulation of all runs of the settings.

use super::settings::Settings;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use crate::progress::Progress;
use bandwise_netsim::infiniband::Counters;
use bandwise_scenario::Stop;
use bandwise_scenario::infiniband::{Flow, FlowResult, Implausible, Method, Shortfall};
use bandwise_units::Time;
use std::collections::BTreeSet;

/// The results of all runs.
pub(super) struct Outcome {
    /// Tuples of the number of the run, the flow, and its result.
    pub(super) flows: Vec<(usize, Flow, FlowResult)>,
    /// What holds each flow below its bottleneck.
    pub(super) shortfalls: Vec<Option<Shortfall>>,
    /// The reason for the end of the last run; a run that is not complete is the last.
    pub(super) stop: Stop,
    pub(super) simulated: Time,
    pub(super) counters: Counters,
    /// Results that no fabric has.
    pub(super) implausible: Vec<Implausible>,
    /// Limits of the latencies, in sentences, each once.
    pub(super) limits: BTreeSet<String>,
}

pub(super) fn all(settings: &Settings, interrupt: &Interrupt) -> Result<Outcome, Failure> {
    let progress = Progress::begin(&format!("measuring on {}", settings.text.name));
    let total = |i: usize| (settings.runs[i].warmup() + settings.runs[i].duration()).as_ps();
    progress.steps((0..settings.runs.len()).map(total).sum());
    let mut outcome = Outcome {
        flows: Vec::new(),
        shortfalls: Vec::new(),
        stop: Stop::Complete,
        simulated: Time::ZERO,
        counters: Counters::default(),
        implausible: Vec::new(),
        limits: BTreeSet::new(),
    };
    for (i, scenario) in settings.runs.iter().enumerate() {
        let before: u64 = (0..i).map(total).sum();
        let results = scenario.run(|at| {
            progress.at(before + at.simulated.as_ps());
            interrupt.control()
        });
        outcome.simulated += results.simulated;
        outcome.counters.add(&results.counters);
        outcome.implausible.extend(scenario.implausible(&results));
        outcome.shortfalls.extend(scenario.shortfalls(&results));
        let limits = scenario.method_limits(&results);
        outcome.limits.extend(limits.iter().map(ToString::to_string));
        let flows = scenario.flows().iter().cloned().zip(results.flows);
        outcome.flows.extend(flows.map(|(flow, result)| (i, flow, result)));
        outcome.stop = results.stop;
        if outcome.stop != Stop::Complete {
            break;
        }
    }
    let took_s = progress.end().as_secs_f64();
    let hops = outcome.counters.packet_hops as f64 / took_s / 1e6;
    let simulated = outcome.simulated.as_s_f64() * 1e3;
    note(format_args!(
        "{simulated:.1} ms simulated in {took_s:.2} s, {hops:.1} million packet-hops/s"
    ));
    Ok(outcome)
}

/// Returns a method's name, the size of its messages and the number of wanted samples.
pub(super) fn describe(method: &Method) -> (&'static str, u32, Option<u64>) {
    match method {
        Method::RPerf(t) => ("rperf", t.bytes, Some(t.samples)),
        Method::PingPong(t) => ("ping-pong", t.bytes, Some(t.samples)),
        Method::PostPoll(t) => ("post-poll", t.bytes, Some(t.samples)),
        Method::ClosedLoop { traffic: t, .. } => ("closed-loop", t.bytes, Some(t.samples)),
        Method::Bulk(t) => ("bulk", t.bytes, None),
    }
}
