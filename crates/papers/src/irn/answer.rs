//! The answer to the paper's question: whether IRN needs PFC, the number of the paper's claims that
//! our runs confirm, and the claims that they do not.

use super::claims::{claims, irn_beats_roce, irn_needs_no_pfc};
use super::found::Found;
use crate::{Claim, Finding, Holds};

/// Returns the answer, without sentences that lack their runs.
pub(super) fn answer(findings: &[Finding]) -> Vec<String> {
    let claims = claims(findings);
    let count = |&count: &usize| count > 0;
    let hold = Some(claims.len()).filter(count).map(|all| {
        let hold = claims.iter().filter(|claim| claim.holds == Holds::Yes).count();
        let colon = if hold < all { "; these do not:" } else { "." };
        format!("{hold} of {all} claims of the paper hold in our runs{colon}")
    });
    let missed = |claim: &&Claim| claim.holds != Holds::Yes;
    let missed = claims.iter().filter(missed);
    let missed =
        missed.map(|claim| format!("{}: {}; {}.", claim.section, claim.text, claim.numbers));
    verdict(findings).into_iter().chain(hold).chain(missed).collect()
}

/// Returns the verdict as a sentence. IRN needs no lossless network if PFC improves it by almost
/// nothing. IRN can replace RoCE if it is better than RoCE with PFC.
fn verdict(findings: &[Finding]) -> Option<String> {
    let found = Found(findings);
    let (alone, better) = (irn_needs_no_pfc(found)?, irn_beats_roce(found)?);
    let word = match (alone.holds == Holds::Yes, better.holds == Holds::Yes) {
        (true, true) => "No",
        (true, false) => "IRN does not, but it is not always better than RoCE with PFC",
        (false, _) => "Yes",
    };
    Some(format!("{word}: {}, and {}.", alone.numbers, better.numbers))
}

#[cfg(test)]
mod tests {
    use super::super::found::finding;
    use super::answer;

    #[test]
    fn irn_answer_follows_the_findings() {
        let of = |pfc: f64, roce: f64| {
            let case = |item, case, value| finding(item, case, "average FCT", "x", vec![value]);
            answer(&[
                case("fig2", "IRN+PFC over IRN", pfc),
                case("fig1", "RoCE+PFC over IRN", roce),
            ])
        };
        let good = of(1.1, 2.0);
        assert!(good[0].starts_with("No: each metric of IRN with PFC is 1.10"), "{good:?}");
        assert_eq!(good[1..], ["2 of 2 claims of the paper hold in our runs."]);
        assert!(of(1.1, 0.9)[0].starts_with("IRN does not, but"));
        let bad = of(0.5, 0.9);
        assert!(bad[0].starts_with("Yes: "), "{bad:?}");
        assert_eq!(bad[1], "0 of 2 claims of the paper hold in our runs; these do not:");
        assert_eq!(bad.len(), 4);
        assert!(answer(&[]).is_empty());
    }
}
