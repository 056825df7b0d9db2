//! Tests against Linux on an unused device in a namespace, which `tests/lab/run.sh` creates and names in
//! `BANDWISE_TEST_PORT=NAMESPACE/DEVICE`. Without the variable the tests do nothing. The driver's netlink
//! configuration is compared with the output of `tc`.
#![allow(missing_docs)]

mod shown;
mod shown_tests;
mod tc;

use bandwise_enforce::htb::{Change, Class, Layout, Marks, Root};
use bandwise_enforce::tc::{LinuxTc, Namespaces, Reach, Reason, TcPort};
use bandwise_saba::Share;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_switches::{Fault, Left, Plan, Switches, Wanted};
use bandwise_units::{BitRate, Bytes};
use std::num::NonZeroU8;
use std::time::{Duration, Instant};

const PORT: PortId = PortId(0);

/// A foreign change of the port between two changes of a plan.
#[derive(Clone)]
enum Hand {
    /// Another change by Saba's own driver.
    Ours(Change),
    /// A `tc` line of another program.
    Tc(String),
}

/// Makes one foreign change of the port after so many changes of a plan.
struct Meddling {
    reach: Namespaces,
    after: usize,
    hand: Option<Hand>,
}

impl Reach for Meddling {
    fn visit(
        &mut self,
        namespace: Option<&str>,
        device: &str,
        changes: &[Change],
    ) -> Result<Root, Reason> {
        let hand = if changes.len() > self.after { self.hand.take() } else { None };
        let Some(hand) = hand else { return self.reach.visit(namespace, device, changes) };
        let (before, after) = changes.split_at(self.after);
        self.reach.visit(namespace, device, before)?;
        match hand {
            Hand::Ours(change) => drop(self.reach.visit(namespace, device, &[change])?),
            Hand::Tc(line) => drop(tc::run(namespace.unwrap(), &[line]).unwrap()),
        }
        self.reach.visit(namespace, device, after)
    }
}

fn device() -> Option<(String, String)> {
    let port = std::env::var("BANDWISE_TEST_PORT").ok()?;
    let (namespace, device) = port.split_once('/').expect("NAMESPACE/DEVICE");
    Some((namespace.to_owned(), device.to_owned()))
}

fn switches<R: Reach>(bps: u64, reach: R) -> Option<LinuxTc<R>> {
    let (namespace, device) = device()?;
    let (others, queues) = (Share::try_from(0.1).unwrap(), NonZeroU8::new(8).unwrap());
    let layout = Layout::new(BitRate::from_bps(bps), others, queues, Bytes::new(1514)).unwrap();
    let port = TcPort {
        name: "the port".into(),
        from: "a".into(),
        to: "b".into(),
        namespace: Some(namespace),
        device,
        layout,
        keeps_rate: false,
    };
    Some(LinuxTc::new(vec![port], Marks::local(), reach))
}

fn shared(table: &[(u16, u8)], weights: &[u8]) -> Wanted {
    let table = table.iter().map(|&(level, queue)| (PriorityLevel(level), queue)).collect();
    Wanted::Shared(PortConfig { table, weights: weights.to_vec() })
}

fn set<R: Reach>(switches: &mut LinuxTc<R>, wanted: &Wanted) -> Result<bool, Fault> {
    let plan = switches.plan(PORT, wanted)?;
    Ok(switches.apply(&plan)?.is_written)
}

/// Tests of one device, one after another.
#[test]
fn linux_device_is_configured() {
    if device().is_none() {
        return;
    }
    configurations_read_back();
    plan_lines_equal_netlink_changes();
    refused_step_leaves_the_port_unchanged();
    kernel_reasons_are_reported();
    foreign_root_qdisc_is_kept();
    a_change_takes();
}

