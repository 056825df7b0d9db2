//! Prints a report as it comes out of a measurement: `cargo run -p bandwise-report --example
//! sample > report.html`, or with `text` or `json` as argument, the same for a terminal or a
//! program. The numbers are samples, not results.

use bandwise_report::*;

const PUBLISHED_US: [Option<f64>; 6] =
    [Some(0.4), Some(0.6), Some(5.2), Some(10.7), None, Some(20.2)];
const MEDIAN_US: [f64; 6] = [0.43, 0.72, 5.1, 10.0, 14.9, 19.7];
const TAIL_US: [f64; 6] = [0.46, 0.91, 5.9, 11.2, 16.3, 21.6];

fn axis(label: &str, unit: &str, scale: Scale) -> Axis {
    Axis { label: label.into(), unit: unit.into(), scale }
}

fn series(name: &str, kind: SeriesKind, source: SourceKind, points: Vec<Point>) -> Series {
    Series { name: name.into(), kind, source, points }
}

/// Points at 0, 1, 2, …
fn counted(values: &[f64]) -> Vec<Point> {
    values.iter().enumerate().map(|(x, &y)| Point::new(x as f64, y)).collect()
}

fn latency() -> Figure {
    let ours = MEDIAN_US.iter().zip(TAIL_US).enumerate().map(|(x, (&y, tail))| {
        Point::new(x as f64, y).high(tail).note("median of 1 million round trips")
    });
    let published =
        PUBLISHED_US.iter().enumerate().filter_map(|(x, y)| Some(Point::new(x as f64, (*y)?)));
    let weighted = [0.43, 0.66, 0.81, 0.92, 1.04, 1.13];
    Figure {
        id: "fig7a".into(),
        group: String::new(),
        title: "Bulk traffic delays small messages by one full buffer a sender".into(),
        caption: "Median round-trip time of 64-byte messages through one switch while 0 to 5 \
                  hosts send bulk traffic to the same receiver. Whiskers reach to the 99.9 \
                  percentile."
            .into(),
        x: axis("Bulk senders", "", Scale::Linear),
        y: axis("Round-trip time", "µs", Scale::Linear),
        series: vec![
            series("One lane", SeriesKind::Line, SourceKind::Ours, ours.collect()),
            series("Own lane, 1:3", SeriesKind::Line, SourceKind::Ours, counted(&weighted)),
            series(
                "One lane, published",
                SeriesKind::Points,
                SourceKind::Published,
                published.collect(),
            ),
        ],
    }
}

fn bandwidth() -> Figure {
    let names = ["One lane", "Two lanes, equal weights", "Two lanes, 1:3", "Strict priority"];
    let bulk = [52.1, 50.9, 48.7, 51.6].into_iter().zip([50.2, 49.8, 47.1, 50.9]);
    let bulk = bulk.enumerate().map(|(x, (y, low))| Point::new(x as f64, y).low(low));
    Figure {
        id: "fig9".into(),
        group: String::new(),
        title: "Protection costs the bulk flows little bandwidth".into(),
        caption: "Goodput over one 56 Gbps link. Whiskers reach down to the slowest tenth of a \
                  second."
            .into(),
        x: axis("Arrangement of lanes", "", Scale::Category(names.map(String::from).to_vec())),
        y: axis("Goodput", "Gbps", Scale::Linear),
        series: vec![
            series("Bulk", SeriesKind::Bars, SourceKind::Ours, bulk.collect()),
            series(
                "Small messages",
                SeriesKind::Bars,
                SourceKind::Ours,
                counted(&[0.4, 1.9, 3.6, 3.9]),
            ),
            series(
                "Bulk, published",
                SeriesKind::Points,
                SourceKind::Published,
                vec![Point::new(0.0, 51.3), Point::new(1.0, 50.1), Point::new(2.0, 44.0)],
            ),
        ],
    }
}

fn sizes() -> Figure {
    let sizes = (6..=20).map(|power| 2f64.powi(power));
    let ours = sizes.clone().map(|bytes| {
        let us = 0.41 + bytes * 8.0 / 52e3;
        Point::new(bytes, us).high(us * 1.12)
    });
    let truth = sizes.map(|bytes| Point::new(bytes, 0.38 + bytes * 8.0 / 52e3));
    Figure {
        id: "sizes".into(),
        group: "Two that are read together".into(),
        title: "Large messages pay for their bytes, small ones for the path".into(),
        caption: "Round-trip time of an idle path against the size of the message. Whiskers \
                  reach to the 99.9 percentile."
            .into(),
        x: axis("Message size", "B", Scale::Log2),
        y: axis("Round-trip time", "µs", Scale::Log10),
        series: vec![
            series("Measured", SeriesKind::Line, SourceKind::Ours, ours.collect()),
            series("Simulated path", SeriesKind::Line, SourceKind::Truth, truth.collect()),
        ],
    }
}

