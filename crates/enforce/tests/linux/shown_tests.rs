//! Recorded outputs of `tc`.

use crate::shown::read;
use bandwise_enforce::htb::{Family, Root};
use bandwise_units::BitRate;

const SHOWN: &str = "\
qdisc htb 5aba: root refcnt 3 r2q 10 default 0x2 direct_packets_stat 0 ver 3.17 direct_qlen 100
class htb 5aba:11 parent 5aba:3 prio 0 quantum 3000 rate 8Kbit ceil 200Mbit linklayer ethernet burst 24Kb/1 mpu 0b cburst 24550b/1 mpu 0b level 0 
class htb 5aba:3 root rate 149999Kbit ceil 200Mbit linklayer ethernet burst 24550b/1 mpu 0b cburst 24550b/1 mpu 0b level 7 
class htb 7:1 root rate 200Mbit ceil 200Mbit burst 1600b cburst 1600b
filter parent 5aba: protocol ip pref 4 u32 chain 0 
filter parent 5aba: protocol ip pref 4 u32 chain 0 fh 800: ht divisor 1 
filter parent 5aba: protocol ip pref 4 u32 chain 0 fh 800::3 order 3 key ht 800 bkt 0 *flowid 5aba:11 not_in_hw 
  match 00200000/00fc0000 at 0
filter parent 5aba: protocol ipv6 pref 6 u32 chain 0 
filter parent 5aba: protocol ipv6 pref 6 u32 chain 0 fh 801: ht divisor 1 
filter parent 5aba: protocol ipv6 pref 6 u32 chain 0 fh 801::3 order 3 key ht 801 bkt 0 flowid 5aba:11 
  match 02000000/0fc00000 at 0
filter parent 5aba: protocol ip pref 9 u32 chain 0 fh 802::1 order 1 key ht 802 bkt 0 flowid 5aba:11 
  match 00200000/00fc0000 at 0
";

#[test]
fn classes_and_filters_are_read_from_tc_output() {
    let Root::Saba(tree) = read(SHOWN).unwrap() else { panic!() };
    assert_eq!((tree.default, tree.classes.len(), tree.filters.len()), (2, 2, 2));
    let (queue, saba) = (&tree.classes[&0x11], &tree.classes[&3]);
    assert_eq!((queue.parent, queue.quantum, queue.burst.get()), (Some(3), Some(3000), 24 << 10));
    assert_eq!((saba.parent, saba.rate), (None, BitRate::from_bps(149_999_000)));
    for (family, table) in [(Family::V4, 0x800), (Family::V6, 0x801)] {
        let filter = tree.filters[&(family, 3)];
        assert_eq!((filter.dscp.map(|dscp| dscp.get()), filter.class), (Some(8), 0x11));
        assert_eq!(tree.tables[&family], table);
    }
    // A foreign mask is no Saba mark.
    let Root::Saba(tree) = read(&SHOWN.replace("00fc0000", "00ff0000")).unwrap() else { panic!() };
    assert_eq!(tree.filters[&(Family::V4, 3)].dscp, None);
}

#[test]
fn root_qdisc_owner_is_recognised() {
    assert_eq!(read("qdisc noqueue 0: root refcnt 2 \n"), Ok(Root::Kernel));
    // As network cards with several queues have it.
    let several = "qdisc pfifo_fast 0: parent :1 bands 3\nqdisc mq 0: root \n";
    assert_eq!(read(several), Ok(Root::Kernel));
    let other = |text: &str| matches!(read(text), Ok(Root::Other(_)));
    assert!(other("qdisc htb 1: root refcnt 3 r2q 10 default 0x2\n"));
    assert!(other("qdisc pfifo 5aba: root refcnt 3 limit 10p\n"));
}

#[test]
fn invalid_tc_output_is_an_error() {
    assert!(read("").is_err());
    for (from, to) in [
        ("default 0x2", ""),
        ("rate 8Kbit", "rate 8Kbps"),
        ("burst 24Kb/1", "burst many"),
        ("ceil 200Mbit", ""),
        ("fh 800::3", "fh 800:2:3"),
        ("rate 8Kbit", "rate 99999999999999Tbit"),
    ] {
        let text = SHOWN.replacen(from, to, 1);
        assert!(text != SHOWN && read(&text).is_err(), "{to}");
    }
}
