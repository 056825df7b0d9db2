//! The question of the paper, answered from what was found: which of its claims our runs bear out.

use super::claims::claims;
use crate::Finding;

/// The answer, a sentence for each claim whose runs are there.
pub fn answer(findings: &[Finding]) -> Vec<String> {
    let sentence = |claim: crate::Claim| {
        let holds = if claim.holds { "holds" } else { "does not hold" };
        format!("{}: {} – {holds} in our runs: {}.", claim.section, claim.text, claim.numbers)
    };
    claims(findings).into_iter().map(sentence).collect()
}
