//! [`variant()`]: a scenario file with some values changed.

/// Returns the text of a scenario with each of the first texts replaced by the second.
///
/// # Panics
///
/// Panics if a text does not occur exactly once.
pub(super) fn variant(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from:?} in {text}");
        text.replace(from, to)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_one_value() {
        assert_eq!(variant("a = 1\nb = 2", &[("b = 2", "b = 3")]), "a = 1\nb = 3");
    }

    #[test]
    #[should_panic(expected = "a = 9")]
    fn missing_value_is_an_error() {
        variant("a = 1", &[("a = 9", "a = 2")]);
    }
}
