//! Lanes on the page: title, legend, plot, caption, and a folded table of their ends.

use super::table;
use crate::Lanes;
use crate::markup::Markup;
use crate::number::with_unit;
use crate::plot;

/// Writes lanes.
pub(super) fn write(m: &mut Markup, lanes: &Lanes, id: &str) {
    m.element("figure", &[("id", &id), ("class", &"card")], |m| {
        m.leaf("h2", &[], &lanes.title);
        if lanes.lanes.is_empty() {
            m.leaf("p", &[("class", &"remark")], "There is nothing to draw.");
        } else {
            plot::lanes::legend(m, lanes);
            for size in [&plot::WIDE, &plot::NARROW] {
                m.part(plot::lanes::draw(lanes, size, id));
            }
        }
        m.element("figcaption", &[], |m| m.leaf("p", &[], &lanes.caption));
        if !lanes.lanes.is_empty() {
            values(m, lanes);
        }
    });
}

/// Writes the end and the note of each lane.
fn values(m: &mut Markup, lanes: &Lanes) {
    m.element("details", &[], |m| {
        m.leaf("summary", &[], "The same as a table");
        let caption = format!("The lanes “{}”", lanes.title);
        table::scrolling(m, &caption, |m| {
            m.leaf("caption", &[("class", &"hidden")], &caption);
            let header = ["Lane", "Track", "Until", "Meanwhile"];
            table::head(m, &header.map(|name| (name.to_owned(), name == "Until")));
            m.element("tbody", &[], |m| {
                for lane in &lanes.lanes {
                    for (track, name) in lane.tracks.iter().zip(&lanes.tracks) {
                        m.element("tr", &[], |m| {
                            table::cell(m, &lane.name, false);
                            table::cell(m, name, false);
                            table::cell(m, &with_unit(track.end, &lanes.x.unit), true);
                            table::cell(m, &track.note.replace('\n', ", "), false);
                        });
                    }
                }
            });
        });
    });
}
