//! [`Claim`]: a sentence of a paper, and whether our runs bear it out.

/// A sentence of a paper, and whether our runs bear it out.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Where the paper makes it.
    pub section: &'static str,
    /// What it says.
    pub text: &'static str,
    /// Whether that is so in our runs.
    pub holds: bool,
    /// The numbers that decide.
    pub numbers: String,
}
