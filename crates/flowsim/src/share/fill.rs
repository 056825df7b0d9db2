//! The sharing of one link: among its queues by guarantee and weight, within a queue max-min
//! fairly. The input is the rate that each flow could use elsewhere. The result is a level for each
//! queue, the most that any of its flows gets here.

use crate::network::Queue;
use crate::rate::Rate;

/// Flows of a link with the same demand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim {
    pub(super) queue: u32,
    /// The number of flows.
    pub(super) flows: u32,
    /// The rate that each could use: the least that it gets elsewhere.
    pub(super) demand: Rate,
}

/// A queue with the claims of its flows.
#[derive(Debug, Clone, Copy)]
struct Want {
    queue: u32,
    from: u32,
    to: u32,
    /// The sum of its flows' demands, at most its limit.
    want: u64,
    /// True if the demands exceed its limit.
    beyond_limit: bool,
    terms: Queue,
    /// The final rate of a queue that gets its whole demand, or `None` while the queue shares by
    /// weight.
    got: Option<u64>,
}

/// The computation of a link's shares, with its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Fill {
    pub(super) claims: Vec<Claim>,
    wants: Vec<Want>,
    work: Vec<Claim>,
}

impl Fill {
    /// Returns the level of a link with one queue whose flows claim more than `rest`.
    pub(super) fn single(&mut self, rest: u64) -> Rate {
        self.work.clear();
        self.work.extend_from_slice(&self.claims);
        level(&mut self.work, rest)
    }

    /// Computes the levels of queues and passes them to `set`. A queue that gets all its claims has
    /// no level. `terms` returns the configuration of a queue.
    pub(super) fn queues(
        &mut self,
        rest: u64,
        terms: impl Fn(u32) -> Queue,
        mut set: impl FnMut(u32, Rate),
    ) {
        self.collect(terms);
        share(&mut self.wants, rest);
        let spare = spare(&self.wants, rest);
        for want in &self.wants {
            let got = match want.got {
                Some(_) if !want.beyond_limit => continue,
                Some(got) => got,
                None => want.by_weight(spare),
            };
            self.work.clear();
            self.work.extend_from_slice(&self.claims[want.from as usize..want.to as usize]);
            set(want.queue, level(&mut self.work, got));
        }
    }

    /// Adds up the claims of each queue.
    fn collect(&mut self, terms: impl Fn(u32) -> Queue) {
        self.claims.sort_unstable_by_key(|claim| claim.queue);
        self.wants.clear();
        let mut from = 0;
        for run in self.claims.chunk_by(|a, b| a.queue == b.queue) {
            let (queue, to) = (run[0].queue, from + run.len() as u32);
            let all = run.iter().fold(0u64, |sum, c| sum.saturating_add(c.demand.times(c.flows)));
            let terms = terms(queue);
            let (want, beyond_limit) = (all.min(terms.limit.0), all > terms.limit.0);
            self.wants.push(Want { queue, from, to, want, beyond_limit, terms, got: None });
            from = to;
        }
    }
}

impl Want {
    /// Returns the queue's guarantee and its part of the spare rate.
    fn by_weight(&self, spare: Spare) -> u64 {
        let part = u128::from(spare.rate) * u128::from(self.terms.weight);
        let part = part / u128::from(spare.weights.max(1));
        self.terms.guarantee.0 + part as u64
    }
}

/// The rate of a link that queues share by weight.
#[derive(Debug, Clone, Copy)]
struct Spare {
    /// The rate beyond all guarantees and settled queues, in the units of [`Want::want`].
    rate: u64,
    /// The sum of the weights of the queues that are not settled.
    weights: u64,
}

/// Returns the spare part of `rate`.
fn spare(wants: &[Want], rate: u64) -> Spare {
    let (mut rate, mut weights) = (rate, 0);
    for want in wants {
        rate = rate.saturating_sub(want.got.unwrap_or(want.terms.guarantee.0));
        weights += if want.got.is_none() { u64::from(want.terms.weight) } else { 0 };
    }
    Spare { rate, weights }
}

/// Gives a queue its whole demand if that does not exceed its share, until every remaining queue
/// exceeds its share. The rest of one queue only increases the shares of others, so the result does
/// not depend on the order.
fn share(wants: &mut [Want], rest: u64) {
    // After flows of higher priority, the remaining rate may be less than the guarantees. It is
    // then shared by guarantee.
    let least = wants.iter().map(|w| u128::from(w.want.min(w.terms.guarantee.0))).sum::<u128>();
    if least > u128::from(rest) {
        let unit = 1 + least / (1 << 24);
        for want in wants.iter_mut() {
            let weight = u128::from(want.want.min(want.terms.guarantee.0)) / unit;
            want.terms.weight = (weight as u32).max(1);
            want.terms.guarantee = Rate::ZERO;
        }
    }
    for want in wants.iter_mut() {
        want.got = (want.want <= want.terms.guarantee.0).then_some(want.want);
    }
    loop {
        let spare = spare(wants, rest);
        let mut is_done = true;
        for want in wants.iter_mut() {
            if want.got.is_none() && want.want <= want.by_weight(spare) {
                want.got = Some(want.want);
                is_done = false;
            }
        }
        if is_done {
            return;
        }
    }
}

