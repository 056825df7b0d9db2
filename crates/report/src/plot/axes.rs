//! Axes: their ranges, ticks, and the places of values.

use super::drawable::Drawable;
use super::labels::{broken, meaning, text_width};
use super::size::Size;
use super::ticks;
use crate::{Axis, Scale};

/// One axis with its ticks.
#[derive(Debug, Clone)]
pub(crate) struct Ruler {
    /// The values of the ticks and their labels.
    pub ticks: Vec<(f64, String)>,
    log: bool,
    low: f64,
    high: f64,
    /// The place of the lowest value.
    from: f64,
    /// The place of the highest value.
    to: f64,
}

impl Ruler {
    /// Returns the place of a value.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.log2() } else { value };
        let share = (value - self.low) / (self.high - self.low);
        self.from + (self.to - self.from) * share.clamp(-0.5, 1.5)
    }

    /// Returns the base of bars: zero, or the low end if zero is not on the axis.
    pub(crate) fn base(&self) -> f64 {
        if self.log || self.low > 0.0 { self.from } else { self.at(0.0_f64.min(self.high)) }
    }

    /// Returns an axis of names, each in the middle of its section.
    fn names(names: &[String]) -> Ruler {
        let ticks = names.iter().enumerate().map(|(i, name)| (i as f64, name.clone())).collect();
        let high = names.len().max(1) as f64 - 0.5;
        Ruler { ticks, log: false, low: -0.5, high, from: 0.0, to: 1.0 }
    }

    /// Returns an axis with ticks that cover the values.
    fn numbers(axis: &Axis, low: f64, high: f64, most: usize) -> Ruler {
        let values = match axis.scale {
            Scale::Log2 => ticks::log2(low, high, most),
            Scale::Log10 => ticks::log10(low, high, most),
            _ => ticks::linear(low, high, most),
        };
        let labels: Vec<String> = match axis.scale {
            Scale::Log2 => values.iter().map(|&v| ticks::log2_label(v)).collect(),
            Scale::Log10 => values.iter().map(|&v| ticks::log10_label(v)).collect(),
            _ => ticks::linear_labels(&values),
        };
        let log = matches!(axis.scale, Scale::Log2 | Scale::Log10);
        let end = |value: f64| if log { value.log2() } else { value };
        let (low, high) = (end(values[0]), end(values[values.len() - 1]));
        let ticks = values.into_iter().zip(labels).collect();
        Ruler { ticks, log, low, high, from: 0.0, to: 1.0 }
    }

    fn between(mut self, from: f64, to: f64) -> Ruler {
        (self.from, self.to) = (from, to);
        self
    }
}

/// Both axes and the area between them.
#[derive(Debug, Clone)]
pub(crate) struct Axes {
    /// The horizontal axis.
    pub x: Ruler,
    /// The vertical axis.
    pub y: Ruler,
    /// The left end of the area.
    pub left: f64,
    /// The right end of the area.
    pub right: f64,
    /// The top of the area.
    pub top: f64,
    /// The bottom of the area.
    pub bottom: f64,
    /// The height of the whole plot, including additional lines of names.
    pub height: f64,
    /// The arrangement of category names below the axis.
    pub names: Names,
}

/// The minimum distance between neighbouring names.
pub(super) const APART: f64 = 4.0;

/// The arrangement of labels below the axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Names {
    /// Numbers in one line.
    Numbers,
    /// Names side by side, in at most this number of lines.
    Lines(usize),
    /// Slanted names, of which every nth is written.
    Slanted(usize),
}

/// Returns the lowest and the highest value.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// Lays out the axes of a figure in a space, with `right` pixels kept free on the right. The figure
/// must have a value to draw.
pub(crate) fn axes(drawable: &Drawable<'_>, size: &Size, right: f64) -> Axes {
    let y = upwards(drawable, size);
    let left = 10.0 + y.ticks.iter().map(|(_, l)| text_width(l)).fold(14.0, f64::max);
    let right = size.width - right;
    let (x, names, below) = match &drawable.figure.x.scale {
        Scale::Category(names) => {
            let arranged = arrange(names, (right - left) / names.len().max(1) as f64);
            let longest = names.iter().map(|n| text_width(n)).fold(0.0, f64::max);
            // The label of the axis, if there is one, is below the names.
            let label = if meaning(&drawable.figure.x).is_empty() { 12.0 } else { 28.0 };
            let below = match arranged {
                Names::Lines(lines) => label + 14.0 * lines as f64,
                _ => label + 8.0 + (longest * 0.55).min(92.0),
            };
            (Ruler::names(names).between(left, right), arranged, below)
        }
        _ => (across(drawable, size, left, right), Names::Numbers, 42.0),
    };
    let (top, bottom) = (34.0, size.height - 42.0);
    let height = bottom + below;
    Axes { x, y: y.between(bottom, top), left, right, top, bottom, height, names }
}

