//! Plots as inline SVG, from [`Figure`](crate::Figure) to markup in three steps. `drawable` omits
//! values without a place on the axes, `axes` computes the places of the others, `draw` draws them.
//! Each figure is drawn twice, for wide and for narrow screens; the style sheet shows one.

mod axes;
mod draw;
mod drawable;
mod frame;
mod labels;
pub(crate) mod lanes;
mod legend;
mod marks;
mod style;
mod ticks;

pub(crate) use draw::draw;
pub(crate) use drawable::Drawable;
pub(crate) use legend::legend;

/// The size of a plot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// The class in the style sheet, and the end of the element's id.
    pub name: &'static str,
    width: f64,
    height: f64,
    /// Whether there is room for the names of curves beside them.
    names: bool,
    /// The maximum number of horizontal ticks.
    across: usize,
    /// The maximum number of vertical ticks.
    upwards: usize,
}

/// The size for desktop screens and paper.
pub(crate) const WIDE: Size =
    Size { name: "wide", width: 800.0, height: 400.0, names: true, across: 10, upwards: 8 };
/// The size for phones.
pub(crate) const NARROW: Size =
    Size { name: "narrow", width: 320.0, height: 290.0, names: false, across: 6, upwards: 6 };

/// Returns an upper estimate of the width of a text at the font size of plots.
fn text_width(text: &str) -> f64 {
    7.0 * text.chars().count() as f64
}
