//! The report as one self-contained page, with style, script and plots inside. The page loads
//! nothing. It is readable without the script, which adds tooltips only.

mod figure;
mod lanes;
mod provenance;
mod table;

use crate::Tally;
use crate::markup::Markup;
use crate::text::{groups, legend};
use crate::{Figure, Lanes, Report};
use std::collections::BTreeSet;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The content security policy of the page: only its own style and script. The empty icon keeps
/// browsers from requesting one from a server.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// Returns the page. Equal reports give equal bytes.
pub fn render(report: &Report) -> String {
    let mut m = Markup::default();
    m.raw("<!DOCTYPE html>\n");
    m.element("html", &[("lang", &"en")], |m| {
        m.element("head", &[], |m| head(m, report));
        m.element("body", &[], |m| body(m, report));
    });
    m.finish()
}

fn head(m: &mut Markup, report: &Report) {
    m.void("meta", &[("charset", &"utf-8")]);
    m.void("meta", &[("http-equiv", &"Content-Security-Policy"), ("content", &POLICY)]);
    m.void("meta", &[("name", &"viewport"), ("content", &"width=device-width, initial-scale=1")]);
    m.void("meta", &[("name", &"color-scheme"), ("content", &"light dark")]);
    m.void("meta", &[("name", &"generator"), ("content", &"bandwise")]);
    m.void("link", &[("rel", &"icon"), ("href", &"data:,")]);
    m.leaf("title", &[], &report.title);
    m.element("style", &[], |m| m.raw(STYLE));
}

fn body(m: &mut Markup, report: &Report) {
    let mut ids = Ids::default();
    m.element("main", &[], |m| {
        m.element("header", &[], |m| {
            let date = report.provenance.date.iter().map(|date| format!(" · {date}"));
            m.leaf(
                "p",
                &[("class", &"kind")],
                format!("Bandwise report{}", date.collect::<String>()),
            );
            m.leaf("h1", &[], &report.title);
            if !report.question.is_empty() {
                m.leaf("p", &[("class", &"question")], &report.question);
            }
        });
        answer(m, report);
        let figures: Vec<Named<'_>> = report.figures.iter().map(|f| (f, ids.take(&f.id))).collect();
        let together =
            |(a, _): &Named<'_>, (b, _): &Named<'_>| !a.group.is_empty() && a.group == b.group;
        let groups_of_figures: Vec<&[Named<'_>]> = figures.chunk_by(together).collect();
        let lanes: Vec<_> = report.lanes.iter().map(|lanes| (lanes, ids.take(&lanes.id))).collect();
        if groups_of_figures.len() + lanes.len() > 2 {
            contents(m, &groups_of_figures, &lanes);
        }
        for figures in groups_of_figures {
            figure::write(m, figures);
        }
        for (lanes, id) in &lanes {
            lanes::write(m, lanes, id);
        }
        for table in &report.tables {
            table::write(m, table);
        }
        if !report.rows.is_empty() {
            let tally = format!("{} {}", Tally::of(&report.rows), legend(&report.rows));
            table::comparison(m, &groups(&report.rows), tally.trim());
        }
        if !report.notes.is_empty() {
            m.element("section", &[("id", &"section-notes")], |m| {
                m.leaf("h2", &[], "Notes");
                for note in &report.notes {
                    m.leaf("p", &[], note);
                }
            });
        }
        provenance::write(m, &report.provenance);
    });
    m.element("script", &[], |m| m.raw(SCRIPT));
}

/// Writes the findings, which come first.
fn answer(m: &mut Markup, report: &Report) {
    if report.answer.is_empty() && report.rows.is_empty() {
        return;
    }
    m.element("section", &[("class", &"answer"), ("id", &"section-answer")], |m| {
        m.leaf("h2", &[], "Answer");
        if !report.answer.is_empty() {
            m.element("ul", &[], |m| report.answer.iter().for_each(|a| m.leaf("li", &[], a)));
        }
        if !report.rows.is_empty() {
            m.element("p", &[("class", &"tally")], |m| {
                m.leaf("a", &[("href", &"#section-rows")], Tally::of(&report.rows).to_string());
            });
        }
    });
}

/// A figure and its id.
type Named<'a> = (&'a Figure, String);

/// Writes a link to each figure, or to several of one group.
fn contents(m: &mut Markup, figures: &[&[Named<'_>]], lanes: &[(&Lanes, String)]) {
    m.element("nav", &[("aria-label", &"Figures")], |m| {
        m.element("ul", &[], |m| {
            for together in figures {
                let (figure, id) = &together[0];
                let title = if together.len() == 1 { figure.name() } else { figure.group.clone() };
                m.element("li", &[], |m| {
                    m.leaf("a", &[("href", &format!("#{id}"))], title);
                });
            }
            for (lanes, id) in lanes {
                m.element("li", &[], |m| {
                    m.leaf("a", &[("href", &format!("#{id}"))], &lanes.title);
                });
            }
        });
    });
}

/// The ids of elements that are in use.
#[derive(Debug, Default)]
struct Ids(BTreeSet<String>);

impl Ids {
    /// Returns a free id near `wanted`. Ids of the page's own sections begin with `section-`, which
    /// no other id does.
    fn take(&mut self, wanted: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let mut base: String = wanted.chars().map(plain).collect();
        if base.is_empty() || base.starts_with("section-") {
            base.insert_str(0, "figure-");
        }
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        let free = std::iter::once(base.clone()).chain(numbered).find(|id| !self.0.contains(id));
        let id = free.expect("numbers don't end");
        self.0.insert(id.clone());
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_plain_and_given_once() {
        let mut ids = Ids::default();
        let taken = ["fig7a", "fig7a", "", "a b\"", "section-rows"].map(|id| ids.take(id));
        assert_eq!(taken, ["fig7a", "fig7a-2", "figure-", "a-b-", "figure-section-rows"]);
    }
}