/// On links of any rate each configuration reads back and is not written twice, from the kernel's root and from each
/// other.
fn configurations_read_back() {
    let levels = |n: u8| (0..n).map(|i| (u16::from(i) * 2, i % 8)).collect::<Vec<_>>();
    for bps in [1_234_567, 200_000_000, 9_876_543_210, 1_000_000_000_000] {
        let mut switches = switches(bps, Namespaces::default()).unwrap();
        for (table, weights) in [
            (levels(0), vec![]),
            (levels(3), vec![255, 128, 1]),
            (levels(8), vec![1, 2, 3, 50, 77, 100, 254, 255]),
            (levels(2), vec![7, 7]),
            (vec![(15, 0), (0, 0), (2, 1)], vec![3, 1]),
        ] {
            let wanted = shared(&table, &weights);
            assert_eq!(set(&mut switches, &wanted), Ok(true), "{bps} {table:?}");
            assert_eq!(set(&mut switches, &wanted), Ok(false), "{bps} {table:?}");
            let read = switches.read_back(PORT).unwrap();
            let Wanted::Shared(wanted) = wanted else { unreachable!() };
            assert_eq!(read.table, wanted.table);
            tc_shows_the_same();
        }
        assert_eq!(set(&mut switches, &Wanted::AsFound), Ok(true));
        assert_eq!(switches.read_back(PORT), Ok(PortConfig::default()));
        assert!(switches.plan(PORT, &Wanted::AsFound).unwrap().is_empty());
    }
}

/// Checks that `tc` shows the configuration that netlink reports.
fn tc_shows_the_same() {
    let (namespace, device) = device().unwrap();
    let ours = Namespaces::default().visit(Some(&namespace), &device, &[]).unwrap();
    let lines = shown::show(&device);
    let shown = shown::read(&tc::run(&namespace, &lines).unwrap()).unwrap();
    let (Root::Saba(ours), Root::Saba(shown)) = (&ours, &shown) else {
        return assert_eq!(ours, shown);
    };
    // `tc` prints bursts by whole microseconds or KiB.
    let near = |a: Bytes, b: Bytes| a.get().abs_diff(b.get()) <= b.get() / 50 + 1;
    for (number, class) in &ours.classes {
        let there = &shown.classes[number];
        assert!(
            near(class.burst, there.burst) && near(class.cburst, there.cburst),
            "{class:?} {there:?}"
        );
    }
    let plain = |tree: &bandwise_enforce::htb::Tree| {
        let mut tree = tree.clone();
        tree.classes
            .values_mut()
            .for_each(|c| (c.burst, c.cburst) = (Bytes::new(0), Bytes::new(0)));
        tree
    };
    assert_eq!(plain(ours), plain(shown));
}

/// The printed plan, run by `tc`, leaves nothing to change.
fn plan_lines_equal_netlink_changes() {
    let (namespace, _) = device().unwrap();
    let mut switches = switches(200_000_000, Namespaces::default()).unwrap();
    for wanted in [
        shared(&[(0, 0), (1, 1)], &[3, 1]),
        shared(&[(1, 0), (2, 1), (3, 2)], &[1, 5, 9]),
        shared(&[], &[]),
        Wanted::AsFound,
    ] {
        let lines = switches.plan(PORT, &wanted).unwrap().to_string();
        tc::run(&namespace, &[lines]).unwrap();
        let plan = switches.plan(PORT, &wanted).unwrap();
        assert!(plan.is_empty(), "{plan}");
    }
}

/// A line that the kernel refuses or another program undoes gives an error, and the port is as before.
fn refused_step_leaves_the_port_unchanged() {
    let (_, device) = device().unwrap();
    let bad = Hand::Ours(Change::SetClass(0x77, slow()));
    // A concurrent change by another program.
    let undone = Hand::Tc(format!(
        "class change dev {device} parent 5aba:3 classid 5aba:16 htb rate 16bit burst 9 cburst 9 quantum 9"
    ));
    let (before, after) =
        (shared(&[(0, 0), (1, 1)], &[3, 1]), shared(&[(1, 0), (2, 1), (3, 2)], &[1, 5, 9]));
    let mut plain = switches(200_000_000, Namespaces::default()).unwrap();
    set(&mut plain, &before).unwrap();
    let steps = plain.plan(PORT, &after).unwrap().to_string().lines().count();
    assert!(steps > 5);
    for hand in [&bad, &undone] {
        for at in 0..steps {
            let (reach, hand) = (Namespaces::default(), Some(hand.clone()));
            let is_ours = matches!(hand, Some(Hand::Ours(_)));
            let mut switches = switches(200_000_000, Meddling { reach, after: at, hand }).unwrap();
            match set(&mut switches, &after).unwrap_err() {
                Fault::Refused { reason, left: Left::AsBefore, .. } => {
                    let words = "No such file or directory (tc class change";
                    assert!(is_ours && reason.contains(words), "{reason}");
                }
                Fault::Differs { left: Left::AsBefore, .. } => assert!(!is_ours),
                fault => panic!("{at}: {fault}"),
            }
            assert!(plain.plan(PORT, &before).unwrap().is_empty(), "{at}");
        }
    }
    // From the kernel's own root, which is restored.
    set(&mut plain, &Wanted::AsFound).unwrap();
    let (reach, hand) = (Namespaces::default(), Some(bad));
    let mut switches = switches(200_000_000, Meddling { reach, after: 5, hand }).unwrap();
    let fault = set(&mut switches, &after).unwrap_err();
    assert!(matches!(fault, Fault::Refused { left: Left::AsBefore, .. }), "{fault}");
    assert!(plain.plan(PORT, &Wanted::AsFound).unwrap().is_empty());
}

