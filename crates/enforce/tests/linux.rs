//! The same against Linux: a device that nobody else uses, in a namespace that `tests/lab/run.sh` made and
//! names in `BANDWISE_TEST_PORT=NAMESPACE/DEVICE`. Without that these tests do nothing.
#![allow(missing_docs)]

use bandwise_enforce::htb::{Layout, Marks};
use bandwise_enforce::tc::{LinuxTc, Program, Ran, Run, TcPort};
use bandwise_enforce::{Fault, Left, Plan, Switches, Wanted};
use bandwise_saba::Share;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_units::{BitRate, Bytes};
use std::num::NonZeroU8;
use std::time::{Duration, Instant};

const PORT: PortId = PortId(0);

/// Runs `tc`, with one more line after so many that change something.
struct Meddling {
    after: usize,
    line: String,
}

impl Run for Meddling {
    fn run(&mut self, namespace: Option<&str>, lines: &[&str]) -> std::io::Result<Ran> {
        let changes = lines.iter().filter(|line| !line.contains(" show ")).count();
        let mut lines = lines.to_vec();
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() && changes > self.after {
            lines.insert(self.after, &line);
        } else {
            self.line = line.clone();
        }
        Program.run(namespace, &lines)
    }
}

fn device() -> Option<(String, String)> {
    let port = std::env::var("BANDWISE_TEST_PORT").ok()?;
    let (namespace, device) = port.split_once('/').expect("NAMESPACE/DEVICE");
    Some((namespace.to_owned(), device.to_owned()))
}

fn switches<R: Run>(bps: u64, run: R) -> Option<LinuxTc<R>> {
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
    };
    Some(LinuxTc::new(vec![port], Marks::local(), run))
}

fn shared(table: &[(u16, u8)], weights: &[u8]) -> Wanted {
    let table = table.iter().map(|&(level, queue)| (PriorityLevel(level), queue)).collect();
    Wanted::Shared(PortConfig { table, weights: weights.to_vec() })
}

fn set<R: Run>(switches: &mut LinuxTc<R>, wanted: &Wanted) -> Result<bool, Fault> {
    let plan = switches.plan(PORT, wanted)?;
    Ok(switches.apply(&plan)?.is_written)
}

/// Tests of one device, one after another.
#[test]
fn on_linux() {
    if device().is_none() {
        return;
    }
    any_configuration_reads_back();
    nothing_is_half_written();
    somebody_elses_root_stays();
    a_change_takes();
}

/// From a kernel's root and from each other, on links of any rate: all of it reads back, and nothing is written
/// twice.
fn any_configuration_reads_back() {
    let levels = |n: u8| (0..n).map(|i| (u16::from(i) * 2, i % 8)).collect::<Vec<_>>();
    for bps in [1_234_567, 200_000_000, 9_876_543_210, 1_000_000_000_000] {
        let mut switches = switches(bps, Program).unwrap();
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
        }
        assert_eq!(set(&mut switches, &Wanted::AsFound), Ok(true));
        assert_eq!(switches.read_back(PORT), Ok(PortConfig::default()));
        assert!(switches.plan(PORT, &Wanted::AsFound).unwrap().is_empty());
    }
}

/// Whichever line the kernel refuses or somebody else's hand undoes: an error, and the port as before.
fn nothing_is_half_written() {
    let (_, device) = device().unwrap();
    let bad = format!("class change dev {device} parent 5aba:3 classid 5aba:77 htb rate 8bit");
    // As if somebody else were at it at the same time.
    let undone = format!(
        "class change dev {device} parent 5aba:3 classid 5aba:16 htb rate 16bit burst 9 cburst 9 quantum 9"
    );
    let (before, after) =
        (shared(&[(0, 0), (1, 1)], &[3, 1]), shared(&[(1, 0), (2, 1), (3, 2)], &[1, 5, 9]));
    let mut plain = switches(200_000_000, Program).unwrap();
    set(&mut plain, &before).unwrap();
    let steps = plain.plan(PORT, &after).unwrap().to_string().lines().count();
    assert!(steps > 5);
    for line in [&bad, &undone] {
        for at in 0..steps {
            let run = Meddling { after: at, line: line.clone() };
            let mut switches = switches(200_000_000, run).unwrap();
            match set(&mut switches, &after).unwrap_err() {
                Fault::Refused { said, left: Left::AsBefore, .. } => {
                    assert!(said.contains("No such file or directory (tc class change"), "{said}");
                }
                Fault::Differs { left: Left::AsBefore, .. } => assert_eq!(line, &undone),
                fault => panic!("{at}: {fault}"),
            }
            assert!(plain.plan(PORT, &before).unwrap().is_empty(), "{at}");
        }
    }
    // From the kernel's own root, which comes back.
    set(&mut plain, &Wanted::AsFound).unwrap();
    let mut switches = switches(200_000_000, Meddling { after: 5, line: bad }).unwrap();
    let fault = set(&mut switches, &after).unwrap_err();
    assert!(matches!(fault, Fault::Refused { left: Left::AsBefore, .. }), "{fault}");
    assert!(plain.plan(PORT, &Wanted::AsFound).unwrap().is_empty());
}

fn somebody_elses_root_stays() {
    let (namespace, device) = device().unwrap();
    let tc = |line: String| Program.run(Some(&namespace), &[&line]).unwrap();
    assert_eq!(tc(format!("qdisc add dev {device} root handle 7: pfifo limit 10")).refused, None);
    let mut switches = switches(200_000_000, Program).unwrap();
    for wanted in [shared(&[(0, 0)], &[1]), Wanted::AsFound] {
        let said = switches.plan(PORT, &wanted).unwrap_err().to_string();
        assert_eq!(said, "the port: qdisc pfifo 7: is there already, and is not Saba's to change");
    }
    assert!(tc(format!("qdisc show dev {device}")).shown.contains("pfifo 7:"));
    tc(format!("qdisc del dev {device} root"));
}

/// How long it takes from knowing what is wanted until it is read back: printed, and not judged here.
fn a_change_takes() {
    let mut switches = switches(200_000_000, Program).unwrap();
    set(&mut switches, &shared(&[], &[])).unwrap();
    let mut times: Vec<Duration> = (1..=100)
        .map(|i| {
            // As applications come and go: a queue more, or one less, and all weights new.
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