fn error() -> Figure {
    // A curve of many points, with negative values and one point that was lost.
    let ours = (0..=120).map(|i| {
        let t = f64::from(i) * 0.5;
        let error =
            if i == 47 { f64::NAN } else { 18.0 * (-t / 12.0).exp() * (t / 3.0).cos() - 1.5 };
        Point::new(t, error).low(error - 3.0).high(error + 4.0)
    });
    Figure {
        id: "error".into(),
        group: "Two that are read together".into(),
        title: "The estimate settles within half a minute".into(),
        caption: "Error of the estimated path latency over the time of the run; dashed lines \
                  hold 80 percent of the samples."
            .into(),
        x: axis("Time", "s", Scale::Linear),
        y: axis("Error", "ns", Scale::Linear),
        series: vec![series(
            "Estimate − truth",
            SeriesKind::Line,
            SourceKind::Ours,
            ours.collect(),
        )],
    }
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (senders, (&measured, published)) in MEDIAN_US.iter().zip(PUBLISHED_US).enumerate() {
        rows.push(Row {
            paper: "rperf".into(),
            item: "fig7a".into(),
            case: format!("{senders} bulk senders"),
            metric: "RTT p50".into(),
            unit: "us".into(),
            published,
            measured,
            tolerance: Some(0.1),
            agrees: published.map(|p| (measured - p).abs() <= 0.1 * p),
            ..Row::default()
        });
    }
    for (case, published, measured) in [("One lane", 51.3, 52.1), ("Two lanes, 1:3", 44.0, 48.7)] {
        rows.push(Row {
            paper: "rperf".into(),
            item: "fig9".into(),
            case: case.into(),
            metric: "bulk goodput".into(),
            unit: "Gbps".into(),
            published: Some(published),
            measured,
            tolerance: Some(0.05),
            agrees: Some((measured - published).abs() <= 0.05 * published),
            ..Row::default()
        });
    }
    rows
}

fn settings() -> Table {
    let row = |name: &str, rtt: f64, rate: f64, verdict, words: &str| {
        vec![
            Cell::text(name),
            Cell::number(rtt, "µs"),
            Cell::number(rate, "Gbps"),
            Cell::verdict(verdict, words),
        ]
    };
    Table {
        title: "What each setting gives small messages".into(),
        caption: "With five bulk senders; the target is a median round trip below 2 µs.".into(),
        header: ["Setting", "RTT p50", "Bulk goodput", "Meets the target"]
            .map(String::from)
            .to_vec(),
        rows: vec![
            row("One lane for all (now)", 19.7, 52.1, Verdict::Bad, "10 times over"),
            row("Two lanes, equal weights", 2.4, 50.9, Verdict::Bad, "just over"),
            row("Two lanes, weights 1:3", 1.13, 48.7, Verdict::Good, ""),
            row("Strict priority", 0.98, 51.6, Verdict::Neutral, "starves bulk when abused"),
        ],
    }
}

/// Two jobs that compute and send by turns, under two policies.
fn phases() -> Lanes {
    let track = |period: usize, count: usize, height: f64| {
        let step = |i: usize| {
            let sends = i % period >= period / 2;
            let height = if sends { height } else { 0.0 };
            Step { height, share: f64::from(u8::from(!sends)) }
        };
        Track {
            steps: (0..count).map(step).collect(),
            width: 0.5,
            end: count as f64 * 0.5,
            note: "computing half of its time".into(),
        }
    };
    let lane = |name: &str, tracks| Lane { name: name.into(), tracks };
    Lanes {
        id: "phases".into(),
        title: "Computing and sending over time".into(),
        caption: "What an instance sends; a full track is 40 Gbps.".into(),
        x: axis("time", "s", Scale::Linear),
        tracks: vec!["shared equally".into(), "shared by weights".into()],
        meanwhile: "computing".into(),
        most: 40.0,
        lanes: vec![
            lane("train", vec![track(20, 260, 30.0), track(16, 208, 40.0)]),
            lane("sort", vec![track(80, 240, 25.0), track(80, 250, 20.0)]),
        ],
    }
}

fn report() -> Report {
    Report {
        title: "Isolation of small messages on a 56 Gbps switch".into(),
        question: "Does the switch protect small messages from bulk traffic, and which lanes and \
                   weights should I set?"
            .into(),
        answer: vec![
            "No: with five bulk senders a small message takes 19.7 µs instead of 0.43 µs, 46 \
             times as long."
                .into(),
            "Give small messages a lane of their own with weights 1:3. They then take 1.13 µs, \
             and bulk traffic loses 7 % of its bandwidth."
                .into(),
        ],
        figures: vec![latency(), bandwidth(), sizes(), error()],
        lanes: vec![phases()],
        tables: vec![settings()],
        rows: rows(),
        provenance: Provenance {
            version: "0.1.0".into(),
            command: "bandwise papers run rperf --seed 7 --report report.html".into(),
            seed: 7,
            scenario: Some(
                "[switch]\nports = 8\nrate = \"56 Gbps\"\nbuffer = \"64 KiB\"\n\n[[flow]]\nfrom \
                 = \"host0\"\nto = \"host7\"\nsize = \"64 B\"  # the latency-sensitive one\n"
                    .into(),
            ),
            machine: None,
            date: Some("2026-11-21".into()),
            extra: vec![("Samples".into(), "1,000,000 round trips a point".into())],
        },
        notes: vec![
            "Round-trip times are from posting the work request to polling its completion, less \
             the time that the card itself takes."
                .into(),
            "This page is a sample: its numbers show the format, not a result.".into(),
        ],
    }
}

fn main() {
    let report = report();
    match std::env::args().nth(1).as_deref() {
        Some("text") => {
            report.tables.iter().for_each(|table| println!("{}", text::table(table)));
            print!("{}{}", text::rows(&report.rows), text::tally(&report.rows));
        }
        Some("json") => println!("{:#}", json::rows(&report.rows, serde_json::json!({}))),
        _ => print!("{}", html::render(&report)),
    }
}
