//! A device that sends less for a while.

use crate::common::{config, switches};
use crate::kernel::{Kernel, Trick};
use bandwise_enforce::htb::{Change, Root, is_throttle, throttle};
use bandwise_enforce::tc::{Reach, Throttled};
use bandwise_saba::controller::PortId;
use bandwise_switches::{Fault, Left, Switches, Wanted};
use bandwise_units::BitRate;

fn mbit(mbit: u64) -> BitRate {
    BitRate::from_bps(mbit * 1_000_000)
}

fn open(kernel: &Kernel) -> Result<(Throttled<Kernel>, bool), Fault> {
    Throttled::open("eth0", kernel.clone())
}

fn stands(kernel: &Kernel) -> Root {
    kernel.clone().visit(None, "eth0", &[]).unwrap()
}

#[test]
fn throttle_limits_the_device_and_restores_the_default_qdisc() {
    let kernel = Kernel::default();
    let (mut device, was_left) = open(&kernel).unwrap();
    assert!(!was_left);
    for rate in [100, 10, 1000] {
        device.limit(mbit(rate)).unwrap();
        let Root::Saba(tree) = stands(&kernel) else { panic!() };
        assert!(tree.is(&throttle(mbit(rate)).unwrap()) && tree.filters.is_empty());
        let (number, class) = tree.classes.first_key_value().unwrap();
        assert_eq!((*number, class.rate, class.ceil), (tree.default, mbit(rate), mbit(rate)));
    }
    // A new rate changes one class only, so no queued packet is lost.
    assert_eq!(kernel.0.borrow().done, ["qdisc", "class", "class", "class"]);
    device.restore().unwrap();
    assert_eq!(stands(&kernel), Root::Kernel);
    device.restore().unwrap();
    assert!(matches!(device.limit(BitRate::from_bps(999_999)), Err(Fault::Unfit { .. })));
    assert_eq!(kernel.0.borrow().done.len(), 5);
}

/// A throttle killed after any change is recognised by the next one, and a shared port is not taken for one.
#[test]
fn leftover_throttle_is_recognised_and_shared_port_is_kept() {
    let kernel = Kernel::default();
    let (mut device, _) = open(&kernel).unwrap();
    device.limit(mbit(10)).unwrap();
    let states = kernel.0.borrow().states.clone();
    assert_eq!(states.len(), 2);
    for state in states {
        let left = Kernel::default();
        left.0.borrow_mut().state = state;
        let (mut again, was_left) = open(&left).unwrap();
        assert!(was_left);
        again.restore().unwrap();
        assert_eq!(stands(&left), Root::Kernel);
    }
    let shared = Kernel::default();
    let mut port = switches(&shared);
    let plan = port.plan(PortId(0), &Wanted::Shared(config(&[(0, 0)], &[1]))).unwrap();
    port.apply(&plan).unwrap();
    let states = shared.0.borrow().states.clone();
    for state in states {
        let found = Kernel::default();
        found.0.borrow_mut().state = state.clone();
        let Root::Saba(tree) = stands(&found) else { panic!() };
        assert!(!is_throttle(&tree));
        assert!(matches!(open(&found), Err(Fault::Taken { .. })));
        assert_eq!(found.0.borrow().state, state);
    }
    // A configuration written after the open is not overwritten either.
    let (mut device, _) = open(&kernel).unwrap();
    kernel.0.borrow_mut().state = shared.0.borrow().state.clone();
    assert!(matches!(device.limit(mbit(10)), Err(Fault::Taken { .. })));
    assert!(matches!(device.restore(), Err(Fault::Taken { .. })));
}

#[test]
fn foreign_qdisc_is_kept_and_refused_throttle_is_undone() {
    let kernel = Kernel::default();
    kernel.0.borrow_mut().state.root = Some(("fq".into(), 0x8001_0000, 0));
    let Err(Fault::Taken { what, .. }) = open(&kernel) else { panic!() };
    assert_eq!(what, "qdisc fq 8001:");
    for trick in [Trick::Refuse(0), Trick::Refuse(1), Trick::Forget(1)] {
        let kernel = Kernel::default();
        let (mut device, _) = open(&kernel).unwrap();
        kernel.0.borrow_mut().trick = trick;
        match device.limit(mbit(10)) {
            Err(Fault::Refused { left: Left::AsBefore, .. }) => {}
            Err(Fault::Differs { left: Left::AsBefore, .. }) => {}
            other => panic!("{trick:?}: {other:?}"),
        }
        assert_eq!(stands(&kernel), Root::Kernel);
    }
}

/// A controller that shares the port rebuilds its tree.
#[test]
fn controller_replaces_a_leftover_throttle() {
    let kernel = Kernel::default();
    open(&kernel).unwrap().0.limit(mbit(10)).unwrap();
    let mut port = switches(&kernel);
    let plan = port.plan(PortId(0), &Wanted::Shared(config(&[(0, 0)], &[1]))).unwrap();
    assert!(plan.to_string().starts_with(&Change::RemoveRoot.line("h1")), "{plan}");
    port.apply(&plan).unwrap();
    let Root::Saba(tree) = stands(&kernel) else { panic!() };
    assert!(!is_throttle(&tree));
}
