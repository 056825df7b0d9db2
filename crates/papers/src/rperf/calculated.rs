//! Numbers that the paper calculates, and our calculations of the same: sizes of packets, rates of
//! messages, the wait of equation 2.

use super::link::{LINK, LINK_GBPS};
use crate::{Finding, Options};
use bandwise_rdma::wire::{self, PacketKind, Segment};

/// Item of the calculations in section VI-A.
pub(super) const TEXT: &str = "text-VI-A";
/// Item of equation 2.
pub(super) const EQUATION: &str = "eq2";
/// Input buffer of a switch's port, section VIII-B.
const BUFFER_BYTES: f64 = 32.0 * 1024.0;
const SMALL_BYTES: u32 = 64;

/// Returns the calculated numbers of the selected items.
pub(super) fn calculated(options: &Options) -> Vec<Finding> {
    let is_wanted = |f: &Finding| options.item.as_ref().is_none_or(|item| *item == f.item);
    [small_packets(), vec![equation_2()]].concat().into_iter().filter(is_wanted).collect()
}

fn finding(item: &str, case: &str, metric: &str, unit: &str, value: f64) -> Finding {
    let [item, case, metric, unit] = [item, case, metric, unit].map(str::to_owned);
    Finding { item, case, metric, unit, runs: vec![value] }
}

/// Returns the numbers of the packet of a 64 B WRITE, which the bulk senders post, and the rates of
/// messages that fill the link.
fn small_packets() -> Vec<Finding> {
    let packet = wire::packet_bytes(PacketKind::Write, Segment::only(SMALL_BYTES));
    let share = 100.0 * f64::from(SMALL_BYTES) / f64::from(packet);
    let per_second = |bps: f64, bytes: u32| bps / 8.0 / f64::from(bytes) / 1e6;
    let (nominal, data) = (LINK_GBPS * 1e9, LINK.as_bps() as f64);
    let on_the_wire = packet + wire::FRAMING;
    let messages = |case: &str, millions| finding(TEXT, case, "64 B messages", "M/s", millions);
    vec![
        finding(TEXT, "64 B WRITE", "headers", "B", f64::from(packet - SMALL_BYTES)),
        finding(TEXT, "64 B WRITE", "payload share", "%", share),
        messages("payload alone: 56 Gbps", per_second(nominal, SMALL_BYTES)),
        messages("with headers: 54.5 Gbps", per_second(data, on_the_wire)),
    ]
}

/// Returns the time in which the link sends a full input buffer: equation 2 for one sender.
fn equation_2() -> Finding {
    let us = BUFFER_BYTES * 8.0 / (LINK_GBPS * 1e9) * 1e6;
    finding(EQUATION, "a full input buffer on the wire: calculated", "wait", "us", us)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A WRITE has LRH 8, BTH 12, RETH 16, ICRC 4 and VCRC 2, together 42 B: 64 of 106 B are
    /// 60.4%. 56 Gbps are 56e9 / 512 b = 109.4 million times 64 B; 54.545 Gbps are 63.1 million
    /// times 106 + 2 B. 32,768 x 8 b / 56 Gbps = 4.681 us, not 3.6 us.
    #[test]
    fn calculations_by_hand() {
        let options = Options { item: None, quick: true, seed: 1, threads: 1 };
        let values = calculated(&options);
        let close = |f: &Finding, value: f64| (f.value() - value).abs() < 5e-4 * value;
        for (f, value) in values.iter().zip([42.0, 60.38, 109.4, 63.13, 4.681]) {
            assert!(close(f, value), "{f:?}");
        }
        let one = Options { item: Some("eq2".into()), ..options };
        assert_eq!(calculated(&one).len(), 1);
    }
}
