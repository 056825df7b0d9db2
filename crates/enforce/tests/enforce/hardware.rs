//! Ports of a switch that forwards in hardware, on a model of its device: bands of ETS that the hardware takes or not, and
//! priorities by DSCP. The model follows `sch_ets.c`, `dcbnl.c` and mlxsw of Linux; no switch was at hand.

use crate::common::{config, port, switches};
use crate::kernel::{DEVICE, Kernel};
use crate::messages::{
    acknowledged, attribute, done, kind, nested, object, other_options, part, read,
};
use bandwise_enforce::ets::{Bands, MOST};
use bandwise_enforce::htb::{Change, Dscp, Layout, Marks, Root};
use bandwise_enforce::tc::{Kernel as Asked, LinuxTc, Reach, Reason, Throttled, Wire};
use bandwise_saba::Share;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_switches::{Fault, Left, Plan, Switches, Wanted};
use bandwise_units::{BitRate, Bytes};
use netlink_packet_core::{NlasIterator, Parseable};
use netlink_packet_route::RouteNetlinkMessage as Route;
use netlink_packet_route::link::{LinkAttribute, LinkMessage, LinkPhysId};
use netlink_packet_route::tc::TcAttribute;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::num::NonZeroU8;
use std::rc::Rc;

const PORT: PortId = PortId(0);
const OURS: u32 = 0x5aba_0000;
const UNSUPPORTED: i32 = 95;
/// NLA_F_NESTED.
const NESTED: u16 = 1 << 15;

#[derive(Debug, Default)]
struct Device {
    /// Kind, handle and options of the root; none is the kernel's own.
    root: Option<(String, u32, Vec<u8>)>,
    /// True if the driver has ETS.
    takes_bands: bool,
    /// The priorities of DSCPs; none without DCB.
    priorities: Option<BTreeMap<u16, u8>>,
    writes: usize,
    answers: VecDeque<Vec<u8>>,
}

#[derive(Debug, Clone)]
struct Switch(Rc<RefCell<Device>>);

impl Reach for Switch {
    fn visit(&mut self, _: Option<&str>, device: &str, changes: &[Change]) -> Result<Root, Reason> {
        Asked::new(self.clone()).visit(device, changes)
    }
}

impl Wire for Switch {
    fn device(&mut self, _: &str) -> io::Result<u32> {
        Ok(DEVICE)
    }

    fn send(&mut self, datagram: &[u8]) -> io::Result<()> {
        let mut device = self.0.borrow_mut();
        let mut rest = datagram;
        while !rest.is_empty() {
            let length = u32::from_ne_bytes(*rest.first_chunk().unwrap()) as usize;
            device.handle(&rest[..length]);
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
        Ok(())
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        self.0.borrow_mut().answers.pop_front().ok_or(io::ErrorKind::TimedOut.into())
    }
}

impl Device {
    fn handle(&mut self, message: &[u8]) {
        let number = u32::from_ne_bytes(*message[8..].first_chunk().unwrap());
        // RTM_GETDCB, which the library lacks.
        if message[4..6] == 78u16.to_ne_bytes() {
            assert_eq!(message[16..20], [0, 21, 0, 0]);
            assert_eq!(message[20..], attribute(1, b"h1\0"));
            match self.dcb(number) {
                None => self.answers.push_back(acknowledged(number, Some((UNSUPPORTED, "")))),
                Some(answer) => self.answers.extend([answer, acknowledged(number, None)]),
            }
            return;
        }
        match read(message).1 {
            Route::GetLink(_) => {
                let mut link = LinkMessage::default();
                link.header.index = DEVICE;
                let id = LinkPhysId::parse(&[0x7c, 0xfe, 0x90, 0x0a][..]).unwrap();
                link.attributes = vec![LinkAttribute::PhysSwitchId(id)];
                let answer = part(number, Route::NewLink(link));
                self.answers.extend([answer, acknowledged(number, None)]);
            }
            Route::GetQueueDiscipline(_) => {
                let own = || ("mq".to_owned(), 0, Vec::new());
                let (kind, handle, options) = self.root.clone().unwrap_or_else(own);
                let mut root = object((handle, u32::MAX, 2), &kind, other_options(options));
                let is_taken = kind == "ets" && self.takes_bands;
                root.attributes.push(TcAttribute::HwOffload(is_taken.into()));
                let answer = part(number, Route::NewQueueDiscipline(root));
                self.answers.extend([answer, done(number)]);
            }
            Route::NewQueueDiscipline(of) => {
                self.writes += 1;
                assert_eq!((of.header.handle.into(), kind(&of)), (OURS, Some("ets")));
                // The kernel changes no kind in place.
                assert!(self.root.as_ref().is_none_or(|root| root.0 == "ets"));
                let [count, quanta, bands] = [1, 3, 5].map(|at| nested(&of, at).unwrap());
                assert_eq!(usize::from(count[0]), NlasIterator::new(&quanta[..]).count());
                let of_priority =
                    NlasIterator::new(&bands[..]).map(|band| band.unwrap().value()[0]);
                let of_priority: Vec<u8> = of_priority.collect();
                assert!(of_priority.len() == 16 && of_priority.iter().all(|band| *band < count[0]));
                let (quanta, bands) =
                    (attribute(NESTED | 3, &quanta), attribute(NESTED | 5, &bands));
                let options = [attribute(1, &count), attribute(2, &[0]), quanta, bands].concat();
                self.root = Some(("ets".into(), OURS, options));
                self.answers.push_back(acknowledged(number, None));
            }
            Route::DelQueueDiscipline(_) => {
                self.writes += 1;
                self.root = None;
                self.answers.push_back(acknowledged(number, None));
            }
            other => panic!("{other:?}"),
        }
    }

