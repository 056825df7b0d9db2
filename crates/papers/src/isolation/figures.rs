//! The report's figures. The slides' plots state no values, except for the matrix.

use super::cases::{ELEPHANTS, MICE};
use super::found::Found;
use crate::Finding;
use crate::published::Published;
use bandwise_report::model::{Axis, Figure, Point, Scale, Series, SeriesKind, SourceKind};

/// Returns all figures that have findings.
pub(super) fn figures(findings: &[Finding], published: &Published) -> Vec<Figure> {
    let found = Found(findings);
    let mut all: Vec<Figure> = matrix(findings, published).into_iter().collect();
    for (item, title) in [
        ("mouse-elephant", "Mouse vs. Elephant: mice beside an elephant, FDR"),
        ("edr", "Hardware is Not Enough: mice beside an elephant, EDR"),
    ] {
        all.extend(mice(found, item, title));
    }
    all.extend(store(found));
    all
}

fn category(names: impl IntoIterator<Item = String>) -> Axis {
    Axis { scale: Scale::Category(names.into_iter().collect()), ..Axis::default() }
}

fn bars(name: &str, points: Vec<Point>) -> Option<Series> {
    let (name, kind) = (name.to_owned(), SeriesKind::Bars);
    (!points.is_empty()).then(|| Series { name, kind, points, ..Series::default() })
}

/// Returns a figure of the matrix's cells with a larger flow over a smaller one.
fn matrix(findings: &[Finding], published: &Published) -> Option<Figure> {
    let is_cell = |f: &&Finding| f.item == "elephants" && f.case.contains("1 GB over");
    let cells: Vec<&Finding> =
        findings.iter().filter(is_cell).filter(|f| f.case.ends_with("1 MB")).collect();
    let theirs = |(x, cell): (usize, &&Finding)| {
        let value = published.find(&cell.item, &cell.case, &cell.metric, &cell.unit)?;
        Some(Point::new(x as f64, value.value))
    };
    let points = cells.iter().enumerate().map(|(x, cell)| Point::new(x as f64, cell.value()));
    let ours = bars("simulated", points.collect())?;
    let theirs = Series {
        name: "published".into(),
        kind: SeriesKind::Points,
        source: SourceKind::Published,
        points: cells.iter().enumerate().filter_map(theirs).collect(),
    };
    Some(Figure {
        id: "elephants".into(),
        title: "Elephant vs. Elephant: 1 GB over 1 MB".into(),
        caption:
            "Both wait for events. Each bar is a cell of the matrix: the verb of 1 GB over that of \
                  1 MB."
                .into(),
        x: category(cells.iter().map(|cell| verbs(&cell.case))),
        y: Axis { label: "bandwidth ratio".into(), ..Axis::default() },
        series: vec![ours, theirs],
        ..Figure::default()
    })
}

/// Returns the two verbs of a cell.
fn verbs(case: &str) -> String {
    case.replace(" 1 GB over ", "/").replace(" 1 MB", "")
}

/// Returns a point at the median latency, with a whisker up to the 99.9th percentile.
fn latency(found: Found, item: &str, case: &str, x: usize) -> Option<Point> {
    let point = Point::new(x as f64, found.of(item, case, "latency p50")?);
    Some(point.high(found.of(item, case, "latency p99.9")?))
}

const TAIL: &str = "Median; the whiskers reach up to the 99.9th percentile.";

fn mice(found: Found, item: &str, title: &str) -> Option<Figure> {
    let curve = |name: &str, after: &str| {
        let points = MICE.iter().enumerate();
        let points = points
            .filter_map(|(x, (mouse, _))| latency(found, item, &format!("{mouse}{after}"), x));
        bars(name, points.collect())
    };
    let beside = ELEPHANTS
        .map(|(called, _)| curve(&format!("beside {called}"), &format!(" beside {called}")));
    let series: Vec<Series> =
        [curve("alone", " alone")].into_iter().chain(beside).flatten().collect();
    (!series.is_empty()).then(|| Figure {
        id: item.to_owned(),
        title: title.to_owned(),
        caption: TAIL.into(),
        x: category(MICE.map(|(called, _)| called.to_owned())),
        y: Axis { label: "latency".into(), unit: "us".into(), ..Axis::default() },
        series,
        ..Figure::default()
    })
}

fn store(found: Found) -> Option<Figure> {
    let names: Vec<String> =
        ["alone", "beside 1 GB", "beside 1 MB"].into_iter().map(str::to_owned).collect();
    let points = names.iter().enumerate();
    let points = points.filter_map(|(x, name)| latency(found, "kv", name, x)).collect();
    Some(Figure {
        id: "kv".into(),
        title: "HERD vs. Elephant: requests of a key-value store".into(),
        caption: TAIL.into(),
        x: category(names),
        y: Axis { label: "latency".into(), unit: "us".into(), ..Axis::default() },
        series: vec![bars("requests", points)?],
        ..Figure::default()
    })
}
