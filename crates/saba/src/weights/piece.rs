//! [`Piece`]: a convex or concave part of a model's curve.

/// The demand at a price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ask {
    /// The share.
    pub(super) share: f64,
    /// The derivative of the share by the price, negated; 0 if the share is constant.
    pub(super) falls: f64,
}

impl Ask {
    #[inline]
    pub(super) fn just(share: f64) -> Self {
        Ask { share, falls: 0.0 }
    }

    /// Returns the share `x` clamped to both bounds.
    #[inline]
    fn between(lo: f64, hi: f64, x: f64, falls: f64) -> Self {
        if x <= lo {
            Ask::just(lo)
        } else if x >= hi {
            Ask::just(hi)
        } else {
            Ask { share: x, falls }
        }
    }
}

/// A part of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// `c[0] + c[1] x + …` with a rising slope.
    Convex([f64; 4]),
    /// `c[0] + c[1] x + …` with a falling slope. The least is at one of its ends, at any price.
    Concave([f64; 4]),
    /// A line. At one price all shares are equally good.
    Line([f64; 2]),
    /// `a + c / x` with `c` above 0, which is convex.
    Hyperbola { a: f64, c: f64 },
}

impl Piece {
    pub(super) fn is_concave(&self) -> bool {
        matches!(self.form, Form::Concave(_))
    }
}

impl Form {
    #[inline]
    pub(super) fn value(&self, x: f64) -> f64 {
        match *self {
            Form::Convex([c0, c1, c2, c3]) | Form::Concave([c0, c1, c2, c3]) => {
                c0 + x * (c1 + x * (c2 + x * c3))
            }
            Form::Line([c0, c1]) => c0 + c1 * x,
            Form::Hyperbola { a, c } => a + c / x,
        }
    }

    #[inline]
    pub(super) fn slope(&self, x: f64) -> f64 {
        match *self {
            Form::Convex([_, c1, c2, c3]) | Form::Concave([_, c1, c2, c3]) => {
                c1 + x * (2.0 * c2 + x * 3.0 * c3)
            }
            Form::Line([_, c1]) => c1,
            Form::Hyperbola { c, .. } => -c / (x * x),
        }
    }

    #[inline]
    pub(super) fn best(&self, lo: f64, hi: f64, price: f64) -> Ask {
        match *self {
            Form::Convex(c) => rising_to(c, -price, lo, hi),
            Form::Concave(_) => {
                let at_ends = [lo, hi].map(|x| self.value(x) + price * x);
                Ask::just(if at_ends[1] < at_ends[0] { hi } else { lo })
            }
            Form::Line([_, c1]) => Ask::just(if c1 + price < 0.0 { hi } else { lo }),
            Form::Hyperbola { c, .. } if price > 0.0 => {
                let x = (c / price).sqrt();
                Ask::between(lo, hi, x, 0.5 * x / price)
            }
            Form::Hyperbola { .. } => Ask::just(hi),
        }
    }
}

/// Returns the place at which the rising slope of a cubic reaches `slope`, between `lo` and `hi`.
#[inline]
fn rising_to([_, c1, c2, c3]: [f64; 4], slope: f64, lo: f64, hi: f64) -> Ask {
    // 3 c3 x² + 2 c2 x + c1 = slope; of the two roots the one with a rising slope.
    let rise = slope - c1;
    let discriminant = c2 * c2 + 3.0 * c3 * rise;
    if discriminant < 0.0 {
        // The slope never equals `slope`: it is above everywhere, or below.
        return Ask::just(if c3 > 0.0 { lo } else { hi });
    }
    // Written without a difference of nearly equal numbers.
    let root = discriminant.sqrt();
    let x = if c2 > 0.0 { rise / (c2 + root) } else { (root - c2) / (3.0 * c3) };
    Ask::between(lo, hi, x, 0.5 / root)
}
