//! [`Curve`]: a model in convex or concave pieces, for the solver.

use super::piece::{Ask, Form, Piece};
use crate::sensitivity::{Model, hyperbola};

/// The slowdown over shares from 0 to 1, in pieces one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    pieces: Vec<Piece>,
    /// The piece with the best share, for descending prices.
    rungs: Vec<Rung>,
}

/// A piece and the price from which on it has the best share, until the next rung.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rung {
    price: f64,
    piece: Piece,
}

impl Curve {
    pub(super) fn of(model: &Model) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut push = |piece: Piece| match pieces.last_mut() {
            // Neighbouring levels at one height are merged.
            Some(last) if last.form == piece.form => last.to = piece.to,
            _ => pieces.push(piece),
        };
        match model {
            Model::Polynomial(p) => {
                let c = p.coefficients();
                let [_, c1, c2, c3] = c;
                let bend = -c2 / (3.0 * c3);
                let bend = if bend > 0.0 && bend < 1.0 { bend } else { 1.0 };
                for (from, to) in [(0.0, bend), (bend, 1.0)] {
                    let curvature = c2 + 3.0 * c3 * 0.5 * (from + to);
                    let form = match curvature {
                        _ if c2 == 0.0 && c3 == 0.0 => Form::Line([c[0], c1]),
                        _ if curvature > 0.0 => Form::Convex(c),
                        _ => Form::Concave(c),
                    };
                    if from < to {
                        push(Piece { from, to, form });
                    }
                }
            }
            Model::Monotone(m) => {
                let (least, most) = m.knots()[0];
                let c = most * least.get();
                push(Piece { from: 0.0, to: least.get(), form: Form::Hyperbola { a: 0.0, c } });
                for pair in m.knots().windows(2) {
                    let (a, c) = hyperbola(pair[0], pair[1]);
                    // Equal slowdowns are joined by a level.
                    let level = Form::Line([pair[1].1, 0.0]);
                    let form = if c > 0.0 { Form::Hyperbola { a, c } } else { level };
                    push(Piece { from: pair[0].0.get(), to: pair[1].0.get(), form });
                }
            }
        }
        let mut curve = Curve { pieces, rungs: Vec::new() };
        curve.rungs = curve.ladder();
        curve
    }

    /// Returns the rungs, by bisection of prices at which pieces differ.
    fn ladder(&self) -> Vec<Rung> {
        let rung = |price: f64, piece: usize| Rung { price, piece: self.pieces[piece] };
        // Steeper than any model of slowdowns. No rung precedes the first.
        const STEEP: f64 = 1e30;
        let mut rungs = vec![rung(f64::INFINITY, self.search(0.0, 1.0, STEEP).1)];
        let mut at = self.search(0.0, 1.0, STEEP).1;
        let mut price = STEEP;
        let last = self.search(0.0, 1.0, -STEEP).1;
        while at != last {
            let (mut high, mut low) = (price, -STEEP);
            loop {
                let middle = 0.5 * (high + low);
                if !(low < middle && middle < high) {
                    break;
                }
                let here = self.search(0.0, 1.0, middle).1;
                *(if here == at { &mut high } else { &mut low }) = middle;
            }
            (price, at) = (low, self.search(0.0, 1.0, low).1);
            rungs.push(rung(price, at));
        }
        rungs
    }

    /// Returns the piece at a price.
    #[inline]
    fn rung(&self, price: f64) -> &Piece {
        let above = self.rungs.iter().take_while(|rung| price <= rung.price).count();
        &self.rungs[above.max(1) - 1].piece
    }

    /// Returns the slowdown at a share.
    pub(super) fn value(&self, x: f64) -> f64 {
        let piece = self.pieces.iter().find(|piece| x <= piece.to);
        piece.or(self.pieces.last()).map_or(f64::NAN, |piece| piece.form.value(x))
    }

    /// Returns the share between `lo` and `hi` with the least sum of slowdown and `price` times the
    /// share.
    #[inline]
    pub(super) fn best(&self, lo: f64, hi: f64, price: f64) -> Ask {
        // The global best is the best between any bounds that contain it.
        let piece = self.rung(price);
        let best = piece.form.best(piece.from, piece.to, price);
        if lo <= best.share && best.share <= hi { best } else { self.search(lo, hi, price).0 }
    }

    /// Returns the best share by a search of all pieces, and its piece, the first of several.
    fn search(&self, lo: f64, hi: f64, price: f64) -> (Ask, usize) {
        let mut least = f64::INFINITY;
        let mut best = (Ask::just(lo), 0);
        for (i, piece) in self.pieces.iter().enumerate() {
            let (from, to) = (piece.from.max(lo), piece.to.min(hi));
            if from > to {
                continue;
            }
            let ask = piece.form.best(from, to, price);
            let cost = piece.form.value(ask.share) + price * ask.share;
            if cost < least {
                (least, best) = (cost, (ask, i));
            }
        }
        best
    }

    /// Returns the price at which `lo` stops being the best share up to `hi`, or infinity if that
    /// takes a search.
    #[inline]
    pub(super) fn leaves(&self, lo: f64, hi: f64) -> f64 {
        match self.pieces[0].form {
            // The steepest chord of a cubic from `lo` is at an end, or a tangent.
            Form::Convex([_, c1, c2, c3]) | Form::Concave([_, c1, c2, c3]) => {
                let (constant, linear) = (c1 + lo * (c2 + lo * c3), c2 + c3 * lo);
                let chord = |x: f64| constant + x * (linear + x * c3);
                let ends = chord(lo).min(chord(hi));
                // The lowest point, -linear / (2 c3), if it is between the ends.
                let dips = c3 > 0.0 && 2.0 * c3 * lo < -linear && -linear < 2.0 * c3 * hi;
                -if dips { ends.min(constant - linear * linear / (4.0 * c3)) } else { ends }
            }
            Form::Line([_, slope]) if self.pieces.len() == 1 => -slope,
            _ => {
                // If `lo` is the global best at a price, nothing above it is better at a higher
                // price.
                let price = -self.slope(lo);
                let piece = self.rung(price);
                let is_best = piece.from < lo && lo < piece.to && !piece.is_concave();
                if is_best { price } else { f64::INFINITY }
            }
        }
    }

    /// Returns the slope at a share.
    pub(super) fn slope(&self, x: f64) -> f64 {
        let piece = self.pieces.iter().find(|piece| x <= piece.to);
        piece.or(self.pieces.last()).map_or(f64::NAN, |piece| piece.form.slope(x))
    }

    /// Returns the steepest fall and the steepest rise between `lo` and `hi`.
    pub(super) fn slopes(&self, lo: f64, hi: f64) -> (f64, f64) {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for piece in &self.pieces {
            let (from, to) = (piece.from.max(lo), piece.to.min(hi));
            if from <= to {
                // Slopes are monotone in a piece, so the ends are extremes.
                for slope in [piece.form.slope(from), piece.form.slope(to)] {
                    range = (range.0.min(slope), range.1.max(slope));
                }
            }
        }
        range
    }

    /// Returns whether every share between two is as good as its mixture of them: both are in one
    /// piece that is not concave.
    pub(super) fn is_divisible(&self, low: f64, high: f64) -> bool {
        let is_around = |piece: &&Piece| piece.from <= low && high <= piece.to;
        self.pieces.iter().find(is_around).is_some_and(|piece| !piece.is_concave())
    }
}
