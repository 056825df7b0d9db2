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
mod size;
mod style;
mod ticks;

pub(crate) use draw::draw;
pub(crate) use drawable::Drawable;
pub(crate) use legend::legend;
pub(crate) use size::{NARROW, Size, WIDE};
