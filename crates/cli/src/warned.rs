//! Warnings in reports: a sentence in the answer, and each in the notes.

/// Returns a sentence about warnings, if there are some.
pub(crate) fn answer(warnings: &[String]) -> Option<String> {
    match warnings.len() {
        0 => None,
        1 => Some("There is 1 warning, in the notes.".into()),
        more => Some(format!("There are {more} warnings, in the notes.")),
    }
}

/// Returns a note for each warning.
pub(crate) fn notes(warnings: &[String]) -> impl Iterator<Item = String> {
    warnings.iter().map(|warning| format!("Warning: {warning}."))
}
