//! Drawing of a figure as one SVG element. Each point is a group with its values as `<title>`,
//! which browsers show and read out without the script.

use super::axes::{Axes, axes};
use super::drawable::{Drawable, Drawn, Mark};
use super::frame::frame;
use super::labels::{cut, meaning, spread, text_width};
use super::marks;
use super::size::Size;
use super::style::{Style, styles};
use crate::markup::{Markup, Px};
use crate::number::{short, with_unit};
use crate::{Figure, Scale, SeriesKind, SourceKind};

/// The maximum number of points of a series that respond to a pointer.
const PLACES: usize = 200;

/// Draws a figure that has a value to draw. `id` is the figure's id on its page.
pub(crate) fn draw(drawable: &Drawable<'_>, size: &Size, id: &str) -> Markup {
    let figure = drawable.figure;
    let named: Vec<usize> = (0..drawable.series.len())
        .filter(|&i| size.names && has_name(&drawable.series[i]))
        .collect();
    let name = |i: usize| cut(&figure.series[i].name, 26);
    let right = named.iter().map(|&i| text_width(&name(i)) + 18.0).fold(12.0, f64::max);
    let axes = axes(drawable, size, right);
    let plan = Plan::new(drawable, &axes);
    let mut m = Markup::default();
    let label = figure.name();
    let (class, about) = (format!("plot {}", size.name), format!("{id}-{}-about", size.name));
    let view = format!("0 0 {} {}", Px(size.width), Px(axes.height));
    let attributes: crate::markup::Attributes<'_> = &[
        ("class", &class),
        ("role", &"img"),
        ("aria-label", &label),
        ("aria-describedby", &about),
        ("viewBox", &view),
    ];
    m.element("svg", attributes, |m| {
        m.leaf("desc", &[("id", &about)], describe(drawable));
        frame(m, figure, &axes, size);
        let mut order: Vec<usize> = (0..drawable.series.len()).collect();
        order.sort_by_key(|&i| layer(&drawable.series[i]));
        for i in order {
            series(m, &plan, i);
        }
        let ends: Vec<Mark<'_>> =
            named.iter().filter_map(|&i| drawable.series[i].marks().last()).collect();
        let wanted: Vec<f64> = ends.iter().map(|end| axes.y.at(end.y)).collect();
        let places = spread(&wanted, 15.0, axes.top, axes.bottom - 4.0);
        for ((&i, end), y) in named.iter().zip(ends).zip(places) {
            let from = (axes.x.at(end.x) + 8.0, axes.y.at(end.y));
            let class = format!("name {}", plan.styles[i].colour);
            m.element("g", &[("class", &class)], |m| {
                if (from.1 - y).abs() > 4.0 || axes.right - from.0 > 12.0 {
                    let path = marks::lines(&[from, (axes.right + 2.0, y)]);
                    m.shape("path", &[("class", &"leader"), ("d", &path)]);
                }
                let (x, y) = (Px(axes.right + 6.0), Px(y + 4.0));
                m.leaf("text", &[("x", &x), ("y", &y)], name(i));
            });
        }
    });
    m
}

/// Returns whether a series is named beside the end of its line.
fn has_name(drawn: &Drawn<'_>) -> bool {
    let series = drawn.series;
    series.kind == SeriesKind::Line
        && series.source != SourceKind::Published
        && drawn.marks().next().is_some()
}

/// Returns the layer of a series: bars below lines, published values on top.
fn layer(drawn: &Drawn<'_>) -> u8 {
    match (drawn.series.kind, drawn.series.source) {
        (SeriesKind::Bars, _) => 0,
        (_, SourceKind::Published) => 2,
        _ => 1,
    }
}

/// Data of the whole plot that the drawing of each series needs.
struct Plan<'a> {
    drawable: &'a Drawable<'a>,
    axes: &'a Axes,
    styles: Vec<Style>,
    /// The series that are drawn side by side, in order: bars, or markers above names.
    beside: Vec<usize>,
    /// The width of each of their sections.
    slot: f64,
}

