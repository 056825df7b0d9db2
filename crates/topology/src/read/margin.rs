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
    /// The same text before all lines but for its digits, such as that of a log: `Nov 02 09:12:44 node1: `.
    Log(&'a str),
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
        let log = lines().find_map(|line| Some(Margin::Log(&line[..start_of_dump(line)?])));
        let candidates = label.into_iter().chain([Margin::Number]).chain(log);
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
            Margin::Log(text) => after_alike(line, text.trim_end()).is_some(),
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
            Margin::Log(text) => after_alike(line, text.trim_end()).unwrap_or(line),
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
            Margin::Log(text) => {
                format!("each line begins as `{}`, but for digits", text.trim_end())
            }
        };
        Some(source.error_in_line(1, format!("{before}: removed")))
    }
}

/// Returns the place in a line where the first line of a dump, or one about the next node, begins.
fn start_of_dump(line: &str) -> Option<usize> {
    let starts = ["# Topology file: generated on ", "vendid=0x", "switchguid=0x", "caguid=0x"];
    let at = starts.iter().find_map(|start| line.find(start))?;
    (at > 0 && line[..at].ends_with(char::is_whitespace)).then_some(at)
}

/// Returns a line without a text at its begin, where both may have other digits.
fn after_alike<'a>(line: &'a str, text: &str) -> Option<&'a str> {
    let mut rest = line.chars();
    let is_alike = |(wanted, found): (char, Option<char>)| {
        found == Some(wanted)
            || (wanted.is_ascii_digit() && found.is_some_and(|c| c.is_ascii_digit()))
    };
    let starts = text.chars().all(|wanted| is_alike((wanted, rest.next())));
    starts.then_some(rest.as_str())
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
