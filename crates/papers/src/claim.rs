//! [`Claim`]: a claim of a paper, and the verdict of the findings.

/// A claim of a paper, and the verdict of the findings.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Section.
    pub section: &'static str,
    /// Claim.
    pub text: &'static str,
    /// True if the claim holds in the runs.
    pub holds: bool,
    /// Numbers on which the verdict rests.
    pub numbers: String,
}
