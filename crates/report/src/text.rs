//! Tables for a terminal of 100 columns: numbers right-aligned, long texts wrapped.

use crate::number::{allowed, difference, people, published, rounded, with_unit};
use crate::{Cell, Dependence, Row, Table, Tally, Verdict};
use bandwise_input::is_printable;

/// The maximum width of a table, as long as its columns can be narrowed.
const WIDTH: usize = 100;
/// The minimum width of a column of words.
const NARROWEST: usize = 10;

/// Returns a table with its title above and its caption below.
pub fn table(table: &Table) -> String {
    let columns = table.rows.iter().map(Vec::len).chain([table.header.len()]).max().unwrap_or(0);
    let number = |cell: &Cell| matches!(cell, Cell::Number { .. });
    let right: Vec<bool> = (0..columns)
        .map(|c| {
            let mut cells = table.rows.iter().filter_map(|row| row.get(c)).peekable();
            cells.peek().is_some() && cells.all(number)
        })
        .collect();
    let mut lines = vec![table.header.clone()];
    lines.extend(table.rows.iter().map(|row| row.iter().map(cell).collect()));
    let mut out = String::new();
    if !table.title.is_empty() {
        out += &format!("{}\n\n", one_line(&table.title));
    }
    out += &aligned(&lines, &right);
    if !table.caption.is_empty() {
        out += "\n";
        for line in wrapped(&table.caption, WIDTH) {
            out += &format!("{line}\n");
        }
    }
    out
}

/// Returns measured values with published values: a table for each figure or table of a paper, with
/// a mark of agreement for each row. [`tally`] counts and explains the marks.
pub fn rows(rows: &[Row]) -> String {
    let mut out = String::new();
    for group in groups(rows) {
        out += &format!("{} {}\n\n", one_line(&group[0].paper), one_line(&group[0].item));
        let header =
            ["case", "metric", "published", "ours", "runs", "unit", "off by", "allowed", ""];
        let mut lines = vec![header.map(str::to_owned).to_vec()];
        lines.extend(group.iter().map(|row| {
            vec![
                row.case.clone(),
                row.metric.clone(),
                published(row),
                people(row.measured),
                spread(row),
                row.unit.clone(),
                difference(row.measured, row.published),
                allowed(row),
                format!("{} {}", Verdict::from(row.agrees).sign(), marks(row)).trim().to_owned(),
            ]
        }));
        let mut right = vec![false, false, true, true, true, false, true, true, false];
        if group.iter().all(|row| row.spread.is_none()) {
            let runs = 4;
            right.remove(runs);
            lines.iter_mut().for_each(|line| drop(line.remove(runs)));
        }
        out += &aligned(&lines, &right);
        out += "\n";
    }
    out
}

/// Returns the number of rows that agree, and the meaning of their marks, as a paragraph.
pub fn tally(rows: &[Row]) -> String {
    let words = [Tally::of(rows).to_string(), legend(rows)].join(" ");
    wrapped(&words, WIDTH).into_iter().map(|line| line + "\n").collect()
}

/// Returns the words beside the verdict of a row.
pub(crate) fn marks(row: &Row) -> String {
    let dependence = row.dependence.as_ref().map(|dependence| match dependence {
        Dependence::Repeats(_) => "repeat",
        Dependence::Derived(_) => "derived",
    });
    let marks = [dependence, Some("floor").filter(|_| row.by_floor)];
    marks.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the smallest and the largest value of the runs, with three digits to leave room for the
/// case.
pub(crate) fn spread(row: &Row) -> String {
    let text = |value| people(rounded(value, 3));
    row.spread.map_or_else(String::new, |(least, most)| format!("{}..{}", text(least), text(most)))
}

/// Returns the rows by paper and item, in the order of first occurrence.
pub(crate) fn groups(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        let same =
            |group: &&mut Vec<&Row>| group[0].paper == row.paper && group[0].item == row.item;
        match groups.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// Returns the meaning of the marks of rows as sentences, for marks that occur.
pub(crate) fn legend(rows: &[Row]) -> String {
    let floor = "Floor: more than 15% off; the tolerance of small numbers is larger.";
    let dependence = "Repeat, derived: the paper states the number elsewhere too, or computes it \
                      from others; not counted.";
    let occurring = [
        Some(floor).filter(|_| rows.iter().any(|row| row.by_floor)),
        Some(dependence).filter(|_| rows.iter().any(|row| row.dependence.is_some())),
    ];
    occurring.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Number { value, unit } => with_unit(*value, unit),
        Cell::Verdict { text, verdict } => format!("{} {text}", verdict.sign()).trim().to_owned(),
    }
}

/// Returns the lines as aligned columns, with the first line as header. `right` marks columns of
/// numbers.
fn aligned(lines: &[Vec<String>], right: &[bool]) -> String {
    let columns = right.len();
    let lines: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            (0..columns).map(|c| line.get(c).map_or_else(String::new, |t| one_line(t))).collect()
        })
        .collect();
    let widths = widths(&lines, right);
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let cells: Vec<Vec<String>> =
            line.iter().zip(&widths).map(|(text, &width)| wrapped(text, width)).collect();
        for row in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let parts = (0..columns).map(|c| {
                let (text, width) = (cells[c].get(row).map_or("", String::as_str), widths[c]);
                if right[c] { format!("{text:>width$}") } else { format!("{text:<width$}") }
            });
            out += parts.collect::<Vec<_>>().join("  ").trim_end();
            out.push('\n');
        }
        if i == 0 {
            let rules: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
            out += &format!("{}\n", rules.join("  "));
        }
    }
    out
}

/// Returns the width of each column, that of its widest text. Narrows columns of words, the widest
/// first, until the table fits.
fn widths(lines: &[Vec<String>], right: &[bool]) -> Vec<usize> {
    let widest = |c: usize| lines.iter().map(|line| line[c].chars().count()).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..right.len()).map(widest).collect();
    while widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1) > WIDTH {
        let words = (0..widths.len()).filter(|&c| !right[c] && widths[c] > NARROWEST);
        let Some(c) = words.max_by_key(|&c| widths[c]) else { break };
        widths[c] -= 1;
    }
    widths
}

/// Breaks a text at spaces into lines of `width` characters, and breaks longer words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        let line = lines.last_mut().expect("starts with one");
        let used = line.chars().count();
        if used > 0 && used + 1 + word.len() <= width {
            line.push(' ');
            line.extend(word);
            continue;
        }
        if used > 0 {
            lines.push(String::new());
        }
        while word.len() > width {
            let rest = word.split_off(width);
            lines.last_mut().expect("starts with one").extend(word);
            lines.push(String::new());
            word = rest;
        }
        lines.last_mut().expect("starts with one").extend(word);
    }
    lines
}

/// Returns the text without line breaks and other characters that are not printable.
fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if is_printable(c) { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
