//! The paper's claims, each with the verdict of the findings and the numbers on which it rests. The
//! main ones are also tried on fabrics of today.

use super::claim_runs::ITEM;
use super::fabrics::{Fabric, TODAY};
use super::lookup::Found;
use super::verdict;
use crate::{Claim, Finding, Holds};

/// Returns the claims that have their runs: each on the paper's fabric, then on those of today.
pub(super) fn claims(findings: &[Finding]) -> Vec<Claim> {
    let on = |fabric: &'static Fabric| Found { findings, fabric };
    let paper = on(&Fabric::PAPER);
    let mut all: Vec<Claim> = existing_tools(paper).into_iter().collect();
    let everywhere: [fn(Found) -> Option<Claim>; 13] = [
        each_sender_adds,
        unprotected,
        bandwidth_falls,
        either_or,
        larger_payloads,
        round_robin_protects,
        round_robin_fails,
        round_robin_below_fcfs,
        own_level_protects,
        own_level_costs_nothing,
        own_level_over_two_hops,
        pretending_pays,
        pretending_hurts,
    ];
    for claim in everywhere {
        all.extend(claim(paper));
        all.extend(TODAY.iter().filter_map(|fabric| claim(on(fabric))));
    }
    all.extend(limits_hurt_bursts(paper));
    all
}

impl Found<'_> {
    fn claim(
        self,
        section: &'static str,
        text: &'static str,
        holds: Holds,
        numbers: String,
    ) -> Option<Claim> {
        Some(Claim { section, text, fabric: self.fabric.name, holds, numbers })
    }
}

fn existing_tools(found: Found) -> Option<Claim> {
    let mut ratios = Vec::new();
    for tool in ["perftest", "qperf"] {
        for size in ["64 B", "4096 B"] {
            let tools = found.of("fig6", &format!("{tool} {size}"), "RTT p50")?;
            // "The reported latency in the switch specification": 200 ns each way.
            ratios.push(tools / 0.4);
        }
    }
    let (least, most) = verdict::range(&ratios)?;
    let numbers = format!("{least:.1} to {most:.1} times 400 ns, there and back");
    let text = "the latency of existing tools is an order of magnitude above the switch's";
    found.claim("VI-C", text, verdict::at_least(least, most, 10.0), numbers)
}

fn medians(found: Found) -> Option<Vec<f64>> {
    (0..=5).map(|n| found.beside(n)).collect()
}

fn words(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:.1}")).collect::<Vec<_>>().join(", ")
}

fn each_sender_adds(found: Found) -> Option<Claim> {
    let medians = medians(found)?;
    let numbers = format!("{} us with 0 to 5", words(&medians));
    let text = "the latency is proportional to the number of bulk senders";
    found.claim("VII", text, verdict::proportional(&medians[1..]), numbers)
}

fn unprotected(found: Found) -> Option<Claim> {
    let medians = medians(found)?;
    let ratio = medians[5] / medians[0];
    let numbers = format!("{ratio:.0} times the idle switch's with five senders");
    found.claim("VII", "latency-sensitive flows are unprotected", verdict::harmed(ratio), numbers)
}

fn bandwidth_falls(found: Found) -> Option<Claim> {
    let (one, five) = (found.total(1)?, found.total(5)?);
    let numbers = format!("{one:.1} Gbps with one, {five:.1} with five");
    let text = "more bulk senders diminish the total bandwidth";
    found.claim("VII", text, verdict::falls(one, five), numbers)
}

fn either_or(found: Found) -> Option<Claim> {
    let idle = found.beside(0)?;
    let best = found.total(5)?;
    let sizes = [64, 512, 4096];
    let both: Option<Vec<(f64, f64)>> = sizes
        .iter()
        .map(|&bytes| Some((found.of_size(bytes)?, found.total_of_size(bytes)?)))
        .collect();
    let both = both?;
    let shares: Vec<(f64, f64)> =
        both.iter().map(|(rtt, gbps)| (rtt / idle, gbps / best)).collect();
    let list: Vec<String> = sizes
        .iter()
        .zip(&both)
        .map(|(bytes, (rtt, gbps))| format!("{bytes} B: {rtt:.1} us, {gbps:.1} Gbps"))
        .collect();
    let text = "the size of bulk messages gives low latency or high bandwidth, not both";
    found.claim("VIII-A", text, verdict::never_both(&shares), list.join("; "))
}

fn larger_payloads(found: Found) -> Option<Claim> {
    let (small, large) = (found.of_size(512)?, found.of_size(4096)?);
    let numbers = format!("{small:.1} us beside 512 B, {large:.1} us beside 4096 B");
    let text = "payloads larger than 512 B further worsen the latency";
    found.claim("VIII-A", text, verdict::larger(large / small), numbers)
}

fn round_robin_protects(found: Found) -> Option<Claim> {
    let (rr, fcfs) = (found.round_robin()?, found.fcfs()?);
    let numbers = format!("{rr:.1} us beside five senders, first come, first served {fcfs:.1}");
    let text = "round-robin protects better behind one switch";
    found.claim("VIII-B", text, verdict::far_below(rr / fcfs), numbers)
}

fn round_robin_fails(found: Found) -> Option<Claim> {
    let (one, two) = (found.round_robin()?, found.round_robin_over_two()?);
    let numbers = format!("{two:.1} us over two hops, {one:.1} us over one");
    let text = "round-robin fails to isolate over two hops";
    found.claim("VIII-B", text, verdict::several_times(two / one), numbers)
}

