//! The answer to the paper's question: the round trip of a latency-sensitive flow beside bulk
//! traffic, and the effect of each remedy. Each sentence states the numbers on which it rests.

use crate::Finding;

/// Returns the answer, a sentence for each point, without points that lack their runs.
pub(super) fn answer(findings: &[Finding]) -> Vec<String> {
    let found = Found(findings);
    [found.harm(), found.sizes(), found.scheduling(), found.level(), found.pretending()]
        .into_iter()
        .flatten()
        .collect()
}

struct Found<'a>(&'a [Finding]);

/// Largest ratio of the round trip to that of an idle switch with which a remedy counts as
/// effective.
const PROTECTED: f64 = 2.5;
/// Largest relative change of a bandwidth that counts as unchanged.
const SAME: f64 = 0.03;

impl Found<'_> {
    fn value(&self, item: &str, case: &str, metric: &str) -> Option<f64> {
        Finding::find(self.0, item, case, metric).map(Finding::value)
    }

    fn rtt(&self, item: &str, case: &str) -> Option<f64> {
        self.value(item, case, "RTT p50")
    }

    fn harm(&self) -> Option<String> {
        let (alone, beside) = (self.rtt("fig7a", "0 BSGs")?, self.rtt("fig7a", "5 BSGs")?);
        Some(format!(
            "A 64-byte message takes {alone:.1} us through the idle switch and back, and \
             {beside:.1} us beside five bulk senders: {:.1} times as long.",
            beside / alone
        ))
    }

    fn sizes(&self) -> Option<String> {
        let (small, large) = (self.rtt("fig8", "128 B")?, self.rtt("fig8", "4096 B")?);
        let share = |case| self.value("fig9", case, "share of the link");
        let (gives, of) = (share("128 B")?, share("4096 B")?);
        let price = if gives < of * (1.0 - SAME) { "at the price of" } else { "without loss of" };
        Some(format!(
            "With bulk messages of 128 B instead of 4096 B, the small message takes {small:.1} us \
             instead of {large:.1} us, {price} bandwidth: bulk traffic fills {gives:.0}% of the \
             link instead of {of:.0}%."
        ))
    }

    fn scheduling(&self) -> Option<String> {
        let idle = self.rtt("fig10", "RR 0 BSGs")?;
        let (one, two) = (self.rtt("fig10", "RR 5 BSGs")?, self.rtt("fig11", "RR")?);
        let fcfs = self.rtt("fig10", "FCFS 5 BSGs")?;
        let second = if two > fcfs / 2.0 { "does not help" } else { "still helps" };
        Some(format!(
            "With round-robin instead of first come, first served, the round trip takes {one:.1} us \
             instead of {fcfs:.1} us behind one switch ({:.1} times that of the idle switch). Behind \
             two switches, where the flow shares an input buffer with bulk traffic, round-robin \
             {second} ({two:.1} us).",
            one / idle
        ))
    }

    fn level(&self) -> Option<String> {
        let (own, idle) = (self.rtt("fig12", "dedicated SL")?, self.rtt("fig12", "no BSG")?);
        let total = |case| self.value("fig13", case, "total bandwidth");
        let (shared, dedicated) = (total("shared SL")?, total("dedicated SL")?);
        let protects = if own <= PROTECTED * idle { "protects it" } else { "does not protect it" };
        let lost = 1.0 - dedicated / shared;
        let cost = if lost <= SAME {
            "costs them nothing".to_owned()
        } else {
            format!("costs them {:.0}% of their bandwidth", 100.0 * lost)
        };
        Some(format!(
            "A dedicated service level {protects} ({own:.1} us) from bulk senders on another one, and \
             {cost} ({dedicated:.1} of {shared:.1} Gbps)."
        ))
    }

    fn pretending(&self) -> Option<String> {
        let rtt = self.rtt("fig12", "dedicated SL with a pretend LSG")?;
        let own = self.rtt("fig12", "dedicated SL")?;
        let bandwidth = self.value("fig13", "pretend LSG", "bandwidth")?;
        let others = self.value("fig13", "BSG beside a pretend LSG: most", "bandwidth")?;
        Some(format!(
            "A sender of bulk traffic in small messages on that level gets {bandwidth:.1} Gbps, {:.1} times \
             an honest sender's share, and the round trip takes {rtt:.1} us instead of {own:.1} us.",
            bandwidth / others
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(item: &str, case: &str, metric: &str, value: f64) -> Finding {
        let [item, case, metric] = [item, case, metric].map(str::to_owned);
        Finding { item, case, metric, unit: String::new(), runs: vec![value] }
    }

    #[test]
    fn rperf_answer_follows_the_findings() {
        let level = |own: f64, dedicated: f64| {
            answer(&[
                finding("fig12", "no BSG", "RTT p50", 0.4),
                finding("fig12", "dedicated SL", "RTT p50", own),
                finding("fig13", "shared SL", "total bandwidth", 50.0),
                finding("fig13", "dedicated SL", "total bandwidth", dedicated),
            ])
        };
        assert!(level(0.7, 50.0)[0].contains("protects it (0.7 us)"));
        assert!(level(0.7, 50.0)[0].contains("costs them nothing"));
        assert!(level(9.0, 40.0)[0].contains("does not protect it (9.0 us)"));
        assert!(level(9.0, 40.0)[0].contains("costs them 20% of their bandwidth"));
        assert!(answer(&[]).is_empty());
    }
}