impl<'a> Plan<'a> {
    fn new(drawable: &'a Drawable<'a>, axes: &'a Axes) -> Self {
        let series = &drawable.figure.series;
        let of_kind = |kind| (0..series.len()).filter(move |&i| series[i].kind == kind);
        let mut beside: Vec<usize> = of_kind(SeriesKind::Bars).collect();
        if beside.is_empty() && matches!(drawable.figure.x.scale, Scale::Category(_)) {
            let ours = |i: &usize| series[*i].source == SourceKind::Ours;
            beside = of_kind(SeriesKind::Points).filter(ours).collect();
        }
        let mut places: Vec<f64> = beside
            .iter()
            .flat_map(|&i| drawable.series[i].marks().map(|mark| axes.x.at(mark.x)))
            .collect();
        places.sort_by(f64::total_cmp);
        let gaps = places.windows(2).map(|w| w[1] - w[0]).filter(|&gap| gap > 0.5);
        let width = match &drawable.figure.x.scale {
            Scale::Category(names) => (axes.right - axes.left) / names.len().max(1) as f64,
            _ => gaps.fold((axes.right - axes.left) / 3.0, f64::min),
        };
        let slot = (0.8 * width / beside.len().max(1) as f64).clamp(1.0, 64.0);
        Plan { drawable, axes, styles: styles(series), beside, slot }
    }

    /// Returns the horizontal shift of a series' points: beside other series, or onto its partner
    /// among our series.
    fn shift(&self, series: usize) -> f64 {
        let slot = |i: usize| self.beside.iter().position(|&other| other == i);
        let place = slot(series).or_else(|| slot(self.styles[series].partner?));
        place.map_or(0.0, |n| (n as f64 - (self.beside.len() - 1) as f64 / 2.0) * self.slot)
    }

    /// Returns the upper edge of a bar and the markers on it, for its label.
    fn upper_edge(&self, series: usize, mark: &Mark<'_>) -> f64 {
        let own = [Some(mark.y), mark.high].into_iter().flatten().map(|v| self.axes.y.at(v));
        let on_it = self.drawable.series.iter().enumerate().filter(|(i, other)| {
            self.styles[*i].partner == Some(series) && other.series.kind != SeriesKind::Bars
        });
        let markers = on_it
            .flat_map(|(_, other)| other.marks())
            .filter(|other| other.x == mark.x)
            .flat_map(|other| {
                let cap = other.high.map(|high| self.axes.y.at(high));
                [Some(self.axes.y.at(other.y) - 8.0), cap].into_iter().flatten()
            });
        own.chain(markers).fold(self.axes.y.base(), f64::min)
    }
}

/// Draws a series: its line first, then its points in order.
fn series(m: &mut Markup, plan: &Plan<'_>, i: usize) {
    let (drawn, style, axes) = (&plan.drawable.series[i], &plan.styles[i], plan.axes);
    let count = drawn.marks().count();
    let is_line = drawn.series.kind == SeriesKind::Line;
    let dense = drawn.is_dense();
    let class = format!("series {}{}", style.colour, if dense { " dense" } else { "" });
    m.element("g", &[("class", &class)], |m| {
        if is_line && count > 0 {
            marks::line(m, drawn, style, axes);
        }
        if dense {
            marks::tails(m, drawn, axes);
        }
        for mark in drawn.marks().step_by(count.div_ceil(PLACES).max(1)) {
            let x = axes.x.at(mark.x) + plan.shift(i);
            m.element("g", &[("class", &"pt")], |m| {
                m.leaf("title", &[], tip(plan.drawable.figure, drawn, &mark));
                if drawn.series.kind == SeriesKind::Bars {
                    bar(m, plan, i, &mark, x);
                }
                if !dense {
                    marks::whisker(m, style, &mark, axes, x);
                }
                if drawn.series.kind != SeriesKind::Bars {
                    marks::marker(m, style, x, axes.y.at(mark.y));
                }
            });
        }
    });
}

