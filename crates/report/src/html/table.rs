//! Tables of the page. Each scrolls sideways on its own, so that the page never does.

use crate::markup::Markup;
use crate::number::{allowed, difference, people, published, with_unit};
use crate::text::{marks, spread};
use crate::{Cell, Dependence, Row, Table, Verdict};

/// Writes a table of the report.
pub(super) fn write(m: &mut Markup, table: &Table) {
    let columns = table.rows.iter().map(Vec::len).chain([table.header.len()]).max().unwrap_or(0);
    let number = |c: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(c)).peekable();
        cells.peek().is_some() && cells.all(|cell| matches!(cell, Cell::Number { .. }))
    };
    let header: Vec<(String, bool)> = (0..columns)
        .map(|c| (table.header.get(c).cloned().unwrap_or_default(), number(c)))
        .collect();
    m.element("section", &[("class", &"card")], |m| {
        m.leaf("h2", &[], &table.title);
        scrolling(m, &table.title, |m| {
            let words = if table.caption.is_empty() { &table.title } else { &table.caption };
            m.leaf("caption", &[], words);
            head(m, &header);
            m.element("tbody", &[], |m| {
                for row in &table.rows {
                    m.element("tr", &[], |m| {
                        for (c, (_, number)) in header.iter().enumerate() {
                            match row.get(c) {
                                Some(Cell::Text(text)) => cell(m, text, false),
                                Some(Cell::Number { value, unit }) => {
                                    cell(m, &with_unit(*value, unit), *number);
                                }
                                Some(Cell::Verdict { text, verdict }) => {
                                    m.element("td", &[], |m| judged(m, *verdict, text, "words"));
                                }
                                None => cell(m, "", false),
                            }
                        }
                    });
                }
            });
        });
    });
}

/// Writes measured values with published values, one body of the table for each item.
pub(super) fn comparison(m: &mut Markup, groups: &[Vec<&Row>], tally: &str) {
    m.element("section", &[("class", &"card"), ("id", &"section-rows")], |m| {
        m.leaf("h2", &[], "Ours beside the published values");
        scrolling(m, "Ours beside the published values", |m| {
            m.leaf("caption", &[], tally);
            let header = [
                ("Case", false),
                ("Published", true),
                ("Ours", true),
                ("Off by", true),
                ("Agrees", false),
            ];
            head(m, &header.map(|(name, number)| (name.to_owned(), number)));
            for group in groups {
                m.element("tbody", &[], |m| item(m, group));
            }
        });
    });
}

fn item(m: &mut Markup, group: &[&Row]) {
    m.element("tr", &[("class", &"item")], |m| {
        let name = format!("{} {}", group[0].paper, group[0].item);
        m.leaf("th", &[("colspan", &5), ("scope", &"rowgroup")], name);
    });
    for row in group {
        m.element("tr", &[], |m| {
            m.element("th", &[("scope", &"row")], |m| {
                m.text(&row.case);
                m.leaf("small", &[], format!(" {} ({})", row.metric, row.unit));
            });
            cell(m, &published(row), true);
            m.element("td", &[("class", &"number")], |m| {
                m.text(people(row.measured));
                if row.spread.is_some() {
                    m.leaf("small", &[], format!(" {}", spread(row)));
                }
            });
            m.element("td", &[("class", &"number")], |m| {
                m.text(difference(row.measured, row.published));
                if row.published.is_some() {
                    m.leaf("small", &[], format!(" {}", allowed(row)));
                }
            });
            let verdict = Verdict::from(row.agrees);
            let words = match verdict {
                Verdict::Good => "yes",
                Verdict::Bad => "no",
                Verdict::Neutral => "not compared",
            };
            m.element("td", &[], |m| {
                judged(m, verdict, words, "word");
                if let Some(origin) = origin(row) {
                    m.leaf("small", &[("title", &origin)], format!(" {}", marks(row)));
                } else if row.by_floor {
                    m.leaf("small", &[], format!(" {}", marks(row)));
                }
            });
        });
    }
}

/// Returns the origin of a published value that is not counted, as text.
fn origin(row: &Row) -> Option<String> {
    row.dependence.as_ref().map(|dependence| match dependence {
        Dependence::Repeats(place) => format!("repeats {place}"),
        Dependence::Derived(calculation) => format!("derived: {calculation}"),
    })
}

/// Writes a judgement: its coloured sign, and a text. Text of class `word` repeats the sign and is
/// hidden on narrow screens.
fn judged(m: &mut Markup, verdict: Verdict, words: &str, words_class: &str) {
    let class = match verdict {
        Verdict::Good => "verdict good",
        Verdict::Bad => "verdict bad",
        Verdict::Neutral => "verdict",
    };
    m.element("span", &[("class", &class)], |m| {
        m.text(verdict.sign());
        if !words.is_empty() {
            m.leaf("span", &[("class", &words_class)], format!(" {words}"));
        }
    });
}

/// Writes a table that scrolls sideways on its own, also by keyboard.
pub(super) fn scrolling(m: &mut Markup, name: &str, body: impl FnOnce(&mut Markup)) {
    let attributes: crate::markup::Attributes<'_> =
        &[("class", &"scroll"), ("role", &"region"), ("tabindex", &0), ("aria-label", &name)];
    m.element("div", attributes, |m| m.element("table", &[], body));
}

/// Writes the head of a table: column names, and whether the columns are numbers.
pub(super) fn head(m: &mut Markup, columns: &[(String, bool)]) {
    m.element("thead", &[], |m| {
        m.element("tr", &[], |m| {
            for (name, number) in columns {
                let class = if *number { "number" } else { "words" };
                m.leaf("th", &[("scope", &"col"), ("class", &class)], name);
            }
        });
    });
}

/// The number of characters from which a text gets a minimum width on narrow screens.
const LONG: usize = 20;

/// Writes a cell.
pub(super) fn cell(m: &mut Markup, text: &str, number: bool) {
    let class = match number {
        true => "number",
        false if text.chars().count() > LONG => "words long",
        false => "words",
    };
    m.leaf("td", &[("class", &class)], text);
}
