//! Poisson arrivals: the configured load, at random times, between random hosts.

use super::{distributions, kolmogorov};
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_workload::{
    Extent, Flow, IrnSpreads, Load, Poisson, SizeDistribution, WorkloadError, write,
};
use proptest::prelude::*;

const LINK: BitRate = BitRate::from_gbps(40);

fn load(fraction: f64) -> Load {
    Load::new(fraction, LINK).unwrap()
}

fn irn() -> SizeDistribution {
    SizeDistribution::irn_heavy_tailed(IrnSpreads::default())
}

fn flows(fraction: f64, extent: Extent) -> impl Iterator<Item = Flow> {
    Poisson::new(54, load(fraction), irn(), extent).unwrap().flows(1, 0)
}

/// The numbers of a published run are the same on all machines.
#[test]
fn flows_are_pinned() {
    let first: Vec<Flow> = flows(0.7, Extent::Flows(4)).collect();
    insta::assert_snapshot!(write::flows(&first), @r"
    start_ns,src,dst,bytes
    1362.399,29,6,3424
    2270.366,16,13,856
    3557.22,50,46,612
    6056.082,24,38,636
    ");
}

/// The default case of IRN 4.1 has about 7,500 flows in 10 ms: 54 hosts times 70% of 40 Gbps are
/// 1.89 GB, in flows of 253 KB.
#[test]
fn default_case_has_the_expected_number_of_flows() {
    let poisson = Poisson::new(54, load(0.7), irn(), Extent::Until(Time::from_ms(10))).unwrap();
    let expected = 54.0 * 0.7 * 40e9 / 8.0 * 0.01 / 253_404.0;
    assert!((poisson.mean_flows(Time::from_ms(10)) - expected).abs() < 0.1, "{expected}");
    let found = poisson.flows(1, 0).count() as f64;
    assert!((found - expected).abs() < 4.0 * expected.sqrt(), "{found} {expected}");
}

/// Times between the flows of one host are exponential, although no host has a process of its own.
#[test]
fn each_host_is_a_poisson_process() {
    let mean_ps = irn().mean() * 8.0 / (0.7 * 40e9) * 1e12;
    for host in [0, 53] {
        let starts: Vec<u64> = flows(0.7, Extent::Flows(500_000))
            .filter(|flow| flow.src == host)
            .map(|flow| flow.start.as_ps())
            .collect();
        let gaps = starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let distance = kolmogorov(gaps, |gap| 1.0 - (-gap / mean_ps).exp());
        assert!(distance < 2.2, "host {host}: {distance}");
    }
}

/// Every ordered pair of different hosts is equally likely, within five standard deviations.
#[test]
fn all_host_pairs_are_equally_likely() {
    let mut count = [0u32; 54 * 54];
    for flow in flows(0.7, Extent::Flows(572_400)) {
        count[(flow.src * 54 + flow.dst) as usize] += 1;
    }
    for (pair, &n) in count.iter().enumerate() {
        let expected = if pair / 54 == pair % 54 { 0..=0 } else { 130..=270 };
        assert!(expected.contains(&n), "{n} flows from {} to {}", pair / 54, pair % 54);
    }
}

/// Another load has the same flows at other times.
#[test]
fn other_load_has_the_same_flows_at_scaled_times() {
    let light: Vec<Flow> = flows(0.1, Extent::Flows(1_000)).collect();
    let heavy: Vec<Flow> = flows(0.2, Extent::Flows(1_000)).collect();
    for (light, heavy) in light.iter().zip(&heavy) {
        assert!(light.start.as_ps().abs_diff(2 * heavy.start.as_ps()) <= 2);
        assert_eq!((light.src, light.dst, light.bytes), (heavy.src, heavy.dst, heavy.bytes));
    }
}

#[test]
fn seeds_and_parts_give_different_flows() {
    let poisson = Poisson::new(54, load(0.7), irn(), Extent::Flows(100)).unwrap();
    let flows = |seed, part| poisson.flows(seed, part).collect::<Vec<_>>();
    assert_eq!(flows(1, 0), flows(1, 0));
    assert_ne!(flows(1, 0), flows(2, 0));
    assert_ne!(flows(1, 0), flows(1, 1));
}

/// A flow in each hundredth of a picosecond: the rounded-off part of a start is added to the next.
#[test]
fn rounding_remainders_carry_over_to_the_next_start() {
    const FLOWS: u64 = 1_000_000;
    let load = Load::new(0.8, BitRate::from_gbps(1_000)).unwrap();
    let small = SizeDistribution::fixed(Bytes::new(1)).unwrap();
    let poisson = Poisson::new(1_000, load, small, Extent::Flows(FLOWS)).unwrap();
    let last = poisson.flows(1, 0).last().unwrap().start.as_ps();
    assert!((9_950..10_050).contains(&last), "{last}");
}

/// The end of the range of times ends the flows without a panic.
#[test]
fn flows_beyond_the_time_range_end_the_list() {
    let slow = Load::new(1e-6, BitRate::from_bps(1)).unwrap();
    let large = SizeDistribution::fixed(Bytes::new(1 << 40)).unwrap();
    let mut flows = Poisson::new(2, slow, large, Extent::Flows(9)).unwrap().flows(1, 0);
    assert_eq!((flows.next(), flows.next()), (None, None));
}

#[test]
fn impossible_loads_are_refused() {
    let text = |error: WorkloadError| format!("{error} (allowed: {})", error.allowed());
    let refused = |fraction, link| text(Load::new(fraction, link).unwrap_err());
    insta::assert_snapshot!(refused(0.0, LINK), @"a load of 0 (allowed: a fraction of the link rate from 0.000001 to 10, such as 0.7)");
    insta::assert_snapshot!(refused(f64::NAN, LINK), @"a load of NaN (allowed: a fraction of the link rate from 0.000001 to 10, such as 0.7)");
    insta::assert_snapshot!(refused(70.0, LINK), @"a load of 70 (allowed: a fraction of the link rate from 0.000001 to 10, such as 0.7)");
    insta::assert_snapshot!(refused(0.7, BitRate::from_bps(0)), @r#"a load of links with a rate of 0 (allowed: a rate above 0 such as "40 Gbps")"#);
    insta::assert_snapshot!(text(load(0.7).with_wire_factor(0.9).unwrap_err()), @"0.9 bytes on the wire for each of payload (allowed: 1, which counts payload alone, to 10, such as 1.07)");
    let alone = Poisson::new(1, load(0.7), irn(), Extent::Flows(1)).unwrap_err();
    insta::assert_snapshot!(text(alone), @"too few hosts for a flow: 1 (allowed: 2 hosts or more)");
}

proptest! {
    /// The offered load is bytes sent over the bytes that the links could carry.
    #[test]
    fn offered_load_is_the_requested_one(
        hosts in 2u32..300, fraction in 0.01f64..2.0, factor in 1.0f64..1.2, gbps in 1u64..800,
        sizes in distributions(), seed: u64,
    ) {
        const FLOWS: u64 = 20_000;
        let link = BitRate::from_gbps(gbps);
        let load = Load::new(fraction, link).unwrap().with_wire_factor(factor).unwrap();
        let poisson = Poisson::new(hosts, load, sizes.clone(), Extent::Flows(FLOWS)).unwrap();
        let (mut bytes, mut end) = (0, Time::ZERO);
        for flow in poisson.flows(seed, 0) {
            prop_assert!(flow.src < hosts && flow.dst < hosts && flow.src != flow.dst);
            prop_assert!(end <= flow.start);
            (bytes, end) = (bytes + flow.bytes, flow.start);
        }
        let carried = end.as_s_f64() * link.as_bps() as f64 / 8.0 * f64::from(hosts);
        let found = bytes as f64 * factor / carried;
        // The standard error of the times is 0.7%. That of the sizes is larger by at most their
        // deviation over their mean.
        let spread = sizes.most().get() as f64 / sizes.mean();
        let error = (1.0 + spread).sqrt() / (FLOWS as f64).sqrt();
        prop_assert!((found / fraction - 1.0).abs() < 5.0 * error, "{found} for {fraction}");
    }

    /// A time limit removes flows and changes none, also if many start in one picosecond.
    #[test]
    fn time_limit_only_removes_flows(fraction in 1e-3f64..10.0, us in 0u64..100, gbps in 1u64..1_000_000) {
        let load = Load::new(fraction, BitRate::from_gbps(gbps)).unwrap();
        let flows = |extent| Poisson::new(54, load, irn(), extent).unwrap().flows(1, 0);
        let end = Time::from_us(us);
        let cut: Vec<Flow> = flows(Extent::Until(end)).take(5_000).collect();
        let whole: Vec<Flow> = flows(Extent::Flows(5_001)).collect();
        prop_assert_eq!(&cut[..], &whole[..cut.len()]);
        prop_assert!(cut.iter().all(|flow| flow.start < end));
        prop_assert!(cut.len() == 5_000 || whole[cut.len()].start >= end);
    }
}
