//! Fuzzes the reader of Ethernet scenarios: any bytes give a scenario that can be run, or a printable error, never a
//! panic. A small scenario runs for some microseconds with a capture: all captured headers can be read, and the
//! results equal those of a run without a capture.
#![no_main]

use bandwise_input::Source;
use bandwise_netsim::engine::Sequential;
use bandwise_netsim::ethernet::{CaptureFilter, CaptureRecord};
use bandwise_rdma::wire::Frame;
use bandwise_scenario::ethernet::{
    Arrival, ArrivalError, EthernetResults, EthernetScenario, FlowWatch, Wire, Workload,
};
use bandwise_scenario::{File, Progress};
use bandwise_topology::NodeId;
use bandwise_units::Time;
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;

/// Files that a scenario may name.
fn file(name: &str) -> Result<File, String> {
    let text = match name {
        "sizes.cdf" => "100 0\n1000 50\n100000 100\n",
        "rack.toml" => "[fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"10 Gbps\" }\n",
        _ => return Err("No such file or directory".into()),
    };
    Ok(File { name: name.into(), text: text.into() })
}

/// Inspects each packet, up to a limit.
struct Watcher<'a> {
    wire: Option<Wire<'a>>,
    chosen: CaptureFilter,
    frame: Vec<u8>,
    looks: u32,
}

impl FlowWatch for Watcher<'_> {
    fn captures(&self) -> Option<CaptureFilter> {
        self.wire.is_some().then(|| self.chosen.clone())
    }

    fn captured(&mut self, record: &CaptureRecord) -> ControlFlow<()> {
        if let Some(wire) = &mut self.wire {
            self.frame.clear();
            wire.frame(record, &mut self.frame);
            if let Err(error) = Frame::decode(&self.frame) {
                panic!("{error}: {record:?}");
            }
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, at: Progress) -> ControlFlow<()> {
        assert!((0.0..=1.0).contains(&at.part), "{at:?}");
        self.looks += 1;
        if self.looks < 20 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

fn run(scenario: &EthernetScenario, captures: bool) -> EthernetResults {
    let nodes = (0..scenario.fabric().nodes().len() as u32).map(NodeId);
    let ports = nodes.flat_map(|node| scenario.fabric().ports(node)).collect();
    let mut watcher = Watcher {
        wire: captures.then(|| Wire::new(scenario)).flatten(),
        chosen: CaptureFilter { ports, ..CaptureFilter::default() },
        frame: Vec::new(),
        looks: 0,
    };
    // The fuzzer has no files of flows.
    let own = matches!(scenario.workload(), Workload::Parts(_)).then(|| scenario.arrivals());
    let flows = own.into_iter().flatten().take(50).map(Ok::<Arrival, ArrivalError>);
    scenario.run_with(&Sequential, flows, &mut watcher).expect("no flow is an error")
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let scenario = match EthernetScenario::from_toml(&Source::new("fuzz", &text), file) {
        Ok(parsed) => parsed.scenario,
        Err(error) => {
            assert!(error.line() <= text.lines().count().max(1) + 1, "{error}");
            assert!(!error.message().is_empty());
            return;
        }
    };
    // Large ones would make the fuzzer slow, and are no different.
    if scenario.fabric().links().len() > 60 {
        return;
    }
    let limit = Time::from_us(20);
    let limit = scenario.limit().map_or(limit, |given| given.min(limit));
    let warmup = scenario.warmup().min(limit.saturating_sub(Time::from_ps(1)));
    let scenario = scenario.into_builder().limit(limit).warmup(warmup).build();
    let scenario = scenario.expect("a shorter run of a possible scenario is possible");
    assert_eq!(run(&scenario, true), run(&scenario, false), "{text}");
});
