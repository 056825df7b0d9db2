//! Tables for a terminal.

use bandwise_report::*;

fn row(item: &str, case: &str, published: Option<f64>, measured: f64) -> Row {
    Row {
        paper: "rperf".into(),
        item: item.into(),
        case: case.into(),
        metric: "RTT p50".into(),
        unit: "us".into(),
        published,
        measured,
        tolerance: Some(0.1),
        agrees: published.map(|p| (measured - p).abs() <= 0.1 * p),
        ..Row::default()
    }
}

#[test]
fn rows_show_published_values() {
    let rows = [
        row("fig7a", "0 bulk senders", Some(0.4), 0.43),
        row("table3", "two lanes of which one is reserved for small messages", Some(1.0), 1.13),
        row("fig7a", "1 bulk sender", Some(0.6), 0.72),
        row("fig7a", "4 bulk senders", None, 14.9),
        row("fig7a", "lost", Some(1.0), f64::NAN),
    ];
    insta::assert_snapshot!(text::rows(&rows) + &text::tally(&rows));
}

#[test]
fn rows_show_bounds_floors_and_values_that_do_not_count() {
    let bound = |published, bound, measured, agrees| Row {
        bound: Some(bound),
        tolerance: None,
        agrees: Some(agrees),
        ..row("fig5", "cost of the switch", Some(published), measured)
    };
    let rows = [
        bound(0.8, Bound::Most, 1.343, false),
        bound(30.0, Bound::Most, 9.5, true),
        Row {
            tolerance: Some(0.25),
            by_floor: true,
            agrees: Some(true),
            ..row("fig5", "1 sender", Some(0.6), 0.73)
        },
        Row {
            dependence: Some(Dependence::Repeats("fig4, the same sender".into())),
            ..row("fig5", "0 senders", Some(0.4), 0.43)
        },
    ];
    insta::assert_snapshot!(text::rows(&rows) + &text::tally(&rows));
}

#[test]
fn tables_align_numbers_and_break_words() {
    let table = Table {
        title: "Settings".into(),
        caption: "Measured with five bulk senders over one minute each.".into(),
        header: ["Setting", "RTT", "Verdict"].map(String::from).to_vec(),
        rows: vec![
            vec![
                Cell::text("one lane"),
                Cell::number(19.7, "us"),
                Cell::verdict(Verdict::Bad, "ten times over"),
            ],
            vec![
                Cell::text("a lane of its own for small messages ".repeat(3)),
                Cell::number(f64::NAN, "us"),
                Cell::verdict(Verdict::Good, ""),
            ],
            vec![Cell::text("short row\nwith a line break and \u{1b}[31mcolour")],
        ],
    };
    insta::assert_snapshot!(text::table(&table));
}

proptest::proptest! {
    #[test]
    fn lines_fit_the_terminal(words in "\\PC{0,300}", count in 0usize..12) {
        let rows: Vec<Row> = (0..count).map(|i| row(&words, &words, Some(1.0), i as f64)).collect();
        let table = Table {
            caption: words.clone(),
            header: vec![words.clone(); 4],
            rows: vec![vec![Cell::text(&words), Cell::text("x")]; count],
            ..Table::default()
        };
        for line in text::table(&table).lines() {
            proptest::prop_assert!(line.chars().count() <= 100, "{line}");
        }
        let headings = |line: &&str| !line.starts_with("rperf ");
        for line in text::rows(&rows).lines().filter(headings) {
            proptest::prop_assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
