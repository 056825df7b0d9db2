//! Tables of a port for a configuration, and the entries that do not change.

use crate::common::{SLS, VLS, config, configs, lanes};
use bandwise_enforce::infiniband::{
    ArbitrationEntry, Lanes, NoLanes, Part, PortInfo, Tables, Unfit,
};
use bandwise_rdma::qos::{Sl, Vl, VlArbEntry, VlArbTable, VlArbiter};
use bandwise_saba::controller::PortConfig;
use bandwise_units::lowest_terms;
use proptest::prelude::*;

/// A port of a switch: 8 data lanes, an arbitration table of so many entries, packets of 2048 bytes.
fn port(entries: u8) -> PortInfo {
    PortInfo { mtu: 2048, lanes: 8, low: entries, high: entries, ..PortInfo::default() }
}

/// As OpenSM sets them where quality of service is on: VL0 has high priority, SL n goes to VL n.
fn opensm(entries: u8) -> Tables {
    let turn = |vl: u8, weight| ArbitrationEntry { vl, weight };
    let mapping = std::array::from_fn(|sl| sl as u8 % 8);
    let fill = |weight: fn(u8) -> u8| {
        (0..entries).map(|vl| turn(vl % 8, if vl < 8 { weight(vl) } else { 0 })).collect()
    };
    Tables {
        mappings: (1..=3).map(|input| (input, mapping)).collect(),
        low: fill(|vl| if vl == 0 { 0 } else { 4 }),
        high: fill(|vl| if vl == 0 { 4 } else { 0 }),
    }
}

fn shown(turns: &[ArbitrationEntry]) -> Vec<(u8, u8)> {
    turns.iter().map(|turn| (turn.vl, turn.weight)).collect()
}

#[test]
fn lane_tables_match_hand_computed_entries() {
    let (lanes, port, read) = (lanes(), port(8), opensm(8));
    assert_eq!(lanes.config(&read, &port).weights, [1, 1, 1, 1]);
    let config = config(&[(0, 0), (1, 1), (5, 1)], &[30, 10]);
    let tables = lanes.tables(&config, &read, &port).unwrap();
    // SL 1, 2 and 6 have VL 1, 2 and 2; Saba's other levels use the lane of SL 0; all others are unchanged.
    let mapping = [0, 1, 2, 0, 0, 0, 2, 0, 0, 1, 2, 3, 4, 5, 6, 7];
    assert!(tables.mappings.values().all(|m| *m == mapping));
    // Three packets of 33 units to one; VL3 and VL4 have the least; foreign entries keep their places.
    let low = [(0, 0), (1, 99), (2, 33), (3, 1), (4, 1), (5, 4), (6, 4), (7, 4)];
    assert_eq!(shown(&tables.low), low);
    assert_eq!(tables.high, read.high);
    assert_eq!(
        lanes.config(&tables, &port),
        crate::common::config(&[(0, 0), (1, 1), (5, 1)], &[3, 1])
    );
}

#[test]
fn sabas_lanes_have_no_high_priority_weight() {
    let mut read = opensm(8);
    read.high[2].weight = 100;
    let tables = lanes().tables(&config(&[(0, 0)], &[1]), &read, &port(8)).unwrap();
    assert_eq!(shown(&tables.high)[..3], [(0, 4), (1, 0), (2, 0)]);
}

