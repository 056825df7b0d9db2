//! [`ClaimRow`]: a claim in JSON.

use bandwise_papers::{Claim, Holds};
use serde::Serialize;

/// A claim, and whether it holds.
#[derive(Serialize)]
pub(crate) struct ClaimRow {
    section: &'static str,
    claim: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    fabric: &'static str,
    holds: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_part: bool,
    numbers: String,
}

impl From<&Claim> for ClaimRow {
    fn from(claim: &Claim) -> Self {
        let &Claim { section, text, fabric, holds, ref numbers } = claim;
        ClaimRow {
            section,
            claim: text,
            fabric,
            holds: holds == Holds::Yes,
            in_part: holds == Holds::InPart,
            numbers: numbers.clone(),
        }
    }
}
