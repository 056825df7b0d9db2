//! Sensitivity tables: reading, writing, and refused inputs.

use crate::common::any_samples;
use bandwise_input::{InputError, Source};
use bandwise_saba::sensitivity::Setting;
use bandwise_saba::table::{Application, Entry, Table, Text, read, write};
use proptest::prelude::*;

/// A table in the form that is written, after a comment.
const TOML: &str = r#"# two
[[application]]
name = "LR"
nodes = 8
dataset = "10000 samples"
measured = "2022-03-01"
comment = "Spark, one core a host"
samples = [
    { share = 0.25, time = "447 s" },
    { share = 0.75, time = "172 s" },
    { share = 1, time = "132 s" },
    { share = 1, time = "133 s" },
]

[[application]]
name = "TS"
samples = [
    { share = 0.25, time = "165 s" },
    { share = 0.75, time = "138 s" },
    { share = 1, time = "137.5 s" },
]
"#;

const CSV: &str = "\u{feff}time_s,application, share ,nodes,dataset,measured,comment
447,LR,0.25,8,10000 samples,2022-03-01,\"Spark, one core a host\"
172,LR,0.75
132, LR ,1,8,10000 samples,2022-03-01,\"Spark, one core a host\"

133,LR,1.00,,,,
137.5,TS,1
138,TS,0.75
165,TS,25e-2
";

fn toml(text: &str) -> Result<Table, InputError> {
    read::toml(&Source::new("t.toml", text))
}

fn csv(text: &str) -> Result<Table, InputError> {
    read::csv(&Source::new("t.csv", text))
}

#[test]
fn toml_and_csv_tables_are_equal() {
    let table = toml(TOML).unwrap();
    assert_eq!(table, csv(CSV).unwrap());
    // Keys have any order, and 1 equals 1.0.
    let last = "    { share = 1, time = \"137.5 s\" },\n";
    let first = "[[application]]\nname = \"TS\"\nsamples = [\n";
    let moved = format!("{first}{}", last.replace("= 1,", "= 1.0,"));
    assert_eq!(table, toml(&TOML.replace(last, "").replace(first, &moved)).unwrap());
    let lr = table.get("LR").unwrap();
    assert_eq!(lr.samples.points().len(), 3);
    assert!((lr.samples.points()[0].slowdown - 447.0 / 132.5).abs() < 1e-12);
    assert_eq!(lr.setting.nodes.unwrap().get(), 8);
    assert_eq!(table.get("SQL"), None);
}

