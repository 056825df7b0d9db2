//! [`Foreign`]: a kind of files, with the lines by which it is recognised.

/// The beginning of a text that is searched, in bytes.
const HEAD: usize = 64 << 10;

/// A kind of file that Bandwise recognises and does not read.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// The file's kind, as a noun phrase.
    pub name: &'static str,
    /// The remedy: a command to run, or the place of each value in Bandwise's files.
    pub remedy: &'static str,
    pub(super) matches: fn(&Head) -> bool,
}

/// The first lines of a text that are neither empty nor comments.
pub(super) struct Head<'a> {
    pub(super) text: &'a str,
    pub(super) lines: Vec<&'a str>,
}

impl<'a> Head<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut end = HEAD.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &text[..end];
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        Head { text, lines: lines.take(8).collect() }
    }

    /// Returns a line, counted from 0, or an empty text.
    pub(super) fn line(&self, number: usize) -> &'a str {
        self.lines.get(number).copied().unwrap_or_default()
    }

    /// Returns the words of a line.
    pub(super) fn words(&self, number: usize) -> Vec<&'a str> {
        self.line(number).split_whitespace().collect()
    }

    /// Returns whether a line consists of this many whole numbers.
    pub(super) fn is_integers(&self, number: usize, count: usize) -> bool {
        let words = self.words(number);
        words.len() == count && words.iter().all(|word| is_integer(word))
    }

    /// Returns whether one of the first lines begins with one of these.
    pub(super) fn begins_with(&self, starts: &[&str]) -> bool {
        self.lines.iter().any(|line| starts.iter().any(|start| line.starts_with(start)))
    }

    /// Returns whether the text contains one of these.
    pub(super) fn contains(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.text.contains(part))
    }
}

pub(super) fn is_integer(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

pub(super) const RUN_IBNETDISCOVER: &str =
    "the output of `ibnetdiscover` without flags: `ibnetdiscover > fabric.txt`";

pub(super) const NEEDS_CABLES: &str = "a fabric with cables and rates, which this file lacks: the output of `ibnetdiscover`, or TOML with a \
     [fabric] table";
