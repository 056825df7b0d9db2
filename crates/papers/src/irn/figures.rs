//! The report's figures: bars for figures 1 to 7, 10 to 12 and section 4.4.4, curves for figures 8
//! and 9 and the ratios of the tables, with published points where the paper has them.

use super::items::ITEMS;
use super::names::{CONTROLS, FCT, NONE, RCT, TABLES, THREE, with};
use crate::Finding;
use crate::published::{Published, Value};
use bandwise_report::model::{Axis, Figure, Point, Scale, Series, SeriesKind, SourceKind};

/// Returns all figures that have findings.
pub(super) fn figures(findings: &[Finding], published: &Published) -> Vec<Figure> {
    let mut all = Vec::new();
    let transports: [(&str, &str, &[&str], &[&str]); 10] = [
        ("fig1", "IRN and RoCE", &["IRN", "RoCE+PFC"], &[]),
        ("fig2", "IRN with and without PFC", &["IRN", "IRN+PFC"], &[]),
        ("fig3", "RoCE with and without PFC", &["RoCE+PFC", "RoCE"], &[]),
        ("fig4", "IRN and RoCE with congestion control", &["IRN", "RoCE+PFC"], &CONTROLS[1..]),
        (
            "fig5",
            "IRN with and without PFC, with congestion control",
            &["IRN", "IRN+PFC"],
            &CONTROLS[1..],
        ),
        (
            "fig6",
            "RoCE with and without PFC, with congestion control",
            &["RoCE+PFC", "RoCE"],
            &CONTROLS[1..],
        ),
        ("fig10", "Resilient RoCE", &["IRN", "RoCE+DCQCN"], &[]),
        ("fig11", "iWARP", &["IRN", "iWARP"], &[]),
        (
            "fig12",
            "The overheads of an implementation",
            &["IRN", "IRN with overheads", "RoCE+PFC"],
            &[],
        ),
        ("text-4.4.4", "AIMD and DCTCP", &["IRN", "IRN+PFC", "RoCE+PFC"], &["AIMD", "DCTCP"]),
    ];
    for (item, title, transports, controls) in transports {
        let controls = if controls.is_empty() { &CONTROLS[..1] } else { controls };
        for metric in THREE {
            all.extend(bars(findings, item, title, transports, controls, metric));
        }
    }
    let parts = ["IRN", "IRN with go-back-N", "IRN without BDP-FC"];
    all.extend(bars(findings, "fig7", "Effect of each part of IRN", &parts, &CONTROLS, FCT));
    all.extend(tails(findings));
    all.extend(incast(findings));
    for table in TABLES {
        for other in ["IRN+PFC", "RoCE+PFC"] {
            all.extend(ratios(findings, published, table, other));
        }
    }
    // Figures follow the paper's order.
    let of = |figure: &Figure, item: &str| {
        figure.id.strip_prefix(item).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    all.sort_by_key(|figure| ITEMS.iter().position(|(item, _)| of(figure, item)));
    all
}

fn axis(label: &str, unit: &str) -> Axis {
    Axis { label: label.to_owned(), unit: unit.to_owned(), scale: Scale::Linear }
}

fn names(names: &[String]) -> Axis {
    Axis { scale: Scale::Category(names.to_vec()), ..Axis::default() }
}

fn title(item: &str, title: &str) -> String {
    match (item.strip_prefix("fig"), item.strip_prefix("table"), item.strip_prefix("text-")) {
        (Some(number), ..) => format!("Figure {number}: {title}"),
        (_, Some(number), _) => format!("Table {number}: {title}"),
        (.., Some(section)) => format!("Section {section}: {title}"),
        _ => title.to_owned(),
    }
}

/// Returns the name of a congestion control, also of none, as text.
fn in_words(control: &&str) -> String {
    if *control == NONE { "no congestion control".to_owned() } else { (*control).to_owned() }
}

/// Returns the point of a finding, with the range of its runs.
fn point(x: f64, found: &Finding, scale: f64) -> Point {
    let point = Point::new(x, found.value() * scale).note(found.case.clone());
    match found.runs.len() {
        1 => point,
        _ => point.low(found.least() * scale).high(found.most() * scale),
    }
}

fn find<'a>(findings: &'a [Finding], item: &str, case: &str, metric: &str) -> Option<&'a Finding> {
    findings.iter().find(|f| f.item == item && f.case == case && f.metric == metric)
}

/// Returns a figure of a metric of transports, side by side for each congestion control.
fn bars(
    findings: &[Finding],
    item: &str,
    about: &str,
    transports: &[&str],
    controls: &[&str],
    metric: &str,
) -> Option<Figure> {
    // Times are in milliseconds; slowdowns have no unit.
    let (unit, scale) = if THREE[0] == metric { ("", 1.0) } else { ("ms", 1e3) };
    let series = transports.iter().map(|transport| Series {
        name: (*transport).to_owned(),
        kind: SeriesKind::Bars,
        points: controls
            .iter()
            .enumerate()
            .filter_map(|(i, control)| {
                let found = find(findings, item, &with(transport, control), metric)?;
                Some(point(i as f64, found, scale))
            })
            .collect(),
        ..Series::default()
    });
    let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
    let controls: Vec<String> = controls.iter().map(in_words).collect();
    (!series.is_empty()).then(|| Figure {
        id: format!("{item}-{}", metric.replace([' ', '%'], "-")),
        group: title(item, about),
        title: metric.to_owned(),
        caption: whiskers(findings).to_owned(),
        x: names(&controls),
        y: axis(metric, unit),
        series,
    })
}

