//! The page as a whole: well-formed for any data, self-contained, and with plots that contain
//! finite numbers only.

mod common;

use bandwise_report::*;
use common::elements;
use proptest::prelude::*;

fn axis(label: &str, unit: &str, scale: Scale) -> Axis {
    Axis { label: label.into(), unit: unit.into(), scale }
}

/// Returns a report with this text at every place for text.
fn report_of(text: &str) -> Report {
    let t = || text.to_owned();
    let point = Point { note: Some(t()), ..Point::new(0.0, 1.0).low(0.5).high(2.0) };
    let series = |kind, source| Series { name: t(), kind, source, points: vec![point.clone()] };
    let kinds = [SeriesKind::Line, SeriesKind::Bars, SeriesKind::Points];
    let sources = [SourceKind::Ours, SourceKind::Published, SourceKind::Truth];
    let all = kinds.into_iter().flat_map(|kind| sources.map(|source| series(kind, source)));
    let step = Step { height: 1.0, share: 0.5 };
    let track = Track { steps: vec![step], width: 1.0, end: 1.0, note: t() };
    let figure = |scale| Figure {
        id: t(),
        group: String::new(),
        title: t(),
        caption: t(),
        x: axis(text, text, scale),
        y: axis(text, text, Scale::Linear),
        series: all.clone().collect(),
    };
    Report {
        title: t(),
        question: t(),
        answer: vec![t()],
        figures: vec![
            figure(Scale::Linear),
            figure(Scale::Category(vec![t(), t()])),
            Figure { group: t(), ..figure(Scale::Linear) },
            Figure { group: t(), ..figure(Scale::Linear) },
        ],
        lanes: vec![Lanes {
            id: t(),
            title: t(),
            caption: t(),
            x: axis(text, text, Scale::Linear),
            tracks: vec![t(), t()],
            meanwhile: t(),
            most: 2.0,
            lanes: vec![Lane { name: t(), tracks: vec![track.clone(), track] }],
        }],
        tables: vec![Table {
            title: t(),
            caption: t(),
            header: vec![t()],
            rows: vec![
                vec![Cell::text(text), Cell::number(1.0, text)],
                vec![Cell::verdict(Verdict::Bad, text)],
            ],
        }],
        rows: vec![Row {
            paper: t(),
            item: t(),
            case: t(),
            metric: t(),
            unit: t(),
            published: Some(1.0),
            measured: 2.0,
            tolerance: Some(0.1),
            agrees: Some(false),
            dependence: Some(Dependence::Repeats(t())),
            ..Row::default()
        }],
        provenance: Provenance {
            version: t(),
            command: t(),
            seed: 1,
            scenario: Some(t()),
            machine: Some(t()),
            date: Some(t()),
            extra: vec![(t(), t())],
        },
        notes: vec![t()],
    }
}

/// Returns the plots of a page.
fn plots(page: &str) -> impl Iterator<Item = &str> {
    page.split("<svg class=\"plot").skip(1).filter_map(|rest| rest.split("</svg>").next())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn text_cannot_inject_markup(text in "\\PC{0,8}[<>&\"'\n]{0,3}(<zz9 onload=\"x\">|'>|</script>|-->|]]>)?\\PC{0,8}") {
        let page = html::render(&report_of(&text));
        let found = elements(&page);
        prop_assert!(found.is_ok(), "{:?}", found.err());
        prop_assert!(!page.contains("<zz9"));
        let mut ids: Vec<_> = found.unwrap().iter()
            .flat_map(|e| e.attributes.iter().filter(|(name, _)| *name == "id").map(|(_, id)| *id).collect::<Vec<_>>())
            .collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), count, "duplicate id");
    }

    #[test]
    fn lanes_hold_only_finite_numbers(
        values in prop::collection::vec((any::<f64>(), any::<f64>()), 0..40),
        width in any::<f64>(), end in any::<f64>(), most in any::<f64>(),
    ) {
        let steps = values.into_iter().map(|(height, share)| Step { height, share }).collect();
        let track = Track { steps, width, end, note: String::new() };
        let lane = Lane { name: "job".into(), tracks: vec![track] };
        let lanes = Lanes { tracks: vec!["a".into()], most, lanes: vec![lane], ..Lanes::default() };
        let page = html::render(&Report { lanes: vec![lanes], ..Report::default() });
        prop_assert!(elements(&page).is_ok());
        for plot in plots(&page) {
            // Attributes contain numbers. The end of a word is arbitrary.
            let paths = plot.split(" d=\"").skip(1).filter_map(|rest| rest.split('"').next());
            for path in paths {
                prop_assert!(!path.contains("NaN") && !path.contains("inf"), "{}", path);
            }
        }
    }

    #[test]
    fn plots_hold_only_finite_numbers(
        values in prop::collection::vec((any::<f64>(), any::<f64>(), any::<Option<f64>>()), 0..40),
        near in prop::collection::vec((0u8..4, -5f64..5.0, prop::option::of(-9f64..9.0)), 0..5),
        x in prop_oneof![Just(Scale::Linear), Just(Scale::Log2), Just(Scale::Category(vec!["a".into(); 3]))],
        y in prop_oneof![Just(Scale::Linear), Just(Scale::Log2), Just(Scale::Log10)],
        kind in prop_oneof![Just(SeriesKind::Line), Just(SeriesKind::Bars), Just(SeriesKind::Points)],
    ) {
        let near = near.into_iter().map(|(x, y, high)| (f64::from(x), y, high));
        let points = values.into_iter().chain(near)
            .map(|(x, y, high)| Point { high, low: high.map(|h| -h), ..Point::new(x, y) });
        let figure = Figure {
            x: axis("x", "", x),
            y: axis("y", "", y),
            series: vec![Series { kind, points: points.collect(), ..Series::default() }],
            ..Figure::default()
        };
        let page = html::render(&Report { figures: vec![figure], ..Report::default() });
        prop_assert!(elements(&page).is_ok());
        for plot in plots(&page) {
            prop_assert!(!plot.contains("NaN") && !plot.contains("inf"), "{}", plot);
        }
    }
}

