//! With `pfc = true` nothing is dropped, and hardly a byte of the headroom is too much.

use super::{parse, read};
use bandwise_netsim::ethernet::headroom;
use bandwise_scenario::Parsed;
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;

/// An incast and a load through buffers of which `beyond` bytes are left beside the headroom.
fn drops_nothing(
    gbps: u64,
    delay: u64,
    mtu: u32,
    beyond: u64,
    senders: u32,
    seed: u32,
) -> Result<(), TestCaseError> {
    let frame = Bytes::new(u64::from(62 + mtu));
    let (rate, delay) = (BitRate::from_gbps(gbps), Time::from_ns(delay));
    let buffer = headroom(rate, delay, Time::ZERO, frame) + Bytes::new(beyond);
    let text = format!(
        "[fabric]\nbuild = {{ leaf-spine = {{ leaves = 4, spines = 2, hosts = 4 }} }}\n\
         link = {{ rate = \"{rate}\", delay = \"{delay}\" }}\n\
         [switch]\nbuffer = \"{} B\"\npfc = true\n[host]\nmtu = {mtu}\n\
         [transport]\nkind = \"roce\"\nacks = \"every-packet\"\n\
         [workload]\nincast = {{ senders = {senders}, bytes = \"5 MB\" }}\n\
         poisson = {{ load = 0.5, duration = \"300 us\" }}\n[run]\nseed = {seed}\n",
        buffer.get(),
    );
    let Parsed { scenario, warnings } = parse(&text);
    prop_assert!(warnings.is_empty());
    let results = scenario.run(&mut ());
    prop_assert_eq!(results.counters.packets_dropped, 0);
    prop_assert_eq!(results.finished, results.started);
    prop_assert!(results.counters.peak_buffer <= buffer);
    Ok(())
}

/// Acknowledgements exceed a threshold of less than a packet one by one. If each XOFF and XON frame waited
/// for the packet on the wire, the last XOFF would come too late.
#[test]
fn small_packets_at_a_small_threshold_are_not_dropped() {
    drops_nothing(40, 237, 512, 66, 10, 2_649_678_200).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pfc_with_headroom_drops_no_packet(
        gbps in prop::sample::select(vec![10u64, 40, 100]),
        delay in 0u64..5_000,
        mtu in prop::sample::select(vec![512u32, 1000, 4096]),
        beyond in 1u64..30_000,
        senders in 2u32..15,
        seed in any::<u32>(),
    ) {
        drops_nothing(gbps, delay, mtu, beyond, senders, seed)?;
    }
}

/// In the default network IRN 4.1's headroom is too small, and the computed one is nearly used up.
#[test]
fn computed_headroom_of_the_default_case_is_sufficient() {
    let drops = |xoff: u64| {
        let text = format!(
            "[switch]\npfc = {{ xoff = \"{xoff} B\" }}\n\
             [transport]\nkind = \"roce\"\ntimeout = \"fixed\"\n\
             [workload]\nincast = {{ senders = 50, bytes = \"20 MB\" }}\n\
             poisson = {{ load = 0.7, duration = \"1 ms\" }}\n"
        );
        read(&text).run(&mut ()).counters
    };
    assert!(drops(240_000 - 20_000).packets_dropped > 0);
    let enough = drops(240_000 - 20_000 - 3 * 1_082 + 20 - 84);
    assert_eq!(enough.packets_dropped, 0);
    assert!(enough.peak_buffer > Bytes::new(238_000), "{}", enough.peak_buffer);
}