/// Returns the caption about a point's runs.
fn whiskers(findings: &[Finding]) -> &'static str {
    if findings.iter().any(|found| found.runs.len() > 1) {
        "Average over the seeds; whiskers reach from the least run to the most."
    } else {
        "One run each."
    }
}

/// Returns figure 8.
fn tails(findings: &[Finding]) -> Vec<Figure> {
    let figure = |control: &&str| {
        let series = ["IRN", "IRN+PFC", "RoCE+PFC"].into_iter().map(|transport| {
            let case = with(transport, control);
            let of_case = findings.iter().filter(|f| f.item == "fig8" && f.case == case);
            let points = of_case.filter_map(|found| {
                let share: f64 = found.metric.strip_prefix("FCT p")?.parse().ok()?;
                Some(point(share, found, 1.0))
            });
            Series { name: case.clone(), points: points.collect(), ..Series::default() }
        });
        let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
        (!series.is_empty()).then(|| Figure {
            id: format!("fig8-{control}"),
            group: title("fig8", "tail of flows of a single packet"),
            title: in_words(control),
            caption: format!("Percentiles of the completion time. {}", whiskers(findings)),
            x: axis("flows", "%"),
            y: axis("completion time", "ms"),
            series,
        })
    };
    CONTROLS.iter().filter_map(figure).collect()
}

/// Returns figure 9.
fn incast(findings: &[Finding]) -> Option<Figure> {
    let series = CONTROLS.iter().map(|control| {
        let ending = format!("{} over {}", with("IRN", control), with("RoCE+PFC", control));
        let of_control = findings.iter().filter(|f| f.item == "fig9" && f.metric == RCT);
        let points = of_control.filter_map(|found| {
            let senders = found.case.strip_suffix(&ending)?.trim().strip_prefix("M ")?;
            Some(point(senders.parse().ok()?, found, 1.0))
        });
        let name = with("IRN", control);
        Series { name, points: points.collect(), ..Series::default() }
    });
    let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
    (!series.is_empty()).then(|| Figure {
        id: "fig9".into(),
        group: String::new(),
        title: title("fig9", "incast, IRN over RoCE with PFC"),
        caption: format!(
            "Completion time of requests of 150 MB, as a ratio. {}",
            whiskers(findings)
        ),
        x: axis("senders", ""),
        y: axis("ratio", ""),
        series,
    })
}

/// Returns a figure of the ratios of a table to one of the two other transports: the three metrics,
/// without congestion control and with each.
fn ratios(findings: &[Finding], published: &Published, table: &str, other: &str) -> Option<Figure> {
    let infix = format!(" over {other}");
    let rows: Vec<&Finding> =
        findings.iter().filter(|f| f.item == table && f.case.contains(&infix)).collect();
    // Each case has a place, in the order of the table.
    let mut places: Vec<String> = Vec::new();
    for row in &rows {
        if !places.contains(&row.case) {
            places.push(row.case.clone());
        }
    }
    let place = |case: &str| places.iter().position(|place| place == case).map(|i| i as f64);
    let mut series = Vec::new();
    for metric in THREE {
        let ours = rows.iter().filter(|row| row.metric == metric);
        let ours = ours.filter_map(|row| Some(point(place(&row.case)?, row, 1.0)));
        let theirs = |v: &&Value| v.item == table && v.metric == metric;
        let theirs = published.values().iter().filter(theirs);
        let theirs = theirs.filter_map(|v| Some(Point::new(place(&v.case)?, v.value)));
        let (name, points) = (metric.to_owned(), ours.collect());
        series.push(Series { name, kind: SeriesKind::Points, points, ..Series::default() });
        series.push(Series {
            name: format!("{metric}, published"),
            kind: SeriesKind::Points,
            source: SourceKind::Published,
            points: theirs.collect(),
        });
    }
    let labels: Vec<String> = places.iter().map(|case| short(case)).collect();
    (!places.is_empty()).then(|| Figure {
        id: format!("{table}-{}", other.replace('+', "-")),
        group: String::new(),
        title: title(table, &format!("IRN over {}", other.replace('+', " with "))),
        caption: format!("Below 1, IRN is better. {}", whiskers(findings)),
        x: names(&labels),
        y: axis("ratio", ""),
        series,
    })
}

/// Returns a case's name without the transport that it is compared with.
fn short(case: &str) -> String {
    case.split(" over ")
        .next()
        .unwrap_or(case)
        .replace("IRN", "")
        .replace('+', "")
        .trim()
        .to_owned()
}