/// Returns the vertical axis before its placement.
fn upwards(drawable: &Drawable<'_>, size: &Size) -> Ruler {
    let axis = &drawable.figure.y;
    let (low, high) = range(drawable.marks().flat_map(|m| [Some(m.y), m.low, m.high]).flatten());
    match axis.scale {
        // Up to ten ticks, so that 1, 2, 5 reach over three decades.
        Scale::Log2 | Scale::Log10 => Ruler::numbers(axis, low, high, 10),
        // Zero may be omitted if all values are near each other and far from zero.
        _ if drawable.has_bars() || low < 0.75 * high || high <= 0.0 => {
            let (low, high) = (low.min(0.0), high.max(0.0));
            // The value of a negative bar is below the bar, on its own line.
            let is_below = drawable.has_bars() && low < 0.0;
            let room = if is_below { (high - low) * 15.0 / (size.height - 76.0) } else { 0.0 };
            Ruler::numbers(axis, low - room, high, size.upwards)
        }
        _ => Ruler::numbers(axis, low, high, size.upwards),
    }
}

/// Returns the horizontal axis of numbers.
fn across(drawable: &Drawable<'_>, size: &Size, left: f64, right: f64) -> Ruler {
    let axis = &drawable.figure.x;
    let (low, high) = range(drawable.marks().map(|m| m.x));
    let mut most = size.across;
    let whole = drawable.marks().all(|m| m.x.fract() == 0.0);
    if axis.scale == Scale::Linear && whole && high - low >= 2.0 {
        // Whole numbers, such as counts, have no fractional ticks: three ticks from 2 to 4.
        most = most.min((high - low).min(100.0) as usize + 1);
    }
    // Bars need room beside the outer ticks, markers a little.
    let places = drawable.series.iter().map(|s| s.marks().count()).max().unwrap_or(1);
    let inset = match drawable.has_bars() {
        true => (right - left) / (2 * places.clamp(2, 12)) as f64,
        false => 10.0,
    };
    Ruler::numbers(axis, low, high, most).between(left + inset, right - inset)
}

/// Finds an arrangement in which names do not touch, given the width of each name's section.
fn arrange(names: &[String], share: f64) -> Names {
    for lines in 1..=4 {
        let fits = |name: &String| {
            let broken = broken(name, share - APART);
            broken.len() <= lines && broken.iter().all(|line| text_width(line) <= share - APART)
        };
        if names.iter().all(fits) {
            return Names::Lines(lines);
        }
    }
    Names::Slanted((15.0 / share.max(0.1)).ceil().max(1.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Figure, Point, Series, SeriesKind};

    fn figure(scale: Scale, ys: &[f64]) -> Figure {
        let points = ys.iter().enumerate().map(|(i, &y)| Point::new(i as f64, y)).collect();
        let y = Axis { scale, ..Axis::default() };
        Figure { y, series: vec![Series { points, ..Series::default() }], ..Figure::default() }
    }

    fn labels(scale: Scale, ys: &[f64]) -> String {
        let figure = figure(scale, ys);
        let axes = axes(&Drawable::new(&figure), &super::super::size::WIDE, 10.0);
        axes.y.ticks.iter().map(|(_, l)| l.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn axis_includes_a_nearby_zero() {
        assert_eq!(labels(Scale::Linear, &[0.4, 19.7]), "0 5 10 15 20");
        assert_eq!(labels(Scale::Linear, &[97.0, 99.5]), "97.0 97.5 98.0 98.5 99.0 99.5");
        assert_eq!(labels(Scale::Linear, &[-3.0, -1.0]), "-3.0 -2.5 -2.0 -1.5 -1.0 -0.5 0");
        assert_eq!(labels(Scale::Linear, &[0.0, 0.0]).split(' ').next(), Some("0"));
        assert_eq!(labels(Scale::Log10, &[0.4, 40.0]), "0.2 0.5 1 2 5 10 20 50");
    }

    /// Without room, the value below a bar at the lowest tick would overlap the names.
    #[test]
    fn bars_below_zero_leave_room_for_their_values() {
        for low in [-5.83, -6.0, -0.001, -99.9] {
            let mut figure = figure(Scale::Linear, &[low, 1.0]);
            figure.series[0].kind = SeriesKind::Bars;
            for size in [super::super::size::WIDE, super::super::size::NARROW] {
                let axes = axes(&Drawable::new(&figure), &size, 10.0);
                assert!(axes.y.at(low) + 15.0 <= axes.bottom + 0.1, "{low}");
            }
        }
    }

    #[test]
    fn category_names_are_wrapped_or_slanted() {
        let names = |n: usize| vec!["weighted fair queueing".to_owned(); n];
        assert_eq!(arrange(&names(2), 300.0), Names::Lines(1));
        assert_eq!(arrange(&names(6), 80.0), Names::Lines(3));
        // Four bars on a phone, one with a name of four short words.
        let four = ["no BSG", "shared SL", "dedicated SL", "dedicated SL with a pretend LSG"];
        assert_eq!(arrange(&four.map(str::to_owned), 68.0), Names::Lines(4));
        assert_eq!(arrange(&names(40), 7.0), Names::Slanted(3));
    }
}
