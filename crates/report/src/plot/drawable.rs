//! What of a figure can be drawn: points with numbers that have a place on the axes. What is
//! left out is counted, so that the page can say so.

use super::ticks::LARGEST;
use crate::{Axis, Figure, Point, Scale, Series, SeriesKind};

/// Above so many points a line is dense.
const MANY: usize = 24;

/// A figure's values as far as they can be drawn.
#[derive(Debug)]
pub(crate) struct Drawable<'a> {
    /// The figure.
    pub figure: &'a Figure,
    /// As many as the figure has series.
    pub series: Vec<Drawn<'a>>,
    not_finite: usize,
    not_positive: usize,
    off_axis: usize,
}

/// One series as far as it can be drawn.
#[derive(Debug)]
pub(crate) struct Drawn<'a> {
    /// The series.
    pub series: &'a Series,
    /// Its points; `None` where one was left out, which interrupts a line.
    pub points: Vec<Option<Mark<'a>>>,
}

/// A point of which `x`, `y` and both ends of the whisker can be drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark<'a> {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// Lower end of the whisker.
    pub low: Option<f64>,
    /// Upper end of the whisker.
    pub high: Option<f64>,
    /// What the tooltip says besides the values.
    pub note: Option<&'a str>,
}

/// Why a value has no place on an axis.
enum LeftOut {
    NotFinite,
    NotPositive,
    OffAxis,
}

fn is_log(scale: &Scale) -> bool {
    matches!(scale, Scale::Log2 | Scale::Log10)
}

/// The value as it can be drawn on that axis.
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
    /// Sorts out what of the figure can be drawn.
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

    /// All points that can be drawn.
    pub(crate) fn marks(&self) -> impl Iterator<Item = Mark<'a>> + '_ {
        self.series.iter().flat_map(Drawn::marks)
    }

    /// Whether there is nothing to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.marks().next().is_none()
    }

    /// Whether there are bars.
    pub(crate) fn has_bars(&self) -> bool {
        self.series.iter().any(|s| s.series.kind == SeriesKind::Bars)
    }

    /// What was left out and why, one sentence each.
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
    /// Whether this is a line of so many points that it has no markers, and dashed lines in the
    /// place of whiskers.
    pub(crate) fn is_dense(&self) -> bool {
        self.series.kind == SeriesKind::Line && self.marks().count() > MANY
    }

    /// Whether it has whiskers, or the dashed lines that take their place.
    pub(crate) fn has_whiskers(&self) -> bool {
        self.marks().any(|mark| mark.low.is_some() || mark.high.is_some())
    }

    /// The points that can be drawn.
    pub(crate) fn marks(&self) -> impl Iterator<Item = Mark<'a>> + '_ {
        self.points.iter().copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_place_is_left_out_and_counted() {
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
