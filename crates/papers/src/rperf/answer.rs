//! The question of the paper, answered from what was found: what round trip does a
//! latency-sensitive flow see while others push bulk traffic, and what helps?

use crate::Finding;

/// The answer, a sentence a point; points whose runs are not there are left out.
pub fn answer(findings: &[Finding]) -> Vec<String> {
    let find = |item: &str, case: &str, metric: &str| {
        findings
            .iter()
            .find(|f| (f.item.as_str(), f.case.as_str(), f.metric.as_str()) == (item, case, metric))
            .map(|f| f.value)
    };
    let rtt = |item, case| find(item, case, "RTT p50");
    let mut answer = Vec::new();
    if let (Some(alone), Some(beside)) = (rtt("fig7a", "0 BSGs"), rtt("fig7a", "5 BSGs")) {
        answer.push(format!(
            "A 64-byte message takes {alone:.1} us through the idle switch and back, and \
             {beside:.0} us beside five bulk senders: {:.0} times as long.",
            beside / alone
        ));
    }
    if let (Some(rtt), Some(share)) =
        (rtt("fig8", "128 B"), find("fig9", "128 B", "share of the link"))
    {
        answer.push(format!(
            "Smaller bulk messages help only by giving up bandwidth: with 128 B the round trip is \
             {rtt:.1} us, and the bulk senders fill {share:.0}% of the link."
        ));
    }
    if let (Some(one), Some(two)) = (rtt("fig10", "RR 5 BSGs"), rtt("fig11", "RR")) {
        answer.push(format!(
            "Round-robin protects behind one switch ({one:.1} us) and not behind two ({two:.0} us): \
             there the flow shares an input buffer with bulk traffic."
        ));
    }
    if let (Some(own), Some(total)) =
        (rtt("fig12", "dedicated SL"), find("fig13", "dedicated SL", "total bandwidth"))
    {
        answer.push(format!(
            "A service level of its own protects it ({own:.1} us) and costs the bulk senders \
             nothing ({total:.0} Gbps)."
        ));
    }
    if let (Some(rtt), Some(bandwidth), Some(others)) = (
        rtt("fig12", "dedicated SL with a pretend LSG"),
        find("fig13", "pretend LSG", "bandwidth"),
        find("fig13", "BSG beside a pretend LSG: most", "bandwidth"),
    ) {
        answer.push(format!(
            "Until somebody games it: bulk traffic in small messages on that level takes \
             {bandwidth:.0} Gbps, {:.1} times an honest sender's share, and the round trip is \
             {rtt:.1} us again.",
            bandwidth / others
        ));
    }
    answer
}
