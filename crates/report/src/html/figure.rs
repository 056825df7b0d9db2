//! Figures on the page: title, legend, plot, caption, and a folded table of values.

use super::table;
use crate::markup::Markup;
use crate::number::people;
use crate::plot::{self, Drawable};
use crate::{Figure, Scale};

/// The maximum number of values that are listed under a plot.
const LISTED: usize = 400;

/// Writes a figure, or several figures of one group side by side.
pub(super) fn write(m: &mut Markup, figures: &[(&Figure, String)]) {
    let (first, id) = &figures[0];
    if figures.len() == 1 {
        return alone(m, first, id);
    }
    m.element("section", &[("class", &"card panels")], |m| {
        m.leaf("h2", &[], &first.group);
        m.element("div", &[("class", &"row")], |m| {
            for (figure, id) in figures {
                m.element("figure", &[("id", &id)], |m| {
                    m.leaf("h3", &[], &figure.title);
                    inner(m, figure, id, &[plot::NARROW]);
                });
            }
        });
    });
}

fn alone(m: &mut Markup, figure: &Figure, id: &str) {
    m.element("figure", &[("id", &id), ("class", &"card")], |m| {
        m.leaf("h2", &[], figure.name());
        inner(m, figure, id, &[plot::WIDE, plot::NARROW]);
    });
}

/// Writes the parts below the title of a figure, drawn for these sizes.
fn inner(m: &mut Markup, figure: &Figure, id: &str, sizes: &[plot::Size]) {
    let drawable = Drawable::new(figure);
    if drawable.is_empty() {
        m.leaf("p", &[("class", &"remark")], "There are no values to draw.");
    } else {
        plot::legend(m, &drawable);
        for size in sizes {
            m.part(plot::draw(&drawable, size, id));
        }
    }
    m.element("figcaption", &[], |m| {
        if !figure.caption.is_empty() {
            m.leaf("p", &[], &figure.caption);
        }
        for remark in drawable.remarks() {
            m.leaf("p", &[("class", &"remark")], remark);
        }
    });
    let count: usize = figure.series.iter().map(|s| s.points.len()).sum();
    if (1..=LISTED).contains(&count) {
        values(m, figure);
    }
}

/// Writes the values of a figure as a table, including those that are not drawn.
fn values(m: &mut Markup, figure: &Figure) {
    let points = || figure.series.iter().flat_map(|s| s.points.iter());
    let (low, high) = (points().any(|p| p.low.is_some()), points().any(|p| p.high.is_some()));
    let head = |axis: &crate::Axis| match (axis.label.as_str(), axis.unit.as_str()) {
        (label, "") => label.to_owned(),
        (label, unit) => format!("{label} ({unit})"),
    };
    let mut header = vec![("Series".to_owned(), false)];
    let category = matches!(figure.x.scale, Scale::Category(_));
    header.push((head(&figure.x), !category));
    header.push((head(&figure.y), true));
    for (wanted, name) in [(low, "Lower end"), (high, "Upper end")] {
        if wanted {
            header.push((name.to_owned(), true));
        }
    }
    m.element("details", &[], |m| {
        m.leaf("summary", &[], "Values of this plot");
        let caption = format!("Values of the plot “{}”", figure.name());
        table::scrolling(m, &caption, |m| {
            m.leaf("caption", &[("class", &"hidden")], &caption);
            table::head(m, &header);
            m.element("tbody", &[], |m| {
                for series in &figure.series {
                    for point in &series.points {
                        let x = match &figure.x.scale {
                            Scale::Category(names) => {
                                names.get(point.x as usize).cloned().unwrap_or_default()
                            }
                            _ => people(point.x),
                        };
                        let mut cells = vec![series.name.clone(), x, people(point.y)];
                        let end = |end: Option<f64>| end.map_or_else(String::new, people);
                        if low {
                            cells.push(end(point.low));
                        }
                        if high {
                            cells.push(end(point.high));
                        }
                        m.element("tr", &[], |m| {
                            for (text, (_, number)) in cells.iter().zip(&header) {
                                table::cell(m, text, *number);
                            }
                        });
                    }
                }
            });
        });
    });
}
