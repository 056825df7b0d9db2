//! Conversion of demands at the balancing price into shares with the right sum.

use super::price::Balance;
use super::problem::{Granted, Term};

/// An application with a share that is its demand at no price.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    /// The term.
    pub(super) term: usize,
    pub(super) share: f64,
    /// The number of the term's applications with the larger of both shares.
    pub(super) higher: u32,
}

/// Distributes the rest of the capacity beyond `balance.less`, and returns the shares in `granted`.
/// Terms that can have any share up to `balance.more` without loss share evenly. Applications of
/// the other terms jump from the lower to the higher demand while there is room, the widest jump
/// first. The last one may end between both.
///
/// Returns the sum of slowdowns, and the application with a share between its two demands, to
/// branch on. There is at most one, whatever the number of applications.
pub(super) fn fill(
    terms: &[Term],
    capacity: f64,
    balance: &Balance,
    granted: &mut Vec<Granted>,
) -> (f64, Option<Split>) {
    /// A narrower jump is a rounding error of the price.
    const NARROW: f64 = 1e-9;
    granted.clear();
    if balance.less == balance.more {
        let all = (terms.iter().zip(&balance.less).enumerate())
            .map(|(i, (term, &share))| Granted { term: i as u32, share, count: term.count });
        granted.extend(all);
        return (sum_of_granted(terms, granted), None);
    }
    let width = |i: usize| balance.more[i] - balance.less[i];
    let is_divisible = |i: usize| {
        width(i) < NARROW || terms[i].curve.is_divisible(balance.less[i], balance.more[i])
    };
    let (divisible, mut jumping): (Vec<usize>, Vec<usize>) =
        (0..terms.len()).filter(|&i| width(i) > 0.0).partition(|&i| is_divisible(i));
    let total = |i: &usize| f64::from(terms[*i].count) * width(*i);
    let room: f64 = divisible.iter().map(total).sum();
    let mut left = capacity
        - terms.iter().zip(&balance.less).map(|(t, x)| f64::from(t.count) * x).sum::<f64>();
    jumping.sort_by(|&a, &b| width(b).total_cmp(&width(a)));
    let mut higher = vec![0; terms.len()];
    for &i in &jumping {
        let fit = (left / width(i)).floor().clamp(0.0, f64::from(terms[i].count));
        higher[i] = fit as u32;
        left -= fit * width(i);
    }
    let mut split = None;
    if left > room {
        // The narrowest remaining jump leaves the least of itself open.
        if let Some(&i) = jumping.iter().rev().find(|&&i| higher[i] < terms[i].count) {
            let share = balance.less[i] + (left - room);
            split = Some(Split { term: i, share, higher: higher[i] });
            left = room;
        }
    }
    let part = if room > 0.0 { (left / room).clamp(0.0, 1.0) } else { 0.0 };
    let mut low = balance.less.clone();
    for &i in &divisible {
        low[i] += part * width(i);
    }
    for (term, &lower) in low.iter().enumerate() {
        let split = split.filter(|split| split.term == term);
        let lowest = terms[term].count - higher[term] - u32::from(split.is_some());
        let groups = [
            (lower, lowest),
            (split.map_or(0.0, |split| split.share), u32::from(split.is_some())),
            (balance.more[term], higher[term]),
        ];
        let some = groups.into_iter().filter(|group| group.1 > 0);
        granted.extend(some.map(|(share, count)| Granted { term: term as u32, share, count }));
    }
    (sum_of_granted(terms, granted), split)
}

fn sum_of_granted(terms: &[Term], granted: &[Granted]) -> f64 {
    granted.iter().map(|g| f64::from(g.count) * terms[g.term as usize].curve.value(g.share)).sum()
}
