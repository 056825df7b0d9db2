//! The drawable part of a figure: points with finite numbers that have a place on the axes. Omitted
//! points are counted for a remark on the page.

use super::ticks::LARGEST;
use crate::{Axis, Figure, Point, Scale, Series, SeriesKind};

/// The number of points above which a line is dense.
const MANY: usize = 24;

/// The drawable values of a figure.
#[derive(Debug)]
pub(crate) struct Drawable<'a> {
    /// The figure.
    pub figure: &'a Figure,
    /// The series, in the figure's order.
    pub series: Vec<Drawn<'a>>,
    not_finite: usize,
    not_positive: usize,
    off_axis: usize,
}

/// The drawable values of a series.
#[derive(Debug)]
pub(crate) struct Drawn<'a> {
    /// The series.
    pub series: &'a Series,
    /// The points. `None` stands for an omitted point, which interrupts a line.
    pub points: Vec<Option<Mark<'a>>>,
}

/// A point with drawable `x`, `y` and ends of the whisker.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark<'a> {
    /// The place on the horizontal axis.
    pub x: f64,
    /// The place on the vertical axis.
    pub y: f64,
    /// The lower end of the whisker.
    pub low: Option<f64>,
    /// The upper end of the whisker.
    pub high: Option<f64>,
    /// The text of the tooltip beside the values.
    pub note: Option<&'a str>,
}

/// The reasons for which a value has no place on an axis.
enum LeftOut {
    NotFinite,
    NotPositive,
    OffAxis,
}

fn is_log(scale: &Scale) -> bool {
    matches!(scale, Scale::Log2 | Scale::Log10)
}

/// Returns the drawable value on an axis.
fn place(value: f64, axis: &Axis, horizontal: bool) -> Result<f64, LeftOut> {
    if !value.is_finite() {
        return Err(LeftOut::NotFinite);
    }
    match &axis.scale {
        Scale::Category(names) if horizontal => {
            let known = value.fract() == 0.0 && value >= 0.0 && value < names.len() as f64;
            if known { Ok(value) } else { Err(LeftOut::OffAxis) }
        }
        scale if is_log(scale) && value <= 0.0 => Err(LeftOut::NotPositive),
        _ if value.abs() > LARGEST => Err(LeftOut::OffAxis),
        _ => Ok(value),
    }
}

fn mark<'a>(point: &'a Point, figure: &Figure) -> Result<Mark<'a>, LeftOut> {
    let x = place(point.x, &figure.x, true)?;
    let y = place(point.y, &figure.y, false)?;
    let end = |end: Option<f64>| end.and_then(|value| place(value, &figure.y, false).ok());
    Ok(Mark { x, y, low: end(point.low), high: end(point.high), note: point.note.as_deref() })
}

impl<'a> Drawable<'a> {
    /// Separates drawable values from others.
    pub(crate) fn new(figure: &'a Figure) -> Self {
        let (mut not_finite, mut not_positive, mut off_axis) = (0, 0, 0);
        let mut keep = |point: &'a Point| match mark(point, figure) {
            Ok(mark) => Some(mark),
            Err(why) => {
                match why {
                    LeftOut::NotFinite => not_finite += 1,
                    LeftOut::NotPositive => not_positive += 1,
                    LeftOut::OffAxis => off_axis += 1,
                }
                None
            }
        };
        let series = figure
            .series
            .iter()
            .map(|series| Drawn { series, points: series.points.iter().map(&mut keep).collect() })
            .collect();
        Drawable { figure, series, not_finite, not_positive, off_axis }
    }

    /// Iterates over all drawable points.
    pub(crate) fn marks(&self) -> impl Iterator<Item = Mark<'a>> + '_ {
        self.series.iter().flat_map(Drawn::marks)
    }

    /// Returns whether no value is drawable.
    pub(crate) fn is_empty(&self) -> bool {
        self.marks().next().is_none()
    }

    /// Returns whether there are bars.
    pub(crate) fn has_bars(&self) -> bool {
        self.series.iter().any(|s| s.series.kind == SeriesKind::Bars)
    }

    /// Returns the remarks on omitted points, one sentence each.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let counts = [
            (self.not_finite, "without a finite value", ""),
            (self.not_positive, "at or below zero", " on a logarithmic axis"),
            (self.off_axis, "outside of the axes", ""),
        ];
        let sentence = |(count, what, why): (usize, &str, &str)| match count {
            0 => None,
            1 => Some(format!("1 point {what} is not drawn{why}.")),
            n => Some(format!("{n} points {what} are not drawn{why}.")),
        };
        counts.into_iter().filter_map(sentence).collect()
    }
}

impl<'a> Drawn<'a> {
    /// Returns whether the line has so many points that markers are omitted and whiskers become
    /// dashed lines.
    pub(crate) fn is_dense(&self) -> bool {
        self.series.kind == SeriesKind::Line && self.marks().count() > MANY
    }

    /// Returns whether there are whiskers, or dashed lines in their place.
    pub(crate) fn has_whiskers(&self) -> bool {
        self.marks().any(|mark| mark.low.is_some() || mark.high.is_some())
    }

    /// Iterates over the drawable points.
    pub(crate) fn marks(&self) -> impl Iterator<Item = Mark<'a>> + '_ {
        self.points.iter().copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_outside_the_axes_are_omitted_and_counted() {
        let points = vec![
            Point::new(0.0, f64::NAN),
            Point::new(1.0, 2.0).high(f64::INFINITY),
            Point::new(f64::NEG_INFINITY, 2.0),
            Point::new(0.0, -1.0),
            Point::new(7.0, 1.0),
        ];
        let mut figure = Figure::default();
        figure.x.scale = Scale::Category(vec!["a".into(), "b".into()]);
        figure.y.scale = Scale::Log10;
        figure.series = vec![Series { points, ..Series::default() }];
        let drawable = Drawable::new(&figure);
        let marks: Vec<_> = drawable.marks().map(|m| (m.x, m.y, m.high)).collect();
        assert_eq!(marks, [(1.0, 2.0, None)]);
        assert_eq!(
            drawable.remarks(),
            [
                "2 points without a finite value are not drawn.",
                "1 point at or below zero is not drawn on a logarithmic axis.",
                "1 point outside of the axes is not drawn.",
            ]
        );
    }
}
