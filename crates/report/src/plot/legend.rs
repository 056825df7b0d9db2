//! The legend of a plot, as text of the page, so that it wraps on narrow screens.

use super::drawable::Drawable;
use super::marks;
use super::style::{Style, styles};
use crate::markup::Markup;
use crate::{Series, SeriesKind, SourceKind};

/// Returns the name of a series, marked if the series is published.
pub(crate) fn name(series: &Series) -> String {
    let lower = series.name.to_lowercase();
    match series.source {
        SourceKind::Published if series.name.is_empty() => "Published".to_owned(),
        SourceKind::Published if !lower.contains("publish") && !lower.contains("paper") => {
            format!("{} (published)", series.name)
        }
        _ => series.name.clone(),
    }
}

/// Writes the legend of a figure.
pub(crate) fn legend(m: &mut Markup, drawable: &Drawable<'_>) {
    let series = &drawable.figure.series;
    m.element("ul", &[("class", &"legend")], |m| {
        for (series, style) in series.iter().zip(styles(series)) {
            m.element("li", &[], |m| {
                swatch(m, style.colour, |m| sample(m, series.kind, &style));
                m.leaf("span", &[], name(series));
            });
        }
        for (dense, class, path) in
            [(false, "whisker", "M15 2L15 14M11 2L19 2M11 14L19 14"), (true, "tail", "M0 8L30 8")]
        {
            let with_whiskers = || drawable.series.iter().filter(|s| s.has_whiskers());
            if with_whiskers().any(|s| s.is_dense() == dense) {
                let published = with_whiskers().any(|s| s.series.source == SourceKind::Published);
                let dashed = if published && !dense { "; dashed: published" } else { "" };
                m.element("li", &[("class", &"aside")], |m| {
                    swatch(m, "muted", |m| m.shape("path", &[("class", &class), ("d", &path)]));
                    let text = format!("tail or range, explained below{dashed}");
                    m.leaf("span", &[], text);
                });
            }
        }
    });
}

/// Writes a small picture before a name.
pub(super) fn swatch(m: &mut Markup, colour: &str, body: impl FnOnce(&mut Markup)) {
    let class = format!("swatch {colour}");
    m.element(
        "svg",
        &[("class", &class), ("viewBox", &"0 0 30 16"), ("aria-hidden", &"true")],
        body,
    );
}

fn sample(m: &mut Markup, kind: SeriesKind, style: &Style) {
    match kind {
        SeriesKind::Bars => return marks::bar(m, style, 15.0, 20.0, 15.0, 2.0),
        SeriesKind::Points => {}
        SeriesKind::Line => {
            let path = marks::lines(&[(0.0, 8.0), (30.0, 8.0)]);
            let dashes = if style.dashes.is_empty() { "none" } else { style.dashes };
            m.shape("path", &[("class", &"line"), ("d", &path), ("stroke-dasharray", &dashes)]);
        }
    }
    marks::marker(m, style, 15.0, 8.0);
}