#[test]
fn configurations_that_do_not_fit_are_refused() {
    let lanes = lanes();
    let five: Vec<(u16, u8)> = (0..5).map(|i| (u16::from(i), i)).collect();
    let unfit =
        |config, read: &Tables, port: &PortInfo| lanes.tables(&config, read, port).unwrap_err();
    let (port, read) = (port(8), opensm(8));
    assert_eq!(
        unfit(config(&five, &[1; 5]), &read, &port),
        Unfit::TooManyQueues { wanted: 5, there: 4 }
    );
    assert_eq!(unfit(config(&[(8, 0)], &[1]), &read, &port), Unfit::NoLevel(8));
    assert_eq!(
        unfit(config(&[(0, 0)], &[0]), &read, &port),
        Unfit::Weights { weights: 0, queues: 1 }
    );
    // Fewer lanes: OperationalVLs is 2, VL0 and VL1.
    let narrow = PortInfo { lanes: 2, ..port };
    assert_eq!(
        unfit(config(&[(0, 0), (1, 1)], &[1, 1]), &read, &narrow),
        Unfit::TooManyQueues { wanted: 2, there: 1 }
    );
    let single = PortInfo { lanes: 1, ..port };
    assert_eq!(unfit(config(&[], &[]), &read, &single), Unfit::NoLane(1));
    // A table of three entries for four lanes, and one full of foreign entries.
    let short = Tables { low: read.low[1..4].to_vec(), ..read.clone() };
    assert_eq!(unfit(config(&[], &[]), &short, &port), Unfit::Entries { lanes: 4, there: 3 });
    let mut full = read.clone();
    full.low.fill(ArbitrationEntry { vl: 6, weight: 9 });
    assert_eq!(unfit(config(&[], &[]), &full, &port), Unfit::Entries { lanes: 4, there: 0 });
    let mut shifted = read;
    shifted.mappings.get_mut(&2).unwrap()[0] = 3;
    assert_eq!(unfit(config(&[], &[]), &shifted, &port), Unfit::Default(3));
}

#[test]
fn lane_sets_are_validated() {
    let new = |sls: &[u8], vls: &[u8]| {
        let sls = sls.iter().map(|&sl| Sl::try_from(sl).unwrap()).collect();
        Lanes::new(sls, vls.iter().map(|&vl| Vl::try_from(vl).unwrap()).collect())
    };
    assert!(new(&[1, 15], &[14, 2]).is_ok());
    assert_eq!(new(&[], &[1]), Err(NoLanes::None("service level")));
    assert_eq!(new(&[1], &[1, 0]), Err(NoLanes::Zero("virtual lane")));
    assert_eq!(new(&[1, 2, 1], &[1]), Err(NoLanes::Twice("service level", 1)));
}

/// Bytes that each lane sends in so many packets while all have some to send.
fn sent(low: &[ArbitrationEntry], packets: usize) -> [u64; 16] {
    let entry = |turn: &ArbitrationEntry| VlArbEntry {
        vl: Vl::try_from(turn.vl).unwrap(),
        weight: turn.weight,
    };
    let low = low.iter().filter(|turn| VLS.contains(&turn.vl)).map(entry).collect();
    let table = VlArbTable { high: Vec::new(), low, high_limit: 0 };
    let mut arbiter = VlArbiter::new(&table).unwrap();
    let mut sent = [0; 16];
    for _ in 0..packets {
        let vl = arbiter.choose(0b11110).unwrap();
        // A WRITE of an MTU: IBTA 5.2.1.
        arbiter.sent(vl, 2048 + 42);
        sent[usize::from(vl)] += 1;
    }
    sent
}

fn found() -> impl Strategy<Value = Tables> {
    let turns = prop::collection::vec((0u8..16, any::<u8>()), 8);
    let turns = turns.prop_map(|turns| {
        turns.into_iter().map(|(vl, weight)| ArbitrationEntry { vl, weight }).collect::<Vec<_>>()
    });
    let mapping = prop::collection::vec(0u8..16, 16).prop_map(|m| <[u8; 16]>::try_from(m).unwrap());
    let mappings = prop::collection::btree_map(1u8..5, mapping, 1..4);
    (turns.clone(), turns, mappings).prop_map(|(low, high, mappings)| Tables {
        low,
        high,
        mappings,
    })
}

/// Checks that each lane that packets use has an arbitration entry after any number of the SMPs from one configuration
/// to another, and back.
fn writes_serve_each_used_lane(a: &PortConfig, b: &PortConfig, entries: u8) {
    let (lanes, port) = (lanes(), port(entries));
    let from = lanes.tables(a, &opensm(entries), &port).unwrap();
    let to = lanes.tables(b, &from, &port).unwrap();
    let forwards = to.differing(&from);
    let backwards: Vec<Part> = forwards.iter().rev().copied().collect();
    for (from, to, parts) in [(&from, &to, forwards), (&to, &from, backwards)] {
        let mut now = from.clone();
        for part in parts {
            now.decode(part, &to.encode(part));
            for (mapping, sl) in now.mappings.values().flat_map(|m| SLS.map(move |sl| (m, sl))) {
                let vl = mapping[usize::from(sl)];
                let serves = |turn: &ArbitrationEntry| turn.vl == vl && turn.weight > 0;
                let is_served = now.low.iter().chain(&now.high).any(serves);
                assert!(is_served, "VL {vl} after {part}: {:?}", shown(&now.low));
            }
        }
    }
}

