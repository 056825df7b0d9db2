//! Plots as inline SVG, from [`Figure`](crate::Figure) to markup in three steps: `drawable`
//! leaves out what has no place on the axes, `axes` says where the rest stands, `draw` draws it.
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

/// The space a plot has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Its class in the style sheet and the end of its element's id.
    pub name: &'static str,
    width: f64,
    height: f64,
    /// Whether there is room for the names of curves beside them.
    names: bool,
    /// The largest number of ticks across.
    across: usize,
    /// The largest number of ticks upwards.
    upwards: usize,
}

/// For screens of a desk, and for paper.
pub(crate) const WIDE: Size =
    Size { name: "wide", width: 800.0, height: 400.0, names: true, across: 10, upwards: 8 };
/// For the screen of a phone.
pub(crate) const NARROW: Size =
    Size { name: "narrow", width: 320.0, height: 290.0, names: false, across: 6, upwards: 6 };

/// About how wide a text is at the font size of plots, on the generous side.
fn text_width(text: &str) -> f64 {
    7.0 * text.chars().count() as f64
}