#[test]
fn written_tables_match_their_documents() {
    let table = csv(CSV).unwrap();
    insta::assert_snapshot!(write::csv(&table), @r#"
    application,share,time_s,nodes,dataset,measured,comment
    LR,0.25,447,8,10000 samples,2022-03-01,"Spark, one core a host"
    LR,0.75,172,,,,
    LR,1,132,,,,
    LR,1,133,,,,
    TS,0.25,165,,,,
    TS,0.75,138,,,,
    TS,1,137.5,,,,
    "#);
    assert_eq!(format!("# two\n{}", write::toml(&table)), TOML);
}

/// Returns the error of the TOML table with one piece replaced.
fn refused_toml(from: &str, to: &str) -> String {
    assert!(TOML.contains(from), "{from}");
    toml(&TOML.replacen(from, to, 1)).unwrap_err().to_string()
}

fn refused_csv(from: &str, to: &str) -> String {
    assert!(CSV.contains(from), "{from}");
    csv(&CSV.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn invalid_toml_tables_are_refused() {
    insta::assert_snapshot!(refused_toml("    { share = 1, time = \"137.5 s\" },\n", ""), @r#"t.toml:17: no sample with all of the bandwidth for "TS" (allowed: a sample with a share of 1, which slowdowns are relative to)"#);
    insta::assert_snapshot!(refused_toml("    { share = 0.75, time = \"138 s\" },\n", ""), @r#"t.toml:17: samples with 2 shares of the bandwidth for "TS" (allowed: 3 different shares or more, one of them 1)"#);
    insta::assert_snapshot!(refused_toml("138 s", "0 s"), @r#"t.toml:19: a time of 0 for "TS" (allowed: a time above 0 such as "172 s")"#);
    insta::assert_snapshot!(refused_toml("share = 0.25", "share = 1.3"), @"t.toml:9: a share of 1.3 (allowed: above 0 and up to 1, such as 0.25 for a quarter of the bandwidth)");
    insta::assert_snapshot!(refused_toml("share = 0.25", "share = \"25%\""), @r#"t.toml:9: the text "25%" can't stand here (allowed: a number such as 0.7, without quotes)"#);
    insta::assert_snapshot!(refused_toml("name = \"TS\"", "name = \"LR\""), @r#"t.toml:16: a second application called "LR" (allowed: each application once)"#);
    insta::assert_snapshot!(refused_toml("name = \"TS\"", "name = \" TS\""), @r#"t.toml:16: an application called " TS" (allowed: one or more characters on one line, without a space at the beginning or end)"#);
    insta::assert_snapshot!(refused_toml("nodes = 8", "node = 8"), @"t.toml:4: unknown field `node` (allowed: one of `name`, `nodes`, `dataset`, `measured`, `comment`, `samples`)");
    insta::assert_snapshot!(refused_toml("nodes = 8", "nodes = 0"), @"t.toml:4: measured on 0 nodes (allowed: a whole number from 1 on)");
    insta::assert_snapshot!(refused_toml("10000 samples", "many"), @r#"t.toml:5: a dataset of "many" (allowed: a number above 0 and a unit, such as "10000 samples" or "300 GB")"#);
    insta::assert_snapshot!(refused_toml("2022-03-01", "2022-02-30"), @r#"t.toml:6: a date of "2022-02-30" (allowed: a day as year, month and day, such as "2022-03-01")"#);
    insta::assert_snapshot!(refused_toml("Spark, one", "Spark\\none"), @r#"t.toml:7: a text of "Spark\none core a host" (allowed: one line of text)"#);
    insta::assert_snapshot!(refused_toml("447 s", "447"), @r#"t.toml:9: "447" needs a unit: ps, ns, us, ms or s (allowed: a time such as "172 s" or "93.5 s")"#);
    insta::assert_snapshot!(toml("").unwrap_err(), @"t.toml:1: the file is empty (allowed: a sensitivity table: TOML with [[application]] tables, or CSV whose first line has the columns application, share and time_s)");
}

#[test]
fn invalid_csv_tables_are_refused() {
    insta::assert_snapshot!(refused_csv("137.5,TS,1\n", ""), @r#"t.csv:7: no sample with all of the bandwidth for "TS" (allowed: a sample with a share of 1, which slowdowns are relative to)"#);
    insta::assert_snapshot!(refused_csv("138,TS,0.75\n", ""), @r#"t.csv:7: samples with 2 shares of the bandwidth for "TS" (allowed: 3 different shares or more, one of them 1)"#);
    insta::assert_snapshot!(refused_csv("138,TS", "0,TS"), @r#"t.csv:8: a time of 0 for "TS" (allowed: a time above 0 such as "172 s")"#);
    insta::assert_snapshot!(refused_csv("LR,0.25", "LR,1.3"), @"t.csv:2: a share of 1.3 (allowed: above 0 and up to 1, such as 0.25 for a quarter of the bandwidth)");
    insta::assert_snapshot!(refused_csv("LR,0.25", "LR,25%"), @r#"t.csv:2: a share of "25%" (allowed: above 0 and up to 1, such as 0.25 for a quarter of the bandwidth)"#);
    insta::assert_snapshot!(refused_csv("165,TS,25e-2\n", "165,TS,25e-2\n447,LR,0.25\n172,LR,0.75\n132,LR,1\n"), @r#"t.csv:10: a second application called "LR" (allowed: each application once)"#);
    insta::assert_snapshot!(refused_csv("nodes", "node"), @r#"t.csv:1: a column "node" (allowed: application, share, time_s, nodes, dataset, measured, comment, of which the first three are needed)"#);
    insta::assert_snapshot!(refused_csv("nodes", "share"), @r#"t.csv:1: two columns "share" (allowed: application, share, time_s, nodes, dataset, measured, comment, of which the first three are needed)"#);
    insta::assert_snapshot!(refused_csv("time_s", "comment"), @r#"t.csv:1: two columns "comment" (allowed: application, share, time_s, nodes, dataset, measured, comment, of which the first three are needed)"#);
    insta::assert_snapshot!(refused_csv("172,LR,0.75", "172,LR,0.75,16"), @r#"t.csv:3: "LR" measured in two ways (allowed: what the application's first line says, or nothing)"#);
    insta::assert_snapshot!(refused_csv("172,LR,0.75", "172,,0.75"), @r#"t.csv:3: an application called "" (allowed: one or more characters on one line, without a space at the beginning or end)"#);
    insta::assert_snapshot!(refused_csv("172,LR,0.75", "1e3,LR,0.75"), @r#"t.csv:3: a time of "1e3" s (allowed: seconds such as 172 or 93.5, down to a picosecond and up to 106 days)"#);
    insta::assert_snapshot!(refused_csv("172,LR,0.75", "172,LR,0.75,,,,,,"), @"t.csv:3: 9 values in a line (allowed: 7 values, as the first line has names)");
    insta::assert_snapshot!(refused_csv("8,10000", "8.5,10000"), @"t.csv:2: measured on 8.5 nodes (allowed: a whole number from 1 on)");
    insta::assert_snapshot!(csv(TOML).unwrap_err(), @r##"t.csv:1: a column "# two" (allowed: application, share, time_s, nodes, dataset, measured, comment, of which the first three are needed)"##);
}

fn texts() -> impl Strategy<Value = Text> {
    "[^\\p{C}]{0,12}".prop_filter_map("no text", |t| Text::try_from(t.as_str()).ok())
}

fn entries() -> impl Strategy<Value = Entry> {
    let dataset = prop::option::of((1e-3f64..1e12, "[a-zA-Z\"',#]{1,5}"));
    let day = prop::option::of((0u16..=9999, 1u8..=12, 1u8..=28));
    (any_samples(), 0u32..100, dataset, day, texts()).prop_map(
        |(samples, nodes, data, day, comment)| Entry {
            samples,
            setting: Setting {
                nodes: std::num::NonZeroU32::new(nodes),
                dataset: data.map(|(size, unit)| format!("{size} {unit}").parse().unwrap()),
            },
            measured: day.map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}").parse().unwrap()),
            comment,
        },
    )
}

fn tables() -> impl Strategy<Value = Table> {
    prop::collection::btree_map("[^\\p{C}]{1,8}", entries(), 0..5).prop_map(|all| {
        let mut table = Table::new();
        for (name, entry) in all {
            if let Ok(name) = Application::try_from(name.as_str()) {
                table.insert(name, entry);
            }
        }
        table
    })
}

/// Generates pieces that are keywords of a reader.
const PIECES: [&str; 20] = [
    "[[application]]\n",
    "name = ",
    "samples = [",
    "{ share = ",
    ", time = \"",
    "\n",
    "\"",
    ",",
    "LR",
    "1",
    "0.25",
    "447 s",
    "]",
    "}",
    "application,share,time_s\n",
    "nodes",
    "é\u{feff}",
    "\r\n",
    "\0",
    " ",
];

proptest! {
    #[test]
    fn tables_round_trip(table in tables()) {
        prop_assert_eq!(csv(&write::csv(&table)).unwrap(), table.clone());
        prop_assert_eq!(toml(&write::toml(&table)).unwrap(), table);
    }

    #[test]
    fn readers_never_panic(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40), any in ".{0,80}",
    ) {
        let text = pieces.concat();
        for text in [format!("application,share,time_s\n{text}"), format!("application,share,time_s\n{any}"), text, any] {
            for error in [toml(&text).err(), csv(&text).err()].into_iter().flatten() {
                prop_assert!((1..=text.lines().count() + 1).contains(&error.line()), "{error}");
            }
        }
    }
}

/// The form is detected by content, not by the name of the file.
#[test]
fn the_form_is_detected_by_content() {
    let any = |text: &str| read::any(&Source::new("t", text));
    assert_eq!(any(TOML).unwrap(), toml(TOML).unwrap());
    assert_eq!(any(CSV).unwrap(), csv(CSV).unwrap());
    assert_eq!(
        any(&format!("\n\n{}", CSV.trim_start_matches('\u{feff}'))).unwrap(),
        csv(CSV).unwrap()
    );
    assert!(any("application = []\n").unwrap().is_empty());
    assert_eq!(any("# a, b\n[[application]]\nname = \"x\"\n").unwrap_err().line(), 2);
}