fn round_robin_below_fcfs(found: Found) -> Option<Claim> {
    let (rr, fcfs) = (found.round_robin_over_two()?, found.fcfs_over_two()?);
    let numbers = format!("{rr:.1} us, first come, first served {fcfs:.1}");
    let text = "over two hops, round-robin is below first come, first served (figure 11)";
    found.claim("VIII-B", text, verdict::larger(fcfs / rr), numbers)
}

fn own_level_protects(found: Found) -> Option<Claim> {
    let (idle, own) = (found.beside(0)?, found.own_level()?);
    let numbers = format!("{own:.2} us, idle {idle:.2}");
    let text = "a dedicated service level protects";
    found.claim("VIII-C", text, verdict::protected(own / idle), numbers)
}

fn own_level_costs_nothing(found: Found) -> Option<Claim> {
    let (shared, own) = (found.total(5)?, found.own_level_total()?);
    let numbers = format!("{own:.1} Gbps of the bulk senders, {shared:.1} on a shared one");
    let text = "a dedicated service level introduces no throughput penalty";
    found.claim("VIII-C", text, verdict::unchanged(own / shared), numbers)
}

fn own_level_over_two_hops(found: Found) -> Option<Claim> {
    let of = |case: &str| found.of(ITEM, &found.fabric.called(case), "RTT p50");
    let (idle, own) = (of("no BSG over two hops")?, of("dedicated SL over two hops")?);
    let numbers = format!("{own:.2} us, idle {idle:.2}");
    let text = "it also protects over two hops (not tried by the paper)";
    found.claim("VIII-C", text, verdict::protected(own / idle), numbers)
}

fn pretending_pays(found: Found) -> Option<Claim> {
    let (pretending, honest) = (found.pretending()?, found.honest()?);
    let numbers = format!("{pretending:.1} Gbps, an honest sender {honest:.1}");
    let text = "a bulk sender that pretends gets several times the bandwidth of an honest one";
    found.claim("VIII-C", text, verdict::several_times(pretending / honest), numbers)
}

fn pretending_hurts(found: Found) -> Option<Claim> {
    let (own, gamed) = (found.own_level()?, found.beside_pretending()?);
    let numbers = format!("{gamed:.2} us beside it, {own:.2} without");
    let text = "a bulk sender that pretends hurts the latency of the real one";
    found.claim("VIII-C", text, verdict::several_times(gamed / own), numbers)
}

fn limits_hurt_bursts(found: Found) -> Option<Claim> {
    let of = |case: &str| found.of(ITEM, case, "RTT p50");
    let (single, burst) = (of("single LSG")?, of("burst of LSGs")?);
    let (single_limited, burst_limited) =
        (of("single LSG, limited")?, of("burst of LSGs, limited")?);
    let numbers = format!(
        "a limit of a packet for each 4 KiB of bulk: single messages {single:.2} to \
         {single_limited:.2} us, bursts of 16 {burst:.2} to {burst_limited:.2} us"
    );
    let text = "limiting the level's bandwidth hurts the latency, specially of bursts";
    let holds = verdict::specially(single_limited / single, burst_limited / burst);
    found.claim("VIII-C", text, holds, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(item: &str, case: &str, value: f64) -> Finding {
        let [item, case, metric] = [item, case, "RTT p50"].map(str::to_owned);
        Finding { item, case, metric, unit: "us".to_owned(), runs: vec![value] }
    }

    fn verdicts(findings: &[Finding]) -> Vec<(&'static str, Holds)> {
        claims(findings).iter().map(|claim| (claim.fabric, claim.holds)).collect()
    }

    /// The numbers of figure 8 confirm the claim, equal ones do not. On another fabric the same
    /// setup stands in the item of the claims.
    #[test]
    fn verdict_follows_the_numbers_of_each_fabric() {
        let paper = |large| [finding("fig8", "512 B", 20.0), finding("fig8", "4096 B", large)];
        assert_eq!(verdicts(&paper(26.3)), [("56 Gbps", Holds::Yes)]);
        assert_eq!(verdicts(&paper(20.0)), [("56 Gbps", Holds::No)]);
        let today = [
            finding(ITEM, "400 Gbps, 5 BSGs of 512 B", 0.5),
            finding(ITEM, "400 Gbps, 5 BSGs", 3.0),
        ];
        let both = [&paper(20.0)[..], &today].concat();
        assert_eq!(verdicts(&both), [("56 Gbps", Holds::No), ("400 Gbps", Holds::Yes)]);
    }

    /// 14.5 us of round-robin over 18.4 us: the paper's figure 11.
    #[test]
    fn order_over_two_hops_is_compared_with_fcfs() {
        let two = |rr| [finding("fig11", "FCFS", 18.4), finding("fig11", "RR", rr)];
        assert_eq!(verdicts(&two(14.5)), [("56 Gbps", Holds::Yes)]);
        assert_eq!(verdicts(&two(18.0)), [("56 Gbps", Holds::InPart)]);
        assert_eq!(verdicts(&two(31.7)), [("56 Gbps", Holds::No)]);
    }

    #[test]
    fn no_findings_give_no_claims() {
        assert!(claims(&[]).is_empty());
    }
}
