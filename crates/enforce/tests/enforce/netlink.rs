//! Messages of netlink: what we write another library reads as the same, what it writes we read; and nothing that
//! comes makes us fall.

use crate::common::{configs, layout};
use crate::kernel::{DEVICE, Kernel};
use crate::messages::{
    Htb, acknowledged, done, filter_options, kind, object, other_options, part, read, selector,
};
use bandwise_enforce::htb::netlink::{Answer, NoAnswer, Object, Request, classes, filters, root};
use bandwise_enforce::htb::{
    Change, Class, Dscp, Family, HANDLE, Marks, Root, Tree, changes, printable,
};
use bandwise_enforce::tc::Reach;
use bandwise_units::{BitRate, Bytes};
use netlink_packet_route::RouteNetlinkMessage as Route;
use netlink_packet_route::tc::TcMessage;
use proptest::prelude::*;

const OURS: u32 = 0x5aba_0000;

fn families() -> impl Strategy<Value = Family> {
    prop::sample::select(Family::ALL.to_vec())
}

fn encoded(change: &Change) -> (u16, Route) {
    let bytes = Request::change(DEVICE, change).encode(41);
    let (header, message) = read(&bytes);
    assert_eq!(header.sequence_number, 41);
    (header.flags, message)
}

fn objects(datagrams: &[Vec<u8>]) -> Result<Vec<Object>, NoAnswer> {
    let mut answer = Answer::new(1);
    for (at, datagram) in datagrams.iter().enumerate() {
        assert_eq!(answer.take(datagram)?, at + 1 == datagrams.len());
    }
    Ok(answer.into_objects())
}

fn decoded(messages: Vec<Route>) -> Vec<Object> {
    let mut datagrams: Vec<Vec<u8>> = messages.into_iter().map(|of| part(1, of)).collect();
    datagrams.push(done(1));
    objects(&datagrams).unwrap()
}

