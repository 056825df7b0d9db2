//! Facts about the machine, as text.

/// Returns the value, or text that says that the value is not known.
pub(super) fn or_not_known(value: Option<String>) -> String {
    value.unwrap_or_else(|| "not known".into())
}

/// Returns a number of cores as text.
pub(super) fn cores(n: usize) -> String {
    if n == 1 { "1 core".to_owned() } else { format!("{n} cores") }
}