    /// Returns the answer to IEEE_GET, with entries of two selectors.
    fn dcb(&self, number: u32) -> Option<Vec<u8>> {
        let entry = |selector: u8, priority: u8, id: u16| {
            attribute(1, &[&[selector, priority][..], &id.to_ne_bytes()].concat())
        };
        let of_dscp = self.priorities.as_ref()?.iter();
        let of_dscp = of_dscp.map(|(&dscp, &priority)| entry(5, priority, dscp));
        let table: Vec<u8> = of_dscp.chain([entry(1, 6, 0x8915)]).flatten().collect();
        let ieee = attribute(13, &attribute(3, &table));
        let body = [&[0, 21, 0, 0][..], &attribute(1, b"h1\0"), &ieee].concat();
        let length = (16 + body.len() as u32).to_ne_bytes();
        let kind = [78u16.to_ne_bytes(), [0; 2]].concat();
        Some([&length[..], &kind, &number.to_ne_bytes(), &[0; 4], &body].concat())
    }
}

/// The priorities that Saba's first seven marks need.
fn mapped() -> BTreeMap<u16, u8> {
    (0..7u8).map(|level| (u16::from(4 * level + 3), level + 1)).collect()
}

fn device(takes_bands: bool, priorities: Option<BTreeMap<u16, u8>>) -> (Switch, LinuxTc<Switch>) {
    let device = Device { takes_bands, priorities, ..Device::default() };
    let switch = Switch(Rc::new(RefCell::new(device)));
    (switch.clone(), LinuxTc::new(vec![port()], Marks::local(), switch))
}

fn why(fault: Fault) -> String {
    let Fault::Unfit { port, why } = fault else { panic!("{fault}") };
    assert_eq!(port, "switch to h1");
    why
}

#[test]
fn bands_that_the_hardware_takes_are_read_back_and_removed() {
    let (switch, mut ports) = device(true, Some(mapped()));
    assert_eq!(ports.discover().unwrap()[0].queues.get(), 7);
    assert!(ports.has_hardware() && !switches(&Kernel::default()).has_hardware());
    let marks = Marks::local().of_first(MOST);
    assert_eq!(
        (marks.of(PriorityLevel(6)).map(Dscp::get), marks.of(PriorityLevel(7))),
        (Some(27), None)
    );
    assert_eq!(ports.read_back(PORT), Ok(PortConfig::default()));
    let wanted = config(&[(0, 0), (3, 1)], &[150, 50]);
    let plan = ports.plan(PORT, &Wanted::Shared(wanted.clone())).unwrap();
    // Others have a tenth of all, four ninths of a unit to four units, and at least a packet.
    assert_eq!(
        plan.to_string(),
        "qdisc replace dev h1 root handle 5aba: ets bands 3 quanta 1514 10221 3407 \
         priomap 0 1 0 0 2 0 0 0 0 0 0 0 0 0 0 0\n"
    );
    let applied = ports.apply(&plan).unwrap();
    let stands = config(&[(0, 0), (3, 1)], &[3, 1]);
    assert_eq!((applied.is_written, &applied.config), (true, &stands));
    assert_eq!(ports.read_back(PORT), Ok(stands));
    assert!(ports.plan(PORT, &Wanted::Shared(wanted)).unwrap().is_empty());
    let plan = ports.plan(PORT, &Wanted::AsFound).unwrap();
    assert!(ports.apply(&plan).unwrap().is_written);
    assert!(ports.plan(PORT, &Wanted::AsFound).unwrap().is_empty());
    assert_eq!((switch.0.borrow().root.clone(), switch.0.borrow().writes), (None, 2));
}

/// The kernel accepts bands that its driver does not: they have no effect, and are not called settled.
#[test]
fn bands_that_the_hardware_does_not_take_are_a_fault() {
    let (switch, mut ports) = device(false, Some(mapped()));
    let shared = Wanted::Shared(config(&[(0, 0)], &[1]));
    let plan = ports.plan(PORT, &shared).unwrap();
    let fault = ports.apply(&plan).unwrap_err();
    let Fault::Differs { what, left: Left::AsBefore, .. } = &fault else { panic!("{fault}") };
    assert!(what.contains("the hardware has not taken it"), "{what}");
    assert_eq!(switch.0.borrow().root, None);
    // The hardware drops bands that it had.
    switch.0.borrow_mut().takes_bands = true;
    ports.apply(&plan).unwrap();
    switch.0.borrow_mut().takes_bands = false;
    assert!(why(ports.read_back(PORT).unwrap_err()).contains("has not taken"));
    assert!(!ports.plan(PORT, &shared).unwrap().is_empty());
}

#[test]
fn switches_without_priorities_are_refused_in_words() {
    let shared = Wanted::Shared(config(&[(0, 0)], &[1]));
    let mut partly = mapped();
    partly.insert(7, 5);
    partly.remove(&27);
    for (priorities, words) in [
        (None, "its driver offers no ETS with priorities by DSCP (DCB): Operation not supported"),
        (Some(partly), "dcb app replace dev h1 dscp-prio 7:2 27:7"),
    ] {
        let (switch, mut ports) = device(true, priorities);
        let faults = [
            ports.discover().unwrap_err(),
            ports.plan(PORT, &shared).unwrap_err(),
            ports.read_back(PORT).unwrap_err(),
        ];
        for fault in faults {
            let why = why(fault);
            assert!(why.starts_with("h1 is a port of switch 7cfe900a, which forwards"), "{why}");
            assert!(why.contains(words), "{why}");
        }
        assert_eq!(switch.0.borrow().writes, 0);
    }
    let (_, mut ports) = device(true, Some(mapped()));
    let fault = ports.plan(PORT, &Wanted::Shared(config(&[(7, 0)], &[1]))).unwrap_err();
    assert!(why(fault).contains("priority level 7 has no priority of the switch"));
}

/// Settings of an earlier version are replaced or removed, and those of other programs stay.
#[test]
fn other_roots_of_a_switch_port_are_recognised() {
    let (switch, mut ports) = device(true, Some(mapped()));
    let glob = [3, 10, 2, 0, 0u32].map(u32::to_ne_bytes).concat();
    let htb = || Some(("htb".to_owned(), OURS, attribute(2, &glob)));
    switch.0.borrow_mut().root = htb();
    assert_eq!(ports.read_back(PORT), Ok(PortConfig::default()));
    let plan = ports.plan(PORT, &Wanted::Shared(config(&[(0, 0)], &[1]))).unwrap();
    assert!(ports.apply(&plan).unwrap().is_written);
    switch.0.borrow_mut().root = htb();
    let plan = ports.plan(PORT, &Wanted::AsFound).unwrap();
    assert_eq!(plan.to_string(), "qdisc del dev h1 root handle 5aba:\n");
    ports.apply(&plan).unwrap();
    switch.0.borrow_mut().root = Some(("prio".into(), 1 << 16, vec![]));
    let fault = ports.plan(PORT, &Wanted::AsFound).unwrap_err();
    assert!(matches!(&fault, Fault::Taken { what, .. } if what == "qdisc prio 1:"), "{fault}");
}

/// A limit of everything that a device sends would have no effect either.
#[test]
fn switch_port_is_not_throttled() {
    let (switch, _) = device(true, Some(mapped()));
    let fault = Throttled::open("h1", switch.clone()).map(|_| ()).unwrap_err();
    assert!(matches!(&fault, Fault::Unfit { why, .. } if why.contains("no effect")), "{fault}");
    assert_eq!(switch.0.borrow().writes, 0);
}

proptest! {
    /// Queues share the port by weight, and others have their share, to a hundredth of it.
    #[test]
    fn quanta_keep_weights_and_the_share_of_others(
        weights in prop::collection::vec(1u8.., 1..8),
        percent in 1u8..=99,
        packet in prop::sample::select(vec![64u64, 1514, 65_536, 512 << 10]),
    ) {
        let others = Share::try_from(f64::from(percent) / 100.0).unwrap();
        let queues = NonZeroU8::new(8).unwrap();
        let layout = Layout::new(BitRate::from_gbps(25), others, queues, Bytes::new(packet)).unwrap();
        let table: Vec<(u16, u8)> = (0..weights.len() as u8).map(|i| (u16::from(i), i)).collect();
        let bands = Bands::new(&layout, &config(&table, &weights)).unwrap();
        let all: f64 = bands.quanta.iter().map(|&quantum| f64::from(quantum)).sum();
        let share = f64::from(bands.quanta[0]) / all;
        prop_assert!((share / others.get() - 1.0).abs() < 0.01, "{bands:?}");
        for (at, &weight) in weights.iter().enumerate() {
            prop_assert_eq!(
                u64::from(bands.quanta[1 + at]) * u64::from(weights[0]),
                u64::from(bands.quanta[1]) * u64::from(weight)
            );
        }
    }
}
