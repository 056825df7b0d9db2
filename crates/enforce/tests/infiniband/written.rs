//! Written, read back, rolled back.

use crate::common::{config, configs, lanes};
use crate::fake::{Fake, H1, S1, TRICKS, Trick, Written};
use bandwise_enforce::infiniband::{Guid, Patience, PortAt};
use bandwise_enforce::umad::InfiniBand;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Fault, Left, Plan, Switches, Wanted};
use proptest::prelude::*;

fn port() -> PortId {
    PortAt { node: Guid(S1), port: 2 }.id()
}

fn fabric(fake: &Fake) -> InfiniBand<Fake> {
    InfiniBand::new(fake.clone(), lanes(), Patience::default())
}

fn set(fabric: &mut InfiniBand<Fake>, config: &PortConfig) -> Result<bool, Fault> {
    let plan = fabric.plan(port(), &Wanted::Shared(config.clone()))?;
    let applied = fabric.apply(&plan)?;
    assert_eq!(applied.is_written, !plan.is_empty());
    assert_eq!(applied.config, fabric.read_back(port())?);
    Ok(applied.is_written)
}

#[test]
fn unchanged_tables_are_not_rewritten() {
    let fake = Fake::new();
    let mut one = fabric(&fake);
    let wanted = config(&[(0, 0), (3, 1)], &[150, 50]);
    assert_eq!(set(&mut one, &wanted), Ok(true));
    assert_eq!(one.read_back(port()), Ok(config(&[(0, 0), (3, 1)], &[3, 1])));
    // A restarted instance does not rewrite them either, nor weights in lowest terms.
    let mut another = fabric(&fake);
    assert_eq!(set(&mut another, &config(&[(0, 0), (3, 1)], &[3, 1])), Ok(false));
    // New weights change one table only.
    let plan = one.plan(port(), &Wanted::Shared(config(&[(0, 0), (3, 1)], &[1, 2]))).unwrap();
    assert_eq!(
        plan.to_string(),
        "s1:2, low-priority entries 1: 1:99 2:33 3:1 4:1 0:0 0:0 0:0 0:0 -> 1:33 2:66 3:1 4:1 0:0 0:0 0:0 0:0\n"
    );
}

#[test]
fn original_tables_are_restored() {
    let fake = Fake::new();
    let mut fabric = fabric(&fake);
    let plan = fabric.plan(port(), &Wanted::Shared(config(&[(0, 0)], &[1]))).unwrap();
    let second = plan.to_string().lines().nth(1).map(str::to_owned).unwrap();
    assert!(second.starts_with("s1:2, lanes of service levels from port 1, 2, 3, 4: 0 0 0 "));
    set(&mut fabric, &config(&[(0, 0)], &[1])).unwrap();
    set(&mut fabric, &config(&[(0, 0), (1, 1)], &[1, 2])).unwrap();
    let found = fabric.found().clone();
    let plan = fabric.plan(port(), &Wanted::AsFound).unwrap();
    assert!(fabric.apply(&plan).unwrap().is_written);
    assert!(fake.0.borrow().written.values().all(|data| *data == [0; 64]));
    // A restarted instance restores them once it knows the original ones.
    set(&mut fabric, &config(&[(0, 0)], &[1])).unwrap();
    let mut again = self::fabric(&fake);
    assert!(again.plan(port(), &Wanted::AsFound).unwrap().is_empty());
    again.remember(port(), found[&port()].clone());
    let plan = again.plan(port(), &Wanted::AsFound).unwrap();
    again.apply(&plan).unwrap();
    assert!(fake.0.borrow().written.values().all(|data| *data == [0; 64]));
}

/// Entries that a sweep of the subnet manager overwrote are detected and restored.
#[test]
fn overwritten_tables_are_detected_and_restored() {
    let fake = Fake::new();
    let mut fabric = fabric(&fake);
    let wanted = config(&[(0, 0), (1, 1)], &[2, 1]);
    set(&mut fabric, &wanted).unwrap();
    let stood = fake.0.borrow().written.clone();
    let plan = fabric.plan(port(), &Wanted::Shared(config(&[(0, 0)], &[1]))).unwrap();
    for data in fake.0.borrow_mut().written.values_mut() {
        data.fill(0);
    }
    // An earlier plan is refused, and writes nothing.
    let fault = fabric.apply(&plan).unwrap_err();
    assert!(matches!(fault, Fault::Refused { left: Left::AsBefore, .. }), "{fault}");
    assert!(fake.0.borrow().written.values().all(|data| *data == [0; 64]));
    assert_eq!(set(&mut fabric, &wanted), Ok(true));
    assert_eq!(fake.0.borrow().written, stood);
}

#[test]
fn host_port_has_one_sl_to_vl_mapping() {
    let fake = Fake::new();
    let mut fabric = fabric(&fake);
    let own = PortAt { node: Guid(H1), port: 1 }.id();
    let wanted = Wanted::Shared(config(&[(0, 0)], &[1]));
    let plan = fabric.plan(own, &wanted).unwrap();
    assert_eq!(plan.to_string().lines().count(), 2);
    fabric.apply(&plan).unwrap();
    assert!(fake.0.borrow().written.keys().all(|(node, ..)| *node == H1));
}

/// Returns the attributes of nodes without those that are all zero, as unwritten ones are.
fn standing(fake: &Fake) -> Written {
    let mut written = fake.0.borrow().written.clone();
    written.retain(|_, data| *data != [0; 64]);
    written
}

proptest! {
    /// For any fate of any SMP the plan is applied, or the port is unchanged, or the change is reported.
    #[test]
    fn failed_datagram_leaves_the_port_unchanged_or_reported(
        a in configs(),
        b in configs(),
        at in 0usize..30,
        trick in prop::sample::select(TRICKS.as_slice()),
    ) {
        let fake = Fake::new();
        let mut fabric = fabric(&fake);
        set(&mut fabric, &a).unwrap();
        let before = standing(&fake);
        let plan = fabric.plan(port(), &Wanted::Shared(b.clone())).unwrap();
        fake.0.borrow_mut().trick = Some((at, trick));
        let applied = fabric.apply(&plan);
        let is_over = fake.0.borrow_mut().trick.take().is_none();
        match applied {
            Ok(applied) => {
                prop_assert!(!is_over || trick != Trick::Die);
                prop_assert_eq!(&applied.config, &fabric.read_back(port()).unwrap());
                prop_assert!(fabric.plan(port(), &Wanted::Shared(b)).unwrap().is_empty());
            }
            Err(Fault::Unreadable { .. } | Fault::NoSuchPort(_)) => {
                // Before anything was written.
                prop_assert_eq!(&standing(&fake), &before);
            }
            Err(Fault::Refused { left, .. } | Fault::Differs { left, .. }) => {
                prop_assert!(is_over);
                match left {
                    Left::AsBefore => prop_assert_eq!(&standing(&fake), &before),
                    // Only where the device is gone.
                    Left::Otherwise(why) => prop_assert!(trick == Trick::Die, "{why}"),
                }
            }
            Err(fault) => prop_assert!(false, "{fault}"),
        }
    }
}
