//! The paper's figures, with our curves and its published points.

use crate::Finding;
use crate::published::{Published, Value};
use bandwise_report::model::{Axis, Figure, Point, Scale, Series, SeriesKind, SourceKind};

/// A figure to draw: its item, its axes, and its curves.
struct Plot {
    item: &'static str,
    title: &'static str,
    caption: &'static str,
    x: Axis,
    y: Axis,
    kind: SeriesKind,
    /// Pairs of the start of a case's name and the name of its curve.
    curves: &'static [(&'static str, &'static str)],
    /// The only metric to draw; `None` draws medians with their tails.
    metric: Option<&'static str>,
}

/// Returns all figures that have findings.
pub(super) fn figures(findings: &[Finding], published: &Published) -> Vec<Figure> {
    plots().into_iter().filter_map(|plot| plot.draw(findings, published)).collect()
}

const TAIL: &str = "The whiskers reach up to the 99.9th percentile.";

fn plots() -> Vec<Plot> {
    let size = || axis("message size", "B", Scale::Log2);
    let senders = || axis("bulk senders", "", Scale::Linear);
    let rtt = |unit: &str| axis("round trip", unit, Scale::Linear);
    let bandwidth = || axis("payload bandwidth", "Gbps", Scale::Linear);
    let names = |names: &[&str]| {
        axis("", "", Scale::Category(names.iter().map(|&n| n.to_owned()).collect()))
    };
    let plot = |item, title, caption, x, y| Plot {
        item,
        title,
        caption,
        x,
        y,
        kind: SeriesKind::Line,
        curves: &[("", "RPerf")],
        metric: None,
    };
    vec![
        Plot {
            curves: &[("switch ", "through the switch"), ("direct ", "back to back")],
            ..plot("fig4", "The switch alone", "Round trip by RPerf at no load.", size(), rtt("ns"))
        },
        Plot {
            curves: &[("switch ", "through the switch"), ("direct ", "back to back")],
            metric: Some("bandwidth"),
            ..plot(
                "fig5",
                "Bandwidth of one sender",
                "One doorbell a message.",
                size(),
                bandwidth(),
            )
        },
        Plot {
            curves: &[("perftest ", "perftest"), ("qperf ", "qperf")],
            ..plot(
                "fig6",
                "Results of the existing tools",
                "The same switch at no load. qperf reports no tail.",
                size(),
                rtt("us"),
            )
        },
        plot("fig7a", "Latency beside bulk traffic", "64 B beside 4096 B.", senders(), rtt("us")),
        Plot {
            metric: Some("total bandwidth"),
            curves: &[("", "all bulk senders")],
            kind: SeriesKind::Bars,
            ..plot("fig7b", "Bandwidth of the bulk senders", "", senders(), bandwidth())
        },
        plot("fig8", "Smaller bulk messages", "Five bulk senders.", size(), rtt("us")),
        Plot {
            metric: Some("share of the link"),
            curves: &[("", "all bulk senders")],
            ..plot(
                "fig9",
                "Cost of smaller bulk messages",
                "Five bulk senders, payload as a share of 56 Gbps.",
                size(),
                axis("share of the link", "%", Scale::Linear),
            )
        },
        Plot {
            curves: &[("FCFS ", "first come, first served"), ("RR ", "round-robin")],
            ..plot(
                "fig10",
                "Scheduling in the switch",
                "A switch without hiccups, as in the paper's simulator; time in the network.",
                senders(),
                rtt("us"),
            )
        },
        Plot {
            kind: SeriesKind::Bars,
            curves: &[("", "two switches")],
            ..plot(
                "fig11",
                "Scheduling over two hops",
                "Five bulk senders, two of them behind the same link as the small flow.",
                names(&["FCFS", "RR"]),
                rtt("us"),
            )
        },
        Plot {
            kind: SeriesKind::Bars,
            ..plot(
                "fig12",
                "A service level of its own",
                "Five bulk senders; in the last, one of them pretends to be latency-sensitive.",
                names(&["no BSG", "shared SL", "dedicated SL", "dedicated SL with a pretend LSG"]),
                rtt("us"),
            )
        },
        Plot {
            kind: SeriesKind::Bars,
            metric: Some("bandwidth"),
            curves: &[("", "one flow")],
            ..plot(
                "fig13",
                "Gain of the pretend LSG",
                "Bandwidth of the pretend latency-sensitive flow and of the four honest senders.",
                names(&[
                    "pretend LSG",
                    "BSG beside a pretend LSG: least",
                    "BSG beside a pretend LSG: most",
                ]),
                bandwidth(),
            )
        },
        Plot {
            metric: Some("error p50"),
            curves: &[
                ("perftest switch ", "perftest"),
                ("qperf switch ", "qperf"),
                ("rperf switch ", "RPerf"),
            ],
            ..plot(
                "truth",
                "Error of each method",
                "Median of the method's result minus the time that the message and its answer \
                 really spent between the two ports, through the idle switch.",
                size(),
                axis("error", "ns", Scale::Linear),
            )
        },
    ]
}