/// Returns the level at which flows share `rest` max-min fairly, rounded down. Their claims exceed
/// `rest`; `claims` is consumed.
fn level(claims: &mut Vec<Claim>, rest: u64) -> Rate {
    let mut rest = rest;
    let mut flows = claims.iter().map(|c| u64::from(c.flows)).sum::<u64>();
    loop {
        let level = rest / flows;
        let before = claims.len();
        // A flow that claims no more than the level gets its claim, which leaves more for the
        // others.
        claims.retain(|claim| {
            let is_more = claim.demand.0 > level;
            if !is_more {
                rest -= claim.demand.times(claim.flows);
                flows -= u64::from(claim.flows);
            }
            is_more
        });
        if claims.len() == before || flows == 0 {
            return Rate(level);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_units::BitRate;
    use proptest::prelude::*;

    fn levels(rest: u64, claims: &[(u32, u32, u64)], terms: &[Queue]) -> Vec<Option<u64>> {
        let mut fill = Fill::default();
        let claim = |&(queue, flows, demand)| Claim { queue, flows, demand: Rate(demand) };
        fill.claims.extend(claims.iter().map(claim));
        let mut found = vec![None; terms.len()];
        fill.queues(rest, |q| terms[q as usize], |q, level| found[q as usize] = Some(level.0));
        found
    }

    #[test]
    fn levels_match_hand_computed_values() {
        let two = [Queue::weighted(3), Queue::weighted(1)];
        let all = u64::MAX;
        // Both have more than enough to send; a lone flow and two flows.
        assert_eq!(levels(800, &[(0, 1, all), (1, 2, all)], &two), [Some(600), Some(100)]);
        // The heavy queue uses 100 of its 600.
        assert_eq!(levels(800, &[(0, 1, 100), (1, 2, all)], &two), [None, Some(350)]);
        // Within the light one, a flow that uses 50 leaves 150 to the other.
        assert_eq!(
            levels(800, &[(0, 1, all), (1, 1, 50), (1, 1, all)], &two),
            [Some(600), Some(150)]
        );
        // 100 are guaranteed, the other 700 are shared one to one.
        let rate = |units: u64| BitRate::from_bps(units >> 16);
        let sure = [Queue::guaranteed(rate(100 << 16), 1), Queue::weighted(1)];
        let scale = |n: u64| n << 16;
        let claims = [(0, 1, all), (1, 1, all)];
        let found = levels(scale(800), &claims, &sure);
        assert_eq!(found, [Some(scale(450)), Some(scale(350))]);
        // A reservation is no more than that, and the link may be idle.
        let kept = [Queue::reserved(rate(scale(100))), Queue::reserved(rate(scale(200)))];
        assert_eq!(levels(scale(800), &claims, &kept), [Some(scale(100)), Some(scale(200))]);
    }

    fn terms() -> impl Strategy<Value = Queue> {
        (1u32..100, 0u64..30, prop::option::of(0u64..500)).prop_map(|(weight, guarantee, limit)| {
            let guarantee = Rate(guarantee);
            let limit = limit.map_or(Rate::UNLIMITED, |extra| Rate(guarantee.0 + extra));
            Queue { weight, guarantee, limit }
        })
    }

    proptest! {
        /// The definition of the result. No flow exceeds its demand and no queue its limit. The
        /// link is full unless no flow wants more. A flow that wants more has its queue's level. A
        /// queue that wants more has its guarantee and, per weight, as much beyond it as any.
        #[test]
        fn levels_satisfy_the_sharing_conditions(
            terms in prop::collection::vec(terms(), 4),
            claims in prop::collection::vec((0u32..4, 1u32..5, 0u64..2_000), 1..12),
            rest in 120u64..5_000,
        ) {
            let found = levels(rest, &claims, &terms);
            let mut got = [0u64; 4];
            let mut wants_more = [false; 4];
            let mut flows = [0u64; 4];
            for &(queue, n, demand) in &claims {
                let rate = demand.min(found[queue as usize].unwrap_or(u64::MAX));
                got[queue as usize] += rate * u64::from(n);
                wants_more[queue as usize] |= demand > rate;
                flows[queue as usize] += u64::from(n);
            }
            let sum = got.iter().sum::<u64>();
            prop_assert!(sum <= rest, "{sum} of {rest}");
            let all_flows = flows.iter().sum::<u64>();
            for q in 0..4 {
                prop_assert!(got[q] <= terms[q].limit.0);
                // A level is rounded down once for the queue and once for its flows.
                let is_limited = got[q] + flows[q] >= terms[q].limit.0;
                if !wants_more[q] || is_limited {
                    continue;
                }
                prop_assert!(sum + all_flows + 8 >= rest, "{sum} of {rest}");
                prop_assert!(got[q] + flows[q] >= terms[q].guarantee.0);
                let per_weight = |q: usize, extra: u64| {
                    (got[q] + extra).saturating_sub(terms[q].guarantee.0) as f64
                        / f64::from(terms[q].weight)
                };
                for other in 0..4 {
                    prop_assert!(per_weight(q, flows[q] + 1) + 1e-9 >= per_weight(other, 0));
                }
            }
        }
    }
}
