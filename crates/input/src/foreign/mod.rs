//! [`Foreign`]: files of other tools, recognised by their first lines, each with the input to give
//! instead.

mod infiniband;
mod others;
mod simulators;

/// The beginning of a text that is searched, in bytes.
const HEAD: usize = 64 << 10;

/// A kind of file that Bandwise recognises and does not read.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// The file's kind, as a noun phrase.
    pub name: &'static str,
    /// The remedy: a command to run, or the place of each value in Bandwise's files.
    pub remedy: &'static str,
    matches: fn(&Head) -> bool,
}

/// The first lines of a text that are neither empty nor comments.
struct Head<'a> {
    text: &'a str,
    lines: Vec<&'a str>,
}

impl<'a> Head<'a> {
    fn new(text: &'a str) -> Self {
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
    fn line(&self, number: usize) -> &'a str {
        self.lines.get(number).copied().unwrap_or_default()
    }

    /// Returns the words of a line.
    fn words(&self, number: usize) -> Vec<&'a str> {
        self.line(number).split_whitespace().collect()
    }

    /// Returns whether a line consists of this many whole numbers.
    fn is_integers(&self, number: usize, count: usize) -> bool {
        let words = self.words(number);
        words.len() == count && words.iter().all(|word| is_integer(word))
    }

    /// Returns whether one of the first lines begins with one of these.
    fn begins_with(&self, starts: &[&str]) -> bool {
        self.lines.iter().any(|line| starts.iter().any(|start| line.starts_with(start)))
    }

    /// Returns whether the text contains one of these.
    fn contains(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.text.contains(part))
    }
}

fn is_integer(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

const RUN_IBNETDISCOVER: &str =
    "the output of `ibnetdiscover` without flags: `ibnetdiscover > fabric.txt`";

const NEEDS_CABLES: &str = "a fabric with cables and rates, which this file lacks: the output of `ibnetdiscover`, or TOML with a \
     [fabric] table";

impl Foreign {
    /// Returns the kind of a text; `None` for a kind that is not in the table.
    pub fn of(text: &str) -> Option<&'static Foreign> {
        let head = Head::new(text);
        let all = [infiniband::KNOWN, others::KNOWN, simulators::KNOWN];
        all.into_iter().flatten().find(|known| (known.matches)(&head))
    }
}