#[test]
fn page_loads_no_external_resource() {
    let page = html::render(&report_of("text"));
    for load in ["http:", "https:", "//", "@import", "url(", " src=", "fetch(", "import("] {
        // Comments of the script begin with two slashes. No other line may contain them.
        let hits =
            page.lines().filter(|l| l.contains(load) && !(load == "//" && l.contains("// ")));
        assert_eq!(hits.collect::<Vec<_>>(), [""; 0], "{load}");
    }
    let links = elements(&page).unwrap();
    let links = links.iter().flat_map(|e| &e.attributes).filter(|(name, _)| *name == "href");
    for (_, to) in links {
        assert!(to.starts_with('#') || *to == "data:,", "{to}");
    }
}

#[test]
fn every_plot_is_described() {
    let page = html::render(&report_of("text"));
    let found = elements(&page).unwrap();
    let plots: Vec<_> = found
        .iter()
        .filter(|e| e.attributes.iter().any(|(n, v)| *n == "class" && v.starts_with("plot")))
        .collect();
    let parts = "two figures, wide and narrow, two side by side, narrow, lanes, wide and narrow";
    assert_eq!(plots.len(), 8, "{parts}");
    for (i, plot) in plots.into_iter().enumerate() {
        let value = |name| plot.attributes.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        let label = if (4..6).contains(&i) { "text, text" } else { "text" };
        assert_eq!((value("role"), value("aria-label")), (Some("img"), Some(label)));
        let about = format!("<desc id=\"{}\">", value("aria-describedby").unwrap());
        assert_eq!(page.matches(&about).count(), 1, "{about}");
    }
}

#[test]
fn equal_reports_give_equal_bytes() {
    assert_eq!(html::render(&report_of("a")), html::render(&report_of("a")));
}

#[test]
fn empty_report_is_a_valid_page() {
    let page = html::render(&Report::default());
    elements(&page).unwrap();
    assert!(page.contains("How to reproduce"));
}

#[test]
fn small_plot_matches_its_snapshot() {
    let figure = Figure {
        id: "fig1".into(),
        group: String::new(),
        title: "Delay".into(),
        x: axis("Senders", "", Scale::Linear),
        y: axis("RTT", "µs", Scale::Linear),
        series: vec![
            Series {
                name: "ours".into(),
                points: vec![
                    Point::new(0.0, -0.5),
                    Point::new(1.0, f64::NAN),
                    Point::new(2.0, 5.1).high(5.9).note("p99.9 above"),
                ],
                ..Series::default()
            },
            Series {
                name: "paper".into(),
                kind: SeriesKind::Points,
                source: SourceKind::Published,
                points: vec![Point::new(2.0, 5.2)],
            },
        ],
        ..Figure::default()
    };
    let page = html::render(&Report { figures: vec![figure], ..Report::default() });
    assert!(page.contains("1 point without a finite value is not drawn."));
    let narrow = plots(&page).find(|plot| plot.starts_with(" narrow")).unwrap();
    insta::assert_snapshot!(narrow);
}
