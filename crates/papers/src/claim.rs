//! [`Claim`]: a claim of a paper, and the verdict of the findings.

/// The verdict of findings on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// The numbers confirm the claim.
    Yes,
    /// The numbers confirm a part of the claim, or confirm it only barely.
    InPart,
    /// The numbers contradict the claim.
    No,
}

impl From<bool> for Holds {
    fn from(holds: bool) -> Self {
        if holds { Holds::Yes } else { Holds::No }
    }
}

impl Holds {
    /// Returns the verdict as words.
    pub fn word(self) -> &'static str {
        match self {
            Holds::Yes => "holds",
            Holds::InPart => "holds in part",
            Holds::No => "does not hold",
        }
    }
}

/// A claim of a paper, and the verdict of the findings.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Section.
    pub section: &'static str,
    /// Claim.
    pub text: &'static str,
    /// Fabric of the runs, if the claim is also tried on others than the paper's; else empty.
    pub fabric: &'static str,
    /// Verdict of the runs.
    pub holds: Holds,
    /// Numbers on which the verdict rests.
    pub numbers: String,
}
