//! Steps from any configuration to any other.

use crate::common::{configs, layout};
use crate::kernel::{Kernel, State};
use bandwise_enforce::htb::{Change, Class, Dscp, Family, Marks, Root, changes};
use bandwise_enforce::tc::Reach;
use bandwise_saba::controller::PortConfig;
use bandwise_units::{BitRate, Bytes};
use proptest::prelude::*;

fn wanted(config: &PortConfig) -> Root {
    let layout = layout(BitRate::from_bps(200_000_000));
    Root::Saba(layout.tree(config, &Marks::local()).unwrap())
}

/// Has the kernel take steps, and reads what there is then.
fn go(kernel: &mut Kernel, steps: &[Change]) -> Root {
    kernel.visit(None, "h1", steps).unwrap_or_else(|trouble| panic!("{trouble:?}: {steps:#?}"))
}

/// Returns the class of packets with this first word.
fn class_of(state: &State, info: u32, word: u32) -> Option<u32> {
    let filters = state.filters.get(&info)?;
    filters.1.values().find(|(mask, value, _)| word & mask == *value).map(|filter| filter.2)
}

proptest! {
    /// The kernel accepts every step, the result is the wanted configuration, and no step is repeated.
    #[test]
    fn changes_reach_the_wanted_configuration(configs in prop::collection::vec(configs(), 1..5)) {
        let mut kernel = Kernel::default();
        let mut stands = go(&mut kernel, &[]);
        prop_assert_eq!(&stands, &Root::Kernel);
        for config in &configs {
            let wanted = wanted(config);
            stands = go(&mut kernel, &changes(&stands, &wanted));
            prop_assert!(stands.is(&wanted), "{stands:?} {wanted:?}");
            prop_assert_eq!(changes(&stands, &wanted), []);
        }
        let steps = changes(&stands, &Root::Kernel);
        prop_assert_eq!(go(&mut kernel, &steps), Root::Kernel);
    }

    /// From one configuration to another no class comes or goes, and packets with a mark that has a
    /// queue before and after have one in between: that of before or that of after.
    #[test]
    fn changes_keep_every_mark_in_a_queue(a in configs(), b in configs()) {
        let mut kernel = Kernel::default();
        let stands = go(&mut kernel, &changes(&Root::Kernel, &wanted(&a)));
        let before = kernel.0.borrow().state.clone();
        kernel.0.borrow_mut().states.clear();
        let steps = changes(&stands, &wanted(&b));
        let is_gentle = |step: &Change| !matches!(
            step, Change::AddRoot { .. } | Change::RemoveRoot | Change::AddClass(..) | Change::RemoveClass(_)
        );
        prop_assert!(steps.iter().all(is_gentle), "{steps:?}");
        go(&mut kernel, &steps);
        let inner = kernel.0.borrow();
        for between in &inner.states {
            // The mark with ECN in IPv4's first word of a packet of 40 bytes, and in IPv6's.
            let words = (1..64u32).flat_map(|dscp| {
                let byte = dscp << 2 | 1;
                [(V4, 0x4500_0028 | byte << 16), (V6, 0x6001_2345 | byte << 20)]
            });
            for (info, word) in words {
                let at = |state: &State| class_of(state, info, word);
                let now = at(between);
                prop_assert!(now == at(&before) || now == at(&inner.state));
                prop_assert!(now.is_none_or(|class| between.classes.contains_key(&class)));
            }
        }
    }
}

proptest! {
    /// After any number of the changes from one configuration to another, the class of each mark that both have is
    /// guaranteed at least the smaller of its rates before and after. So a write that ends early starves nobody.
    #[test]
    fn every_prefix_of_changes_keeps_each_mark_its_smaller_rate(a in configs(), b in configs()) {
        let mut kernel = Kernel::default();
        let stands = go(&mut kernel, &changes(&Root::Kernel, &wanted(&a)));
        let before = kernel.0.borrow().state.clone();
        kernel.0.borrow_mut().states.clear();
        go(&mut kernel, &changes(&stands, &wanted(&b)));
        let inner = kernel.0.borrow();
        let rate = |state: &State, dscp: u32| {
            let class = class_of(state, V4, 0x4500_0028 | dscp << 18)?;
            Some(state.classes[&class].1.rate)
        };
        for dscp in 1..64 {
            let (Some(from), Some(to)) = (rate(&before, dscp), rate(&inner.state, dscp)) else { continue };
            for between in &inner.states {
                prop_assert!(rate(between, dscp) >= Some(from.min(to)), "mark {dscp}: {from} to {to}");
            }
        }
    }

    /// All changes reach the kernel in one datagram, within which no signal ends the process.
    #[test]
    fn changes_are_one_datagram(a in configs(), b in configs()) {
        let mut kernel = Kernel::default();
        let stands = go(&mut kernel, &changes(&Root::Kernel, &wanted(&a)));
        prop_assert_eq!(kernel.0.borrow().batches, 1);
        let steps = changes(&stands, &wanted(&b));
        go(&mut kernel, &steps);
        prop_assert_eq!(kernel.0.borrow().batches, 1 + usize::from(!steps.is_empty()));
    }
}

/// Rank, and protocol in the order of the network.
const V4: u32 = 4 << 16 | 0x0800u16.to_be() as u32;
const V6: u32 = 6 << 16 | 0x86ddu16.to_be() as u32;

/// Foreign edits of Saba's tree are repaired in place if possible, else the tree is rebuilt.
#[test]
fn changes_repair_foreign_edits() {
    let config = crate::common::config(&[(0, 0), (1, 1)], &[3, 1]);
    let wanted = wanted(&config);
    let Root::Saba(whole) = &wanted else { unreachable!() };
    let (family, rate, burst) = (Family::V4, BitRate::from_bps(8_000), Bytes::new(9));
    let slow = Class { parent: Some(3), rate, ceil: rate, burst, cburst: burst, quantum: Some(1) };
    let dscp = |number| Dscp::try_from(number).unwrap();
    let remove = Change::RemoveFilter { family, table: 0x800, node: 3 };
    let foreign = [
        vec![Change::SetClass(0x10, slow.clone())],
        vec![remove.clone()],
        vec![Change::MoveFilter { family, table: 0x800, node: 7, dscp: dscp(7), class: 2 }],
        vec![Change::AddFilter { family, node: 9, dscp: dscp(8), class: 2 }],
        vec![Change::AddClass(0x99, slow)],
        // Its number, and another mark.
        vec![remove, Change::AddFilter { family, node: 3, dscp: dscp(8), class: 0x10 }],
    ];
    for hand in foreign {
        let mut kernel = Kernel::default();
        go(&mut kernel, &changes(&Root::Kernel, &wanted));
        let stands = go(&mut kernel, &hand);
        let steps = changes(&stands, &wanted);
        assert!(!steps.is_empty() && !steps.contains(&Change::RemoveRoot), "{hand:?}: {steps:?}");
        assert!(go(&mut kernel, &steps).is(&wanted), "{hand:?}");
    }
    let mut elsewhere = whole.clone();
    elsewhere.classes.get_mut(&0x10).unwrap().parent = Some(1);
    let mut other_default = whole.clone();
    other_default.default = 3;
    for other in [elsewhere, other_default] {
        let mut kernel = Kernel::default();
        let stands = go(&mut kernel, &changes(&Root::Kernel, &Root::Saba(other)));
        let steps = changes(&stands, &wanted);
        assert_eq!(steps[0], Change::RemoveRoot);
        assert!(go(&mut kernel, &steps).is(&wanted));
    }
}