/// Lanes of one entry beside lanes of many, whose rounds fill both halves of a table.
#[test]
fn first_half_of_a_table_serves_each_lane() {
    let queues: Vec<(u16, u8)> = (0..4).map(|i| (u16::from(i), i)).collect();
    let even = config(&queues, &[1; 4]);
    for heavy in 1..=255 {
        for weights in [[heavy, 255, 1, 1], [1, heavy, 255, 1], [255, 1, 1, heavy]] {
            writes_serve_each_used_lane(&even, &config(&queues, &weights), 64);
        }
    }
}

proptest! {
    /// With entries enough, the arbiter of the simulator gives each queue packets exactly by weight.
    #[test]
    fn simulated_arbiter_serves_queues_by_weight(weights in prop::collection::vec(1u8..20, 4)) {
        let queues: Vec<(u16, u8)> = (0..4).map(|i| (u16::from(i), i)).collect();
        let tables = lanes().tables(&config(&queues, &weights), &opensm(64), &port(64)).unwrap();
        let lowest = lowest_terms(&weights.iter().map(|&w| w.into()).collect::<Vec<_>>());
        let round: u32 = lowest.iter().sum();
        let sent = sent(&tables.low, 3 * round as usize);
        for (vl, weight) in VLS.zip(lowest) {
            prop_assert_eq!(sent[usize::from(vl)], 3 * u64::from(weight), "{:?}", shown(&tables.low));
        }
    }

    /// For any original tables the written ones read back as wanted and are stable, and foreign lanes are unchanged.
    #[test]
    fn foreign_lanes_are_unchanged(read in found(), config in configs()) {
        let (lanes, port) = (lanes(), port(8));
        let Ok(tables) = lanes.tables(&config, &read, &port) else { return Ok(()) };
        let lowest = lowest_terms(&config.weights.iter().map(|&w| w.into()).collect::<Vec<_>>());
        let back = lanes.config(&tables, &port);
        prop_assert_eq!(&back.table, &config.table);
        prop_assert_eq!(back.weights.iter().map(|&w| u32::from(w)).collect::<Vec<_>>(), lowest);
        prop_assert_eq!(lanes.tables(&config, &tables, &port), Ok(tables.clone()));
        prop_assert_eq!(lanes.tables(&back, &tables, &port), Ok(tables.clone()));
        let is_ours = |vl: u8| VLS.contains(&vl);
        for (before, after) in [(&read.low, &tables.low), (&read.high, &tables.high)] {
            for (before, after) in before.iter().zip(after) {
                prop_assert!(is_ours(before.vl) || before.weight == 0 || before == after);
            }
        }
        prop_assert!(tables.high.iter().all(|turn| !is_ours(turn.vl) || turn.weight == 0));
        for (input, before) in &read.mappings {
            let after = &tables.mappings[input];
            prop_assert_eq!((before[0], &before[9..]), (after[0], &after[9..]));
        }
        // Every lane of Saba has an arbitration entry.
        for vl in VLS {
            prop_assert!(tables.low.iter().any(|turn| turn.vl == vl && turn.weight > 0));
        }
    }

    /// After any number of the SMPs from one configuration to another, and back, no used lane is stopped.
    #[test]
    fn every_prefix_of_writes_serves_each_used_lane(a in configs(), b in configs(), entries in prop::sample::select(vec![8, 32, 40, 64])) {
        writes_serve_each_used_lane(&a, &b, entries);
    }

    /// Lanes of any tables give a configuration, as any bytes can be read.
    #[test]
    fn any_tables_give_a_configuration(read in found(), lanes_there in 0u8..16) {
        let config = lanes().config(&read, &PortInfo { lanes: lanes_there, ..port(8) });
        prop_assert_eq!(config.weights.len(), config.table.len());
    }
}
