//! Weights as rates and quanta; what no port can be.

use crate::common::{config, configs, layout};
use bandwise_enforce::htb::{
    DEFAULT, Dscp, LEAST, LINK, Layout, Marks, QUEUE, SABA, printable, quanta, rates,
};
use bandwise_saba::Share;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_units::{BitRate, Bytes, lowest_terms};
use proptest::prelude::*;
use std::num::NonZeroU8;

const MBPS: u64 = 1_000_000;

#[test]
fn tree_matches_hand_computed_rates() {
    let tree = layout(BitRate::from_bps(200 * MBPS))
        .tree(&config(&[(0, 0), (1, 1), (5, 1)], &[3, 1]), &Marks::local())
        .unwrap();
    let rate = |class: u16| tree.classes[&class].rate.as_bps();
    // A tenth is everyone else's, and 180 Mbit/s go 3 to 1.
    assert_eq!([LINK, DEFAULT, SABA].map(rate), [200 * MBPS, 20 * MBPS, 180 * MBPS]);
    assert_eq!([QUEUE, QUEUE + 1, QUEUE + 2].map(rate), [135 * MBPS, 45 * MBPS, 8_000]);
    let quantum = |class: u16| tree.classes[&class].quantum;
    assert_eq!([QUEUE, QUEUE + 1].map(quantum), [Some(4542), Some(1514)]);
    assert!(tree.classes.values().all(|class| class.ceil.as_bps() == 200 * MBPS));
    // Marks 3, 7 and 23 of both protocols.
    let to: Vec<(u16, u16)> = tree.filters.iter().map(|(key, f)| (key.1, f.class)).collect();
    assert_eq!(to, [(3, 0x10), (7, 0x11), (23, 0x11), (3, 0x10), (7, 0x11), (23, 0x11)]);
}

#[test]
fn invalid_layouts_are_refused() {
    let layout = layout(BitRate::from_gbps(10));
    let reason = |table: &[(u16, u8)], weights: &[u8]| {
        layout.tree(&config(table, weights), &Marks::local()).unwrap_err().to_string()
    };
    assert!(reason(&[(0, 0)], &[]).contains("0 weights for 1 queues"));
    assert!(reason(&[(0, 0)], &[0]).contains("a weight of 1 to 255"));
    assert!(reason(&[], &[1]).contains("1 weights for 0 queues"));
    assert!(reason(&[(16, 0)], &[1]).contains("level 16 carry no mark"));
    let nine: Vec<(u16, u8)> = (0..9).map(|i| (u16::from(i), i)).collect();
    assert!(reason(&nine, &[1; 9]).contains("9 queues are wanted, and the port has 8"));
    let make = |bps, others, queues, packet| {
        let (others, queues) = (Share::try_from(others).unwrap(), NonZeroU8::new(queues).unwrap());
        Layout::new(BitRate::from_bps(bps), others, queues, Bytes::new(packet))
            .map_err(|e| e.to_string())
    };
    assert!(make(MBPS, 0.5, 1, 1514).is_ok());
    assert!(make(999_999, 0.5, 1, 1514).unwrap_err().contains("1 Mbps"));
    assert!(make(MBPS, 1.0, 1, 1514).unwrap_err().contains("1% to 99%"));
    assert!(make(MBPS, 0.5, 65, 1514).unwrap_err().contains("1 to 64"));
    assert!(make(MBPS, 0.5, 1, 63).unwrap_err().contains("64 B"));
}

#[test]
fn marks_round_trip_and_are_in_pool_two() {
    assert!(Dscp::try_from(0).is_err() && Dscp::try_from(64).is_err());
    for marks in [Marks::local(), Marks::by_number()] {
        let levels = (0..64).map(PriorityLevel).filter(|&level| marks.of(level).is_some());
        for level in levels {
            assert_eq!(marks.level(marks.of(level).unwrap()), Some(level));
        }
    }
    // RFC 2474, section 6: the marks of pool 2 end in 11.
    let pool = (0..16).map(|l| Marks::local().of(PriorityLevel(l)).unwrap());
    assert!(pool.clone().all(|dscp| dscp.get() & 3 == 3) && pool.count() == 16);
}

proptest! {
    /// Rates are within a thousandth of the weights' shares, and their sum is within the link's rate.
    #[test]
    fn rates_are_by_weight(bps in 100 * MBPS..1_000_000 * MBPS, weights in prop::collection::vec(1u8.., 1..16)) {
        let rates = rates(BitRate::from_bps(bps), &weights);
        let sum: u64 = weights.iter().map(|&w| u64::from(w)).sum();
        prop_assert!(rates.iter().map(|rate| rate.as_bps()).sum::<u64>() <= bps);
        for (rate, &weight) in rates.iter().zip(&weights) {
            let exact = bps as f64 * f64::from(weight) / sum as f64;
            let rate = rate.as_bps() as f64;
            prop_assert!(rate <= exact && rate > exact * 0.999 - 8.0, "{rate} {exact}");
            prop_assert!(rate >= LEAST.as_bps() as f64);
        }
    }

    /// Exactly by weight, and a packet or more each.
    #[test]
    fn quanta_are_by_weight(weights in prop::collection::vec(1u8.., 1..16), packet in 64u64..70_000) {
        let quanta = quanta(&weights, Bytes::new(packet));
        let wide: Vec<u32> = weights.iter().map(|&w| w.into()).collect();
        prop_assert_eq!(lowest_terms(&quanta), lowest_terms(&wide));
        let least = u64::from(*quanta.iter().min().unwrap());
        prop_assert!((packet..packet + 256).contains(&least));
    }

    /// `tc` prints rates without rounding.
    #[test]
    fn rates_print_in_full(bps in 8u64..2_000_000 * MBPS) {
        let rate = printable(BitRate::from_bps(bps)).as_bps();
        prop_assert!(rate <= bps && bps - rate <= bps / 1000 + 7);
        prop_assert_eq!(printable(BitRate::from_bps(rate)).as_bps(), rate);
        // Bytes a second are whole, and three digits after the unit's thousand are enough.
        prop_assert_eq!(rate % 8, 0);
        let mut rest = rate;
        while rest >= 1_000_000 {
            prop_assert_eq!(rest % 1000, 0);
            rest /= 1000;
        }
    }

    /// A tree gives back its configuration, except for a common factor of the weights.
    #[test]
    fn tree_returns_its_configuration(config in configs()) {
        let tree = layout(BitRate::from_gbps(40)).tree(&config, &Marks::local()).unwrap();
        let read = tree.config(&Marks::local());
        let terms = |weights: &[u8]| {
            lowest_terms(&weights.iter().map(|&w| w.into()).collect::<Vec<u32>>())
        };
        prop_assert_eq!(terms(&read.weights), terms(&config.weights));
        prop_assert_eq!(read.table, config.table);
    }
}
