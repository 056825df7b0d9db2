//! Styles of series: the colour and, for readers who see no colours, the shape of markers and the
//! dashes of lines. A published series looks like its partner among our series, but hollow.

use crate::{Series, SeriesKind, SourceKind};

/// The style of one series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    /// The class of the colour.
    pub colour: &'static str,
    /// The shape of the markers.
    pub shape: Shape,
    /// The dashes of the line; empty for none.
    pub dashes: &'static str,
    /// True if markers and bars are hollow.
    pub hollow: bool,
    /// True if hollow markers have a halo, because they are drawn on bars.
    pub halo: bool,
    /// The index of the partner of a published series among our series.
    pub partner: Option<usize>,
}

/// The shape of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
    Tip,
    Cross,
}

/// The classes of colours, in the order of use.
pub(super) const COLOURS: [&str; 6] = ["c0", "c1", "c2", "c3", "c4", "c5"];
const SHAPES: [Shape; 5] =
    [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond, Shape::Tip];
// Seven and six have no common factor, so 42 series differ.
const DASHES: [&str; 7] = ["", "9 4", "3 3", "12 3 3 3", "6 6", "2 6", "14 4"];

/// Returns a style for each series.
pub(crate) fn styles(series: &[Series]) -> Vec<Style> {
    let mut own = 0;
    let mut styles: Vec<Style> = series
        .iter()
        .map(|s| match s.source {
            SourceKind::Ours => {
                own += 1;
                numbered(own - 1)
            }
            _ => Style {
                colour: truth_colour(series, s),
                shape: Shape::Cross,
                dashes: "5 4",
                hollow: s.kind == SeriesKind::Bars,
                halo: false,
                partner: None,
            },
        })
        .collect();
    for (published, partner) in partners(series) {
        let like = match partner {
            Some(partner) => styles[partner],
            None => {
                own += 1;
                numbered(own - 1)
            }
        };
        let halo = partner.is_some_and(|p| series[p].kind == SeriesKind::Bars);
        styles[published] = Style { hollow: true, halo, dashes: "2 4", partner, ..like };
    }
    styles
}

/// Returns the colour of a true series. The only one has the colour of text. One of several has the
/// colour of our series with whose name its own name begins.
fn truth_colour(series: &[Series], truth: &Series) -> &'static str {
    let several = series.iter().filter(|s| s.source == SourceKind::Truth).count() > 1;
    let ours = series.iter().filter(|s| s.source == SourceKind::Ours);
    let partner = ours.enumerate().find(|(_, s)| truth.name.starts_with(&s.name));
    partner.filter(|_| several).map_or("ink", |(n, _)| numbered(n).colour)
}

fn numbered(n: usize) -> Style {
    Style {
        colour: COLOURS[n % COLOURS.len()],
        shape: SHAPES[n % SHAPES.len()],
        dashes: DASHES[n % DASHES.len()],
        hollow: false,
        halo: false,
        partner: None,
    }
}

/// Returns the index of each published series, and of its partner among our series: the series that
/// the published series' name mentions, else the next free one.
fn partners(series: &[Series]) -> Vec<(usize, Option<usize>)> {
    let of = |source| (0..series.len()).filter(move |&i| series[i].source == source);
    let mut free: Vec<usize> = of(SourceKind::Ours).collect();
    let mut take = |wanted: &dyn Fn(usize) -> bool| {
        let at = free.iter().position(|&i| wanted(i))?;
        Some(free.remove(at))
    };
    let mut pairs: Vec<_> = of(SourceKind::Published).map(|p| (p, None)).collect();
    for (published, partner) in &mut pairs {
        let theirs = series[*published].name.to_lowercase();
        *partner = take(&|ours| {
            let ours = series[ours].name.to_lowercase();
            !ours.is_empty() && (theirs.contains(&ours) || ours.contains(&theirs))
        });
    }
    for (_, partner) in pairs.iter_mut().filter(|(_, partner)| partner.is_none()) {
        *partner = take(&|_| true);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, source: SourceKind) -> Series {
        Series { name: name.into(), source, ..Series::default() }
    }

    #[test]
    fn published_series_match_measured_ones_with_hollow_markers() {
        let styles = styles(&[
            series("1 sender", SourceKind::Ours),
            series("5 senders", SourceKind::Ours),
            series("5 senders, published", SourceKind::Published),
            series("paper", SourceKind::Published),
            series("simulated", SourceKind::Truth),
        ]);
        assert_eq!((styles[2].partner, styles[3].partner), (Some(1), Some(0)));
        assert_eq!((styles[2].colour, styles[2].shape), (styles[1].colour, styles[1].shape));
        assert!(styles[2].hollow && !styles[1].hollow);
        assert_eq!(styles[4].colour, "ink");
    }

    #[test]
    fn truth_series_have_their_partners_colour() {
        let styles = styles(&[
            series("rperf", SourceKind::Ours),
            series("rperf, truth", SourceKind::Truth),
            series("ping-pong", SourceKind::Ours),
            series("ping-pong, truth", SourceKind::Truth),
        ]);
        assert_eq!((styles[1].colour, styles[3].colour), (styles[0].colour, styles[2].colour));
        assert_eq!((styles[1].shape, styles[3].shape), (Shape::Cross, Shape::Cross));
    }

    #[test]
    fn neighbours_differ_without_colour() {
        let many: Vec<_> = (0..30).map(|_| series("", SourceKind::Ours)).collect();
        let styles = styles(&many);
        for i in 0..30 {
            for j in 0..i {
                let differ =
                    styles[i].shape != styles[j].shape || styles[i].dashes != styles[j].dashes;
                assert!(differ, "{i} and {j}");
            }
        }
    }
}