proptest! {
    /// Any class, at any rate, is written and read as the same; bursts to a tick.
    #[test]
    fn classes_round_trip(
        bps in 8_000u64..=1_000_000_000_000,
        bursts in (1u64..1 << 31, 1u64..1 << 31),
        quantum in 1u32..,
        number in 1u16..=0xff,
        parent in prop::option::of(1u16..=0xff),
    ) {
        let rate = printable(BitRate::from_bps(bps));
        let bytes = |at: u64| {
            // At most the longest time that the kernel can represent.
            Bytes::new(at.min(rate.as_bps() * 30))
        };
        let class = Class {
            parent, rate, ceil: rate, burst: bytes(bursts.0), cburst: bytes(bursts.1), quantum: Some(quantum),
        };
        let (flags, message) = encoded(&Change::AddClass(number, class.clone()));
        let Route::NewTrafficClass(written) = &message else { panic!("{message:?}") };
        // NLM_F_REQUEST, ACK, EXCL and CREATE.
        prop_assert_eq!(flags, 0x605);
        let htb = Htb::of(written);
        let ticks = |bytes: Bytes| bytes.get() as f64 * 8.0 / rate.as_bps() as f64 / 64e-9;
        prop_assert_eq!((htb.rate, htb.quantum), (rate.as_bps() / 8, quantum));
        prop_assert!((f64::from(htb.burst) - ticks(class.burst)).abs() <= 0.5001);
        // As the kernel reports it.
        let head = (written.header.handle.into(), parent.map_or(u32::MAX, |of| OURS | u32::from(of)), 0);
        let mut tree = Tree::default();
        let reply = object(head, "htb", other_options(htb.options(0)));
        classes(&mut tree, &decoded(vec![Route::NewTrafficClass(reply)])).unwrap();
        let back = tree.classes.remove(&number).unwrap();
        let near = |a: Bytes, b: Bytes| a.get().abs_diff(b.get()) as f64 <= 1.0 + rate.as_bps() as f64 * 64e-9 / 8.0;
        prop_assert!(near(back.burst, class.burst) && near(back.cburst, class.cburst));
        let (_, again) = encoded(&Change::AddClass(number, back.clone()));
        prop_assert_eq!(again, message.clone());
        prop_assert_eq!(Class { burst: class.burst, cburst: class.cburst, ..back }, class);
    }

    /// Any filter is written and read as the same.
    #[test]
    fn filters_round_trip(family in families(), dscp in 1u16..64, node in 1u16..0xfff, table in 0u16..0xfff, class in 1u16..=0xff) {
        let dscp = Dscp::try_from(dscp).unwrap();
        let (flags, message) = encoded(&Change::MoveFilter { family, table, node, dscp, class });
        let Route::NewTrafficFilter(written) = message else { panic!("{message:?}") };
        // NLM_F_REQUEST and ACK.
        prop_assert_eq!((flags, kind(&written)), (5, Some("u32")));
        let of = selector(&written);
        prop_assert_eq!(of.2, OURS | u32::from(class));
        let head = (u32::from(written.header.handle), OURS, written.header.info);
        prop_assert_eq!(head.0, u32::from(table) << 20 | u32::from(node));
        let mut tree = Tree::default();
        let reply = object(head, "u32", filter_options(of));
        filters(&mut tree, &decoded(vec![Route::NewTrafficFilter(reply)])).unwrap();
        let there = tree.filters[&(family, node)];
        prop_assert_eq!((there.dscp, there.class, tree.tables[&family]), (Some(dscp), class, table));
    }

    /// Random bytes give an answer, an error or an incomplete answer, and never a panic.
    #[test]
    fn any_bytes_are_decoded_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), number: u32) {
        let mut answer = Answer::new(number);
        let _ = answer.take(&bytes);
    }

    /// The same for real answers of the kernel with changed bytes and a truncated end, including the readers of
    /// classes and filters.
    #[test]
    fn damaged_answers_are_decoded_without_panic(
        config in configs(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut: bool,
    ) {
        let tree = layout(BitRate::from_bps(200_000_000)).tree(&config, &Marks::local()).unwrap();
        let mut kernel = Kernel::default();
        kernel.visit(None, "h1", &changes(&Root::Kernel, &Root::Saba(tree))).unwrap();
        for (number, mut bytes) in kernel.everything() {
            if is_cut && !bytes.is_empty() {
                bytes.truncate(cut.index(bytes.len()));
            }
            let length = bytes.len();
            for (at, byte) in damage.iter().filter(|_| length > 0) {
                bytes[at.index(length)] ^= byte;
            }
            let mut answer = Answer::new(number);
            let _ = answer.take(&bytes);
            let objects = answer.into_objects();
            let mut tree = Tree::default();
            let _ = (root(DEVICE, &objects), classes(&mut tree, &objects), filters(&mut tree, &objects));
            // A class that was read can be written.
            for (&at, class) in &tree.classes {
                Request::change(DEVICE, &Change::SetClass(at, class.clone())).encode(1);
            }
        }
    }
}

fn qdisc(handle: u32, parent: u32, kind: &str, device: i32) -> TcMessage {
    let glob = [3, 10, 2, 0, 0u32].map(u32::to_ne_bytes).concat();
    let options =
        if kind == "htb" { other_options([&[24, 0, 2, 0][..], &glob].concat()) } else { vec![] };
    let mut message = object((handle, parent, 2), kind, options);
    message.header.index = device;
    message
}

