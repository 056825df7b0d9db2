//! Steps from any configuration to any other.

use crate::common::{configs, layout};
use crate::kernel::{Kernel, State};
use bandwise_enforce::htb::{Change, Marks, Root, changes, read, show};
use bandwise_enforce::tc::Run;
use bandwise_saba::controller::PortConfig;
use bandwise_units::BitRate;
use proptest::prelude::*;

fn wanted(config: &PortConfig) -> Root {
    let layout = layout(BitRate::from_bps(200_000_000));
    Root::Saba(layout.tree(config, &Marks::local()).unwrap())
}

/// Has the kernel take steps, and reads what there is then.
fn go(kernel: &mut Kernel, steps: &[Change]) -> Root {
    let lines: Vec<String> = steps.iter().map(|step| step.line("h1")).collect();
    let show = show("h1");
    let batch: Vec<&str> = lines.iter().chain(&show).map(String::as_str).collect();
    let ran = kernel.run(None, &batch).unwrap();
    assert_eq!(ran.refused, None, "{batch:#?}");
    read(&ran.shown).unwrap()
}

/// Which class packets with a mark go to.
fn class_of(state: &State, protocol: &str, byte: u8) -> Option<u16> {
    let filters = state.filters.get(protocol)?;
    filters.1.values().find(|filter| filter.0 == byte).map(|filter| filter.1)
}

proptest! {
    /// The kernel takes every step, what reads back is what was wanted, and nothing is done twice.
    #[test]
    fn lead_there(configs in prop::collection::vec(configs(), 1..5)) {
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
    fn leave_no_gap(a in configs(), b in configs()) {
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
            for (protocol, byte) in ["ip", "ipv6"].into_iter().flat_map(|p| (1..64).map(move |d| (p, d << 2))) {
                let at = |state: &State| class_of(state, protocol, byte);
                let now = at(between);
                prop_assert!(now == at(&before) || now == at(&inner.state));
                prop_assert!(now.is_none_or(|class| between.classes.contains_key(&class)));
            }
        }
    }
}

/// Somebody else's hand in Saba's tree: what can be put right in place is, the rest is made anew.
#[test]
fn put_right_what_somebody_changed() {
    let config = crate::common::config(&[(0, 0), (1, 1)], &[3, 1]);
    let wanted = wanted(&config);
    let Root::Saba(whole) = &wanted else { unreachable!() };
    let foreign = [
        "class change dev h1 parent 5aba:3 classid 5aba:10 htb rate 8bit ceil 8bit burst 9b cburst 9b quantum 1",
        "filter del dev h1 parent 5aba: protocol ip prio 4 handle 800::3 u32",
        "filter change dev h1 parent 5aba: protocol ip prio 4 handle 800::7 u32 match ip dsfield 0x0c 0xfc classid 5aba:2",
        "filter add dev h1 parent 5aba: protocol ip prio 4 handle ::9 u32 match ip dsfield 0x20 0xfc classid 5aba:2",
        "class add dev h1 parent 5aba:3 classid 5aba:99 htb rate 8bit ceil 8bit burst 9b cburst 9b quantum 1",
        // Its number, and another mark.
        "filter del dev h1 parent 5aba: protocol ip prio 4 handle 800::3 u32;\
         filter add dev h1 parent 5aba: protocol ip prio 4 handle ::3 u32 match ip dsfield 0x20 0xfc classid 5aba:10",
    ];
    for line in foreign {
        let mut kernel = Kernel::default();
        go(&mut kernel, &changes(&Root::Kernel, &wanted));
        let lines: Vec<&str> = line.split(';').collect();
        assert_eq!(kernel.run(None, &lines).unwrap().refused, None);
        let stands = go(&mut kernel, &[]);
        let steps = changes(&stands, &wanted);
        assert!(!steps.is_empty() && !steps.contains(&Change::RemoveRoot), "{line}: {steps:?}");
        assert!(go(&mut kernel, &steps).is(&wanted), "{line}");
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
