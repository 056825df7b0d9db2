//! Written, read back, rolled back.

use crate::common::{config, configs, port, switches};
use crate::kernel::{Kernel, Trick};
use bandwise_enforce::htb::Marks;
use bandwise_enforce::tc::{LinuxTc, TcPort};
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Fault, Left, Plan, Switches, Wanted};
use proptest::prelude::*;

const PORT: PortId = PortId(0);

fn set(switches: &mut LinuxTc<Kernel>, config: &PortConfig) -> Result<bool, Fault> {
    let plan = switches.plan(PORT, &Wanted::Shared(config.clone()))?;
    let is_empty = plan.is_empty();
    let applied = switches.apply(&plan)?;
    assert_eq!(applied.is_written, !is_empty);
    assert_eq!(applied.config, switches.read_back(PORT)?);
    Ok(applied.is_written)
}

#[test]
fn unchanged_configuration_is_not_rewritten() {
    let kernel = Kernel::default();
    let mut switches = switches(&kernel);
    assert_eq!(switches.read_back(PORT), Ok(PortConfig::default()));
    let wanted = config(&[(0, 0), (3, 1)], &[150, 50]);
    assert_eq!(set(&mut switches, &wanted), Ok(true));
    assert_eq!(switches.read_back(PORT), Ok(config(&[(0, 0), (3, 1)], &[3, 1])));
    let written = kernel.0.borrow().done.len();
    assert_eq!(set(&mut switches, &wanted), Ok(false));
    // A restarted instance does not rewrite it either, nor weights in lowest terms.
    let mut again = crate::common::switches(&kernel);
    assert_eq!(set(&mut again, &config(&[(0, 0), (3, 1)], &[3, 1])), Ok(false));
    assert_eq!(kernel.0.borrow().done.len(), written);
    // New weights change only the numbers of two classes.
    assert_eq!(set(&mut switches, &config(&[(0, 0), (3, 1)], &[1, 1])), Ok(true));
    let inner = kernel.0.borrow();
    assert_eq!(inner.done[written..], ["class", "class"]);
}

#[test]
fn original_configuration_is_restored() {
    let kernel = Kernel::default();
    let mut switches = switches(&kernel);
    set(&mut switches, &config(&[(0, 0)], &[1])).unwrap();
    let plan = switches.plan(PORT, &Wanted::AsFound).unwrap();
    assert!(switches.apply(&plan).unwrap().is_written);
    assert_eq!(kernel.0.borrow().state.root, None);
    assert!(switches.plan(PORT, &Wanted::AsFound).unwrap().is_empty());
}

/// A link that nothing else limits has its rate without weights, too.
#[test]
fn rate_limited_link_keeps_its_rate_without_weights() {
    let kernel = Kernel::default();
    let port = TcPort { keeps_rate: true, ..port() };
    let mut switches = LinuxTc::new(vec![port], Marks::local(), kernel.clone());
    set(&mut switches, &PortConfig::default()).unwrap();
    let classes = || kernel.0.borrow().state.classes.clone();
    let unshared = classes();
    set(&mut switches, &config(&[(0, 0)], &[1])).unwrap();
    assert_ne!(classes(), unshared);
    let plan = switches.plan(PORT, &Wanted::AsFound).unwrap();
    assert!(switches.apply(&plan).unwrap().is_written);
    assert_eq!(classes(), unshared);
    assert!(switches.plan(PORT, &Wanted::AsFound).unwrap().is_empty());
}

#[test]
fn foreign_qdisc_is_not_changed() {
    let kernel = Kernel::default();
    kernel.0.borrow_mut().state.root = Some(("htb".into(), 1 << 16, 0));
    let mut switches = switches(&kernel);
    for wanted in [Wanted::Shared(PortConfig::default()), Wanted::AsFound] {
        let fault = switches.plan(PORT, &wanted).unwrap_err();
        assert_eq!(
            fault,
            Fault::Taken { port: "switch to h1".into(), what: "qdisc htb 1:".into() }
        );
    }
    assert!(kernel.0.borrow().done.is_empty());
}

#[test]
fn outdated_plan_is_refused() {
    let kernel = Kernel::default();
    let (mut one, mut other) = (switches(&kernel), switches(&kernel));
    set(&mut one, &PortConfig::default()).unwrap();
    let late = one.plan(PORT, &Wanted::Shared(config(&[(0, 0)], &[1]))).unwrap();
    set(&mut other, &config(&[(0, 0), (1, 1)], &[1, 2])).unwrap();
    let fault = one.apply(&late).unwrap_err();
    assert!(matches!(fault, Fault::Refused { left: Left::AsBefore, .. }), "{fault}");
}

#[test]
fn ports_and_paths_are_found() {
    let link = |from: &str, to: &str| TcPort { from: from.into(), to: to.into(), ..port() };
    let ports =
        vec![link("h1", "s"), link("h2", "s"), link("s", "h1"), link("s", "h2"), link("h3", "s")];
    let mut switches = LinuxTc::new(ports, Marks::local(), Kernel::default());
    assert_eq!(switches.discover().unwrap().len(), 5);
    assert_eq!(switches.path("h1", "h2"), Ok(vec![PortId(0), PortId(3)]));
    assert!(matches!(switches.path("h1", "h3"), Err(Fault::NoPath { .. })));
    assert_eq!(switches.path("h1", "x"), Err(Fault::NoSuchHost("x".into())));
    assert_eq!(switches.read_back(PortId(5)), Err(Fault::NoSuchPort(PortId(5))));
}

proptest! {
    /// A step that the kernel refuses or forgets gives an error with its reason, and the port is unchanged.
    #[test]
    fn failed_step_leaves_the_port_unchanged(a in prop::option::of(configs()), b in configs(), at in 0usize..40, forgets: bool) {
        let kernel = Kernel::default();
        let mut switches = switches(&kernel);
        if let Some(a) = &a {
            set(&mut switches, a).unwrap();
        }
        let shown = || switches_shown(&kernel);
        let before = shown();
        let plan = switches.plan(PORT, &Wanted::Shared(b)).unwrap();
        let steps = plan.to_string().lines().count();
        let trick = if forgets { Trick::Forget(at) } else { Trick::Refuse(at) };
        kernel.0.borrow_mut().trick = trick;
        match switches.apply(&plan) {
            Ok(_) => prop_assert!(at >= steps),
            Err(Fault::Refused { reason, left: Left::AsBefore, .. }) => {
                prop_assert!(reason.contains(" (tc ") && shown() == before, "{reason}");
            }
            Err(Fault::Differs { left: Left::AsBefore, what, .. }) => {
                prop_assert!(forgets && what.contains("tc ") && shown() == before, "{what}");
            }
            Err(fault) => prop_assert!(false, "{fault}"),
        }
    }
}

/// The compared state: root, classes and marks. The kernel chooses the numbers of tables.
fn switches_shown(kernel: &Kernel) -> impl PartialEq + std::fmt::Debug {
    let state = kernel.0.borrow().state.clone();
    let marks: Vec<_> = state.filters.into_iter().map(|(info, of)| (info, of.1)).collect();
    (state.root, state.classes, marks)
}
