//! The frame of a plot: grid, base line, ticks and labels of the axes.

use super::axes::{APART, Axes, Names};
use super::labels::{broken, cut, meaning};
use super::marks;
use super::size::Size;
use crate::Figure;
use crate::markup::{Markup, Px};

/// Draws the frame of a plot.
pub(crate) fn frame(m: &mut Markup, figure: &Figure, axes: &Axes, size: &Size) {
    let mut grid = String::new();
    for (value, _) in &axes.y.ticks {
        let y = axes.y.at(*value);
        grid += &marks::lines(&[(axes.left, y), (axes.right, y)]);
    }
    m.shape("path", &[("class", &"grid"), ("d", &grid)]);
    let mut base = marks::lines(&[(axes.left, axes.bottom), (axes.right, axes.bottom)]);
    if axes.y.base() < axes.bottom - 0.5 {
        base += &marks::lines(&[(axes.left, axes.y.base()), (axes.right, axes.y.base())]);
    }
    if axes.names == Names::Numbers {
        for (value, _) in &axes.x.ticks {
            let x = axes.x.at(*value);
            base += &marks::lines(&[(x, axes.bottom), (x, axes.bottom + 5.0)]);
        }
    }
    m.shape("path", &[("class", &"base"), ("d", &base)]);
    m.element("g", &[("class", &"ticks")], |m| {
        for (value, label) in &axes.y.ticks {
            let (x, y) = (Px(axes.left - 8.0), Px(axes.y.at(*value) + 4.0));
            m.leaf("text", &[("x", &x), ("y", &y), ("text-anchor", &"end")], label);
        }
        for (i, (value, label)) in axes.x.ticks.iter().enumerate() {
            across(m, axes, i, axes.x.at(*value), label);
        }
    });
    let room = |width: f64| (width / 7.0) as usize;
    let up = cut(&meaning(&figure.y), room(size.width));
    m.leaf("text", &[("class", &"axis"), ("x", &Px(2.0)), ("y", &Px(15.0))], up);
    let (x, y) = ((axes.left + axes.right) / 2.0, axes.height - 5.0);
    let along = cut(&meaning(&figure.x), room(2.0 * (x - 2.0).min(size.width - x)));
    m.leaf(
        "text",
        &[("class", &"axis"), ("x", &Px(x)), ("y", &Px(y)), ("text-anchor", &"middle")],
        along,
    );
}

/// Writes one label under the horizontal axis.
fn across(m: &mut Markup, axes: &Axes, i: usize, x: f64, label: &str) {
    let y = axes.bottom + 19.0;
    match axes.names {
        Names::Numbers => {
            m.leaf("text", &[("x", &Px(x)), ("y", &Px(y)), ("text-anchor", &"middle")], label);
        }
        Names::Lines(_) => {
            let share = (axes.right - axes.left) / axes.x.ticks.len() as f64 - APART;
            for (line, text) in broken(label, share).iter().enumerate() {
                let y = Px(y + 14.0 * line as f64);
                m.leaf("text", &[("x", &Px(x)), ("y", &y), ("text-anchor", &"middle")], text);
            }
        }
        Names::Slanted(every) if i.is_multiple_of(every) => {
            // A name near the left edge has less room.
            let room = ((x - 2.0) / 0.77 / 7.0) as usize;
            let rotation = format!("rotate(-40 {} {})", Px(x), Px(y - 5.0));
            m.leaf(
                "text",
                &[
                    ("x", &Px(x)),
                    ("y", &Px(y - 5.0)),
                    ("text-anchor", &"end"),
                    ("transform", &rotation),
                ],
                cut(label, room.min(24)),
            );
        }
        Names::Slanted(_) => {}
    }
}
