//! [`Margin`]: text that stands before the lines of a file that came by mail, from several hosts or out
//! of another tool.

use super::node_id::node_id_in;
use bandwise_input::{InputError, Source};

/// The text before each line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Margin<'a> {
    /// Nothing but indentation.
    None,
    /// `>`, once for each reply, before some lines.
    Quotes,
    /// The same word before all lines, such as `node1:`.
    Label(&'a str),
    /// A number or a time before all lines.
    Number,
}

impl<'a> Margin<'a> {
    /// Returns the text before the lines of a file with nodes. A prompt of one character does not count.
    pub(super) fn of(text: &'a str) -> Self {
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_node = |line: &str| node_id_in(line).is_some();
        if lines().any(|line| line.starts_with('>') && is_node(Margin::Quotes.remove(line))) {
            return Margin::Quotes;
        }
        let first = lines().next().and_then(|line| line.split_whitespace().next());
        let label = first.filter(|word| word.ends_with(':')).map(Margin::Label);
        let candidates = label.into_iter().chain([Margin::Number]);
        let is_before_all = |margin: &Margin| {
            lines().all(|line| margin.is_before(line))
                && lines().any(|line| is_node(margin.remove(line)))
        };
        candidates.into_iter().find(is_before_all).unwrap_or(Margin::None)
    }

    /// Returns whether a line without indentation begins with the text.
    fn is_before(self, line: &str) -> bool {
        match self {
            Margin::Label(label) => line.starts_with(label),
            Margin::Number => number(line).is_some(),
            Margin::None | Margin::Quotes => true,
        }
    }

    /// Returns a line without indentation and without the text.
    pub(super) fn remove(self, line: &str) -> &str {
        let line = line.trim_start();
        let rest = match self {
            Margin::None => line,
            Margin::Quotes => line.trim_start_matches(|c: char| c == '>' || c.is_whitespace()),
            Margin::Label(label) => line.strip_prefix(label).unwrap_or(line),
            Margin::Number => number(line).unwrap_or(line),
        };
        rest.trim_start()
    }

    /// Returns a note at the first line of a file.
    pub(super) fn note(self, source: &Source) -> Option<InputError> {
        let before = match self {
            Margin::None => return None,
            Margin::Quotes => "lines begin with `>`, as mail quotes".to_owned(),
            Margin::Label(label) => format!("each line begins with `{label}`"),
            Margin::Number => "each line begins with a number or a time".to_owned(),
        };
        Some(source.error_in_line(1, format!("{before}: removed")))
    }
}

/// Returns a line without the number or the time at its begin: `12`, `12:` or `2026-03-03T08:01:12`.
fn number(line: &str) -> Option<&str> {
    let after = |kept: fn(char) -> bool| line.trim_start_matches(kept);
    let time = after(|c| c.is_ascii_digit() || "-:.,+TZ".contains(c));
    if !line.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if time.is_empty() || time.starts_with(char::is_whitespace) {
        return Some(time);
    }
    after(|c| c.is_ascii_digit()).strip_prefix(':')
}