/// Draws a bar, and its value if there is room.
fn bar(m: &mut Markup, plan: &Plan<'_>, i: usize, mark: &Mark<'_>, x: f64) {
    let width = (plan.slot - 3.0).max(1.0);
    marks::bar(m, &plan.styles[i], x, width, plan.axes.y.base(), plan.axes.y.at(mark.y));
    let value = short(mark.y);
    if plan.slot >= 13.0 && text_width(&value) <= plan.slot + 4.0 {
        let y = match mark.y < 0.0 {
            true => {
                plan.axes.y.at([mark.low, mark.high].into_iter().flatten().fold(mark.y, f64::min))
                    + 15.0
            }
            false => plan.upper_edge(i, mark) - 5.0,
        };
        m.leaf(
            "text",
            &[("class", &"value"), ("x", &Px(x)), ("y", &Px(y)), ("text-anchor", &"middle")],
            value,
        );
    }
}

/// Returns the tooltip of a point, with one fact per line.
fn tip(figure: &Figure, drawn: &Drawn<'_>, mark: &Mark<'_>) -> String {
    let mut lines = vec![super::legend::name(drawn.series)];
    lines.push(match &figure.x.scale {
        Scale::Category(names) => names.get(mark.x as usize).cloned().unwrap_or_default(),
        _ => format!("{}: {}", figure.x.label, with_unit(mark.x, &figure.x.unit)),
    });
    lines.push(format!("{}: {}", figure.y.label, with_unit(mark.y, &figure.y.unit)));
    let end = |value| with_unit(value, &figure.y.unit);
    match (mark.low, mark.high) {
        (Some(low), Some(high)) => lines.push(format!("from {} to {}", end(low), end(high))),
        (Some(low), None) => lines.push(format!("down to {}", end(low))),
        (None, Some(high)) => lines.push(format!("up to {}", end(high))),
        (None, None) => {}
    }
    lines.extend(mark.note.map(str::to_owned));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Returns a description of the plot: the axes, and the first and last value of each series.
fn describe(drawable: &Drawable<'_>) -> String {
    let figure = drawable.figure;
    let mut text = format!("{} against {}.", meaning(&figure.y), meaning(&figure.x));
    let place = |x: f64| match &figure.x.scale {
        Scale::Category(names) => names.get(x as usize).cloned().unwrap_or_default(),
        _ => with_unit(x, &figure.x.unit),
    };
    for drawn in &drawable.series {
        let (Some(first), Some(last)) = (drawn.marks().next(), drawn.marks().last()) else {
            continue;
        };
        let value =
            |mark: Mark<'_>| format!("{} at {}", with_unit(mark.y, &figure.y.unit), place(mark.x));
        text += &format!(" {}: {}", super::legend::name(drawn.series), value(first));
        if first.x != last.x {
            text += &format!(" to {}", value(last));
        }
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Point, Series};

    /// Published markers and their whiskers are on the bar, and its value is above them.
    #[test]
    fn the_value_of_a_bar_stands_above_its_markers() {
        let bars = vec![Point::new(0.0, 20.0).high(21.0), Point::new(1.0, 6.0).high(7.5)];
        let published = vec![Point::new(0.0, 20.2).high(22.1), Point::new(1.0, 8.5).high(8.6)];
        let names = Scale::Category(vec!["shared".to_owned(), "own".to_owned()]);
        let series = [
            (SeriesKind::Bars, SourceKind::Ours, bars),
            (SeriesKind::Points, SourceKind::Published, published),
        ];
        let series = series.map(|(kind, source, points)| Series {
            kind,
            source,
            points,
            ..Series::default()
        });
        let x = Axis { scale: names, ..Axis::default() };
        let figure = Figure { x, series: series.into(), ..Figure::default() };
        let drawable = Drawable::new(&figure);
        for size in [super::super::size::WIDE, super::super::size::NARROW] {
            let axes = axes(&drawable, &size, 12.0);
            let plan = Plan::new(&drawable, &axes);
            let marks: Vec<_> = drawable.series[0].marks().collect();
            assert_eq!(plan.upper_edge(0, &marks[0]), axes.y.at(22.1));
            // This marker reaches higher than its cap.
            assert_eq!(plan.upper_edge(0, &marks[1]), axes.y.at(8.5) - 8.0);
        }
    }
}
