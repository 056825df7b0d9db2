//! The shapes of values: markers, bars, whiskers and lines.

use super::axes::Axes;
use super::drawable::{Drawn, Mark};
use super::style::{Shape, Style};
use crate::markup::{Markup, Px};

/// Returns the radius of a marker. A hollow marker is a frame around the filled marker of its
/// partner.
fn reach(style: &Style) -> f64 {
    if style.hollow { 6.8 } else { 4.4 }
}

/// Draws a marker.
pub(crate) fn marker(m: &mut Markup, style: &Style, x: f64, y: f64) {
    let r = reach(style);
    let classes: &[&str] = match (style.hollow, style.halo) {
        (true, true) => &["halo", "m hollow"],
        (true, false) => &["m hollow"],
        _ => &["m"],
    };
    let corners: &[(f64, f64)] = match style.shape {
        Shape::Circle => {
            for class in classes {
                m.shape(
                    "circle",
                    &[("class", class), ("cx", &Px(x)), ("cy", &Px(y)), ("r", &Px(r))],
                );
            }
            return;
        }
        Shape::Cross => {
            let path = lines(&[(x - 4.0, y - 4.0), (x + 4.0, y + 4.0)])
                + &lines(&[(x - 4.0, y + 4.0), (x + 4.0, y - 4.0)]);
            m.shape("path", &[("class", &"m cross"), ("d", &path)]);
            return;
        }
        Shape::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        Shape::Triangle => &[(0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)],
        Shape::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        Shape::Tip => &[(0.0, 1.2), (1.15, -0.85), (-1.15, -0.85)],
    };
    let corners: Vec<_> = corners.iter().map(|(dx, dy)| (x + r * dx, y + r * dy)).collect();
    for class in classes {
        m.shape("path", &[("class", class), ("d", &format!("{}Z", lines(&corners)))]);
    }
}

/// Draws a bar from the base line to a value.
pub(crate) fn bar(m: &mut Markup, style: &Style, middle: f64, width: f64, base: f64, y: f64) {
    let class = if style.hollow { "bar hollow" } else { "bar" };
    let (left, top) = (Px(middle - width / 2.0), Px(base.min(y)));
    // A value of zero is drawn as a line.
    let height = Px((base - y).abs().max(1.0));
    m.shape(
        "rect",
        &[("class", &class), ("x", &left), ("y", &top), ("width", &Px(width)), ("height", &height)],
    );
}

/// Draws the whisker of a point at `x`, with a cap at each given end. The whisker of a hollow
/// marker often lies on its partner's, so its caps are wider and its stem is dashed.
pub(crate) fn whisker(m: &mut Markup, style: &Style, mark: &Mark<'_>, axes: &Axes, x: f64) {
    let ends = [mark.low, mark.high].map(|end| end.map(|value| axes.y.at(value)));
    if ends == [None, None] {
        return;
    }
    let y = axes.y.at(mark.y);
    let stem = lines(&[(x, ends[0].unwrap_or(y)), (x, ends[1].unwrap_or(y))]);
    let cap = reach(style);
    let caps = ends.into_iter().flatten().map(|end| lines(&[(x - cap, end), (x + cap, end)]));
    let caps: String = caps.collect();
    if style.hollow {
        m.shape("path", &[("class", &"whisker stem"), ("d", &stem)]);
        m.shape("path", &[("class", &"whisker"), ("d", &caps)]);
    } else {
        m.shape("path", &[("class", &"whisker"), ("d", &(stem + &caps))]);
    }
}

/// Draws the line of a series, interrupted at omitted points.
pub(crate) fn line(m: &mut Markup, drawn: &Drawn<'_>, style: &Style, axes: &Axes) {
    let path = path(drawn, |mark| Some((axes.x.at(mark.x), axes.y.at(mark.y))));
    let mut attributes: Vec<(&'static str, &dyn std::fmt::Display)> =
        vec![("class", &"line"), ("d", &path)];
    if !style.dashes.is_empty() {
        attributes.push(("stroke-dasharray", &style.dashes));
    }
    m.shape("path", &attributes);
}

/// Draws the ends of the whiskers of a series as thin dashed lines.
pub(crate) fn tails(m: &mut Markup, drawn: &Drawn<'_>, axes: &Axes) {
    let ends: [fn(&Mark<'_>) -> Option<f64>; 2] = [|mark| mark.low, |mark| mark.high];
    for end in ends {
        let path = path(drawn, |mark| end(mark).map(|value| (axes.x.at(mark.x), axes.y.at(value))));
        if !path.is_empty() {
            m.shape("path", &[("class", &"tail"), ("d", &path)]);
        }
    }
}

/// Returns the path through the places of a series, interrupted where a place is missing.
fn path(drawn: &Drawn<'_>, place: impl Fn(&Mark<'_>) -> Option<(f64, f64)>) -> String {
    let places: Vec<_> = drawn.points.iter().map(|p| p.as_ref().and_then(&place)).collect();
    let runs = places.split(|p| p.is_none());
    runs.map(|run| lines(&run.iter().copied().flatten().collect::<Vec<_>>())).collect()
}

/// Returns a path through these places.
pub(crate) fn lines(places: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (i, &(x, y)) in places.iter().enumerate() {
        let command = ["M", "L"][usize::from(i > 0)];
        path += &format!("{command}{} {}", Px(x), Px(y));
    }
    path
}
