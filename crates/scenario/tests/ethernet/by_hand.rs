//! Completion times that are computed on paper.

use super::read;
use bandwise_netsim::engine::Sequential;
use bandwise_scenario::Stop;
use bandwise_scenario::ethernet::{Arrival, ArrivalError, FlowRecord, FlowWatch};
use bandwise_units::Time;
use bandwise_workload::Flow;

/// Three hosts at a switch, 40 Gbps and 2 us each.
const THREE: &str = "[fabric]\nbuild = { single-switch = 3 }\n\
                     link = { rate = \"40 Gbps\", delay = \"2 us\" }\n";

#[derive(Default)]
struct Records(Vec<FlowRecord>);

impl FlowWatch for Records {
    fn finished(&mut self, flow: &FlowRecord) {
        self.0.push(*flow);
    }
}

fn flow(us: u64, src: u32, dst: u32, bytes: u64) -> Arrival {
    Arrival::from(Flow { start: Time::from_us(us), src, dst, bytes })
}

/// A packet has 62 B around its payload, and 20 B of preamble and gap: at 40 Gbps, 1000 B take
/// 1082 x 0.2 = 216.4 ns, 500 B 116.4 ns and 64 B 29.2 ns. Each flow crosses two links of 2 us.
#[test]
fn flows_through_one_switch_match_hand_computed_times() {
    let flows = [
        // Two at once to one host: the second waits for the first, 216.4 ns.
        flow(0, 0, 2, 1000),
        flow(0, 1, 2, 1000),
        // Alone, a packet: 29.2 twice.
        flow(100, 0, 1, 64),
        // Alone, three packets: the last is behind two at the host, and behind one at the switch,
        // which is at 3 x 216.4 through with the second.
        flow(200, 0, 1, 2500),
    ];
    for transport in ["irn", "roce", "iwarp"] {
        let scenario = read(&format!("{THREE}[transport]\nkind = \"{transport}\"\n"));
        let mut records = Records::default();
        let results =
            scenario.run_with(&Sequential, flows.map(Ok::<_, ArrivalError>), &mut records).unwrap();
        assert_eq!((results.stop, results.started, results.finished), (Stop::Complete, 4, 4));
        let times = records.0.iter().map(|r| (r.number, r.completion_time.as_ps()));
        let expected = [(0, 4_432_800), (1, 4_649_200), (2, 4_058_400), (3, 4_765_600)];
        assert_eq!(times.collect::<Vec<_>>(), expected, "{transport}");
        let slowdowns: Vec<f64> = records.0.iter().map(FlowRecord::slowdown).collect();
        assert_eq!(slowdowns, [1.0, 4_649_200.0 / 4_432_800.0, 1.0, 1.0], "{transport}");
        let (_, all) = &results.groups[0];
        let sum: u64 = expected.iter().map(|(_, ps)| ps).sum();
        assert_eq!((all.flows, all.average), (4, Time::from_ps(sum / 4)));
        assert_eq!(all.percentiles[0], Time::from_ps(4_432_800));
        assert_eq!(all.percentiles[3], Time::from_ps(4_765_600));
        // Three flows of a single packet. The largest is at 90% and above.
        assert_eq!(results.groups[1].1.flows, 3);
        assert!(results.single_packet_tail.iter().all(|&(_, t)| t == Time::from_ps(4_649_200)));
    }
}

#[test]
fn incast_request_ends_with_its_last_flow() {
    let text = format!(
        "{THREE}[workload]\nincast = {{ senders = 2, bytes = \"2 kB\", receiver = 2, \
         requests = 2, every = \"1 ms\" }}\n"
    );
    let results = read(&text).run(&mut ());
    let requests = results.requests.unwrap();
    assert_eq!((requests.requests, requests.average), (2, Time::from_ps(4_649_200)));
    assert_eq!(requests.longest, Time::from_ps(4_649_200));
}
