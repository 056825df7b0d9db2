//! [`Size`]: the two sizes of plots.

/// The size of a plot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// The class in the style sheet, and the end of the element's id.
    pub name: &'static str,
    pub(super) width: f64,
    pub(super) height: f64,
    /// True if there is room for the names of curves beside them.
    pub(super) names: bool,
    /// The maximum number of horizontal ticks.
    pub(super) across: usize,
    /// The maximum number of vertical ticks.
    pub(super) upwards: usize,
}

/// The size for desktop screens and paper.
pub(crate) const WIDE: Size =
    Size { name: "wide", width: 800.0, height: 400.0, names: true, across: 10, upwards: 8 };
/// The size for phones.
pub(crate) const NARROW: Size =
    Size { name: "narrow", width: 320.0, height: 290.0, names: false, across: 6, upwards: 6 };