fn slow() -> Class {
    let (rate, burst) = (BitRate::from_bps(8_000), Bytes::new(9));
    Class { parent: Some(3), rate, ceil: rate, burst, cburst: burst, quantum: Some(9) }
}

/// The kernel's text of an error is reported, with the line that it is about.
fn kernel_reasons_are_reported() {
    let (namespace, device) = device().unwrap();
    let mut plain = switches(200_000_000, Namespaces::default()).unwrap();
    set(&mut plain, &shared(&[(0, 0)], &[1])).unwrap();
    let hand = Some(Hand::Ours(Change::RemoveClass(0x10)));
    let reach = Meddling { reach: Namespaces::default(), after: 0, hand };
    let fault =
        set(&mut switches(200_000_000, reach).unwrap(), &shared(&[(1, 0)], &[1])).unwrap_err();
    assert_eq!(
        fault.to_string(),
        format!(
            "the port refused: HTB class in use (tc class del dev {device} classid 5aba:10); the former configuration is restored"
        )
    );
    let gone = Namespaces::default().visit(Some(&namespace), "none", &[]);
    assert_eq!(gone, Err(Reason("there is no device none".into())));
    set(&mut plain, &Wanted::AsFound).unwrap();
}

fn foreign_root_qdisc_is_kept() {
    let (namespace, device) = device().unwrap();
    let tc = |line: String| tc::run(&namespace, &[line]).unwrap();
    tc(format!("qdisc add dev {device} root handle 7: pfifo limit 10"));
    let mut switches = switches(200_000_000, Namespaces::default()).unwrap();
    for wanted in [shared(&[(0, 0)], &[1]), Wanted::AsFound] {
        let reason = switches.plan(PORT, &wanted).unwrap_err().to_string();
        assert_eq!(reason, "the port has a configuration of another program: qdisc pfifo 7:");
    }
    assert!(tc(format!("qdisc show dev {device}")).contains("pfifo 7:"));
    tc(format!("qdisc del dev {device} root"));
}

/// Prints the time from a known configuration to its reading back; it is not asserted.
fn a_change_takes() {
    let mut switches = switches(200_000_000, Namespaces::default()).unwrap();
    set(&mut switches, &shared(&[], &[])).unwrap();
    let mut times: Vec<Duration> = (1..=100)
        .map(|i| {
            // As applications start and end: one queue more or less, and new weights.
            let n = 3 + i % 2;
            let table: Vec<(u16, u8)> = (0..n).map(|q| (u16::from(q), q)).collect();
            let weights: Vec<u8> = (0..n).map(|q| 100 + i + q).collect();
            let begun = Instant::now();
            assert_eq!(set(&mut switches, &shared(&table, &weights)), Ok(true));
            begun.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "  100 changes of a port, each read, written and read back: median {:.2} ms, 90th {:.2} ms, longest {:.2} ms",
        times[49].as_secs_f64() * 1e3,
        times[89].as_secs_f64() * 1e3,
        times[99].as_secs_f64() * 1e3,
    );
    set(&mut switches, &Wanted::AsFound).unwrap();
}
