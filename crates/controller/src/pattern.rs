//! [`Pattern`]: a set of names of applications or ports.

/// A set of names: `*` matches any characters, also none; every other character matches itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

/// A pattern of a length that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a pattern of {0} bytes")]
pub struct NoPattern(usize);

impl Pattern {
    /// The allowed patterns, for error messages.
    pub const ALLOWED: &str = "1 to 256 bytes: a name, with * for any characters";

    /// Returns the pattern that matches every name.
    pub fn any() -> Self {
        Pattern("*".into())
    }

    /// Returns whether the pattern matches a name.
    pub fn is_like(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut left) = name.strip_prefix(first) else { return false };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        // The leftmost match of each part leaves the most characters to the parts after it.
        for part in middle.split('*') {
            let Some(at) = left.find(part) else { return false };
            left = &left[at + part.len()..];
        }
        left.ends_with(last)
    }
}

impl TryFrom<String> for Pattern {
    type Error = NoPattern;

    fn try_from(text: String) -> Result<Self, NoPattern> {
        if (1..=256).contains(&text.len()) { Ok(Pattern(text)) } else { Err(NoPattern(text.len())) }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A second matcher that tries every split, as the oracle.
    fn by_trying(pattern: &[u8], name: &[u8]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some((b'*', rest)), _) => {
                (0..=name.len()).any(|taken| by_trying(rest, &name[taken..]))
            }
            (Some((p, rest)), Some((n, left))) => p == n && by_trying(rest, left),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn star_matches_any_characters(pattern in "[ab*]{1,6}", name in "[ab]{0,6}") {
            let wanted = by_trying(pattern.as_bytes(), name.as_bytes());
            prop_assert_eq!(Pattern::try_from(pattern).unwrap().is_like(&name), wanted);
        }
    }
}
