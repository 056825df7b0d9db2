//! Facts of the machine, in words.

/// Returns the value, or words that say that it is not known.
pub(super) fn or_not_known(value: Option<String>) -> String {
    value.unwrap_or_else(|| "not known".into())
}

/// Returns a number of cores in words.
pub(super) fn cores(n: usize) -> String {
    if n == 1 { "1 core".to_owned() } else { format!("{n} cores") }
}