#[test]
fn root_qdisc_owner_is_recognised() {
    let read = |qdiscs: &[TcMessage]| {
        root(7, &decoded(qdiscs.iter().cloned().map(Route::NewQueueDiscipline).collect()))
    };
    let top = u32::MAX;
    assert_eq!(read(&[qdisc(0, top, "noqueue", 7)]), Ok(Root::Kernel));
    // As network cards with several queues have it.
    assert_eq!(read(&[qdisc(0, 1, "pfifo_fast", 7), qdisc(0, top, "mq", 7)]), Ok(Root::Kernel));
    let other = |kind: &str, handle| read(&[qdisc(handle, top, kind, 7)]).unwrap();
    assert_eq!(other("htb", 1 << 16), Root::Other("qdisc htb 1:".into()));
    assert_eq!(other("pfifo", OURS), Root::Other("qdisc pfifo 5aba:".into()));
    let Root::Saba(tree) = other("htb", u32::from(HANDLE) << 16) else { panic!() };
    assert_eq!(tree, Tree { default: 2, ..Tree::default() });
    // A device that is down is not listed, and entries of other devices are ignored.
    let down = read(&[qdisc(0, top, "noqueue", 8)]).unwrap_err();
    assert!(down.to_string().contains("the device may be down"), "{down}");
}

#[test]
fn foreign_classes_and_filters_are_ignored() {
    let mut tree = Tree::default();
    let htb = Htb { rate: 1000, ceil: 1000, burst: 9, cburst: 9, quantum: 1 };
    let class =
        |handle, kind: &str| object((handle, u32::MAX, 0), kind, other_options(htb.options(0)));
    // Classes of another root, of another kind, and beyond Saba's numbers.
    let others = [class(7 << 16 | 1, "htb"), class(OURS | 1, "hfsc"), class(OURS | 0x100, "htb")];
    classes(&mut tree, &decoded(others.map(Route::NewTrafficClass).to_vec())).unwrap();
    let ipv4 = 4 << 16 | u32::from(0x0800u16.to_be());
    let filter =
        |handle, info, kind: &str, of| object((handle, OURS, info), kind, filter_options(of));
    let (mark, to) = ((0x00fc_0000, 0x0020_0000), OURS | 0x11);
    let at = 0x8000_0003;
    let others = [
        filter(at, 9 << 16 | (ipv4 & 0xffff), "u32", (mark.0, mark.1, to)),
        object((1, OURS, ipv4), "flower", vec![]),
    ];
    filters(&mut tree, &decoded(others.map(Route::NewTrafficFilter).to_vec())).unwrap();
    assert_eq!(tree, Tree::default());
    // A foreign mask is no Saba mark, and a class of another root is none of this tree's.
    let others = [
        filter(at, ipv4, "u32", (0x00ff_0000, 0x0020_0000, to)),
        filter(at + 1, ipv4, "u32", (mark.0, mark.1, 7 << 16 | 0x11)),
    ];
    filters(&mut tree, &decoded(others.map(Route::NewTrafficFilter).to_vec())).unwrap();
    let of = |node| tree.filters[&(Family::V4, node)];
    assert_eq!((of(3).dscp, of(3).class), (None, 0x11));
    assert_eq!((of(4).dscp.map(Dscp::get), of(4).class), (Some(8), 0));
    // A filter number with bucket bits.
    let bucket = filter(at | 1 << 12, ipv4, "u32", (mark.0, mark.1, to));
    assert!(filters(&mut tree, &decoded(vec![Route::NewTrafficFilter(bucket)])).is_err());
}

#[test]
fn kernel_errors_are_decoded() {
    let reason = |number, words: &str| {
        objects(&[acknowledged(1, Some((number, words)))]).unwrap_err().to_string()
    };
    assert_eq!(reason(16, "HTB class in use"), "HTB class in use");
    assert_eq!(reason(2, ""), "No such file or directory");
    assert_eq!(objects(&[acknowledged(1, None)]), Ok(vec![]));
    // To another request.
    let mut answer = Answer::new(2);
    assert_eq!(answer.take(&acknowledged(1, Some((16, "")))), Ok(false));
    // A dump interrupted by a concurrent change: NLM_F_DUMP_INTR.
    let mut torn = part(1, Route::NewQueueDiscipline(qdisc(0, u32::MAX, "mq", 7)));
    torn[6] |= 16;
    assert_eq!(objects(&[torn, done(1)]), Err(NoAnswer::Torn));
}