fn axis(label: &str, unit: &str, scale: Scale) -> Axis {
    Axis { label: label.to_owned(), unit: unit.to_owned(), scale }
}

impl Plot {
    fn draw(self, findings: &[Finding], published: &Published) -> Option<Figure> {
        let mut series = Vec::new();
        let mut tail_shown = false;
        for (prefix, name) in self.curves {
            let ours = self.points(prefix, findings, |f| (&f.item, &f.case, &f.metric, f.value()));
            let values = published.values();
            let theirs =
                self.points(prefix, values, |v: &Value| (&v.item, &v.case, &v.metric, v.value));
            if ours.is_empty() {
                continue;
            }
            tail_shown |= ours.iter().any(|p| p.high.is_some());
            let entry = |name: String, source, kind, points| Series { name, kind, source, points };
            series.push(entry((*name).to_owned(), SourceKind::Ours, self.kind, ours));
            if !theirs.is_empty() {
                let name = format!("{name}, published");
                series.push(entry(name, SourceKind::Published, SeriesKind::Points, theirs));
            }
        }
        let caption = match (self.caption, tail_shown) {
            ("", _) => String::new(),
            (caption, true) => format!("{caption} {TAIL}"),
            (caption, false) => caption.to_owned(),
        };
        (!series.is_empty()).then(|| Figure {
            id: self.item.to_owned(),
            group: String::new(),
            title: match self.item.strip_prefix("fig") {
                Some(number) => format!("Figure {number}: {}", self.title),
                None => self.title.to_owned(),
            },
            caption,
            x: self.x,
            y: self.y,
            series,
        })
    }

    /// Returns the points of a curve among `numbers`, by x.
    fn points<'a, T>(
        &self,
        prefix: &str,
        numbers: &'a [T],
        of: impl Fn(&'a T) -> (&'a String, &'a String, &'a String, f64),
    ) -> Vec<Point> {
        let metric = self.metric.unwrap_or("RTT p50");
        let all: Vec<_> = numbers.iter().map(of).filter(|n| n.0 == self.item).collect();
        let mut points: Vec<Point> = all
            .iter()
            .filter(|n| n.2 == metric)
            .filter_map(|&(_, case, _, y)| {
                let x = self.place(case.strip_prefix(prefix)?)?;
                let mut point = Point::new(x, y).note(case.clone());
                let tail = all.iter().find(|n| n.1 == case && n.2 == "RTT p99.9");
                if let (None, Some(tail)) = (self.metric, tail) {
                    point = point.high(tail.3);
                }
                Some(point)
            })
            .collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    }

    /// Returns the place of a case on the x-axis: its category, or the number at the start of its
    /// name.
    fn place(&self, case: &str) -> Option<f64> {
        if let Scale::Category(names) = &self.x.scale {
            return names.iter().position(|name| name == case).map(|i| i as f64);
        }
        let (number, rest) = case.split_once(' ')?;
        let is_point = matches!(rest, "B" | "BSG" | "BSGs" | "B, no load");
        is_point.then(|| number.parse().ok()).flatten()
    }
}
