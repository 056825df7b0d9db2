//! `bandwise sim run --flow-results FILE.parquet`: what the CSV has, in the same columns.

use crate::common::Place;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::fmt::Write;

const RACK: &str = "kind = \"ethernet\"\n[fabric]\nbuild = { single-switch = 4 }\n\
                    link = { rate = \"40 Gbps\", delay = \"200 ns\" }\n";

/// A file of rows, as lines of CSV, and how many groups of rows it has.
fn lines(place: &Place, name: &str) -> (String, usize) {
    let file = std::fs::File::open(place.path().join(name)).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let metadata = reader.metadata();
    let columns = metadata.file_metadata().schema_descr().columns().to_vec();
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    let mut text = names.join(",") + "\n";
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        // A double holds three decimals of what a run can last.
        let ns = |column| {
            let ns = format!("{:.3}", row.get_double(column).unwrap());
            ns.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        let (flow, bytes) = (row.get_uint(0).unwrap(), row.get_long(4).unwrap());
        let (src, dst) = (row.get_uint(2).unwrap(), row.get_uint(3).unwrap());
        let (start, took, slowdown) = (ns(1), ns(5), row.get_double(6).unwrap());
        writeln!(text, "{flow},{start},{src},{dst},{bytes},{took},{slowdown:.6}").unwrap();
    }
    (text, metadata.num_row_groups())
}

#[test]
fn parquet_rows_equal_csv_rows() {
    let place = Place::new();
    place.write("n.toml", format!("{RACK}[workload]\npoisson = {{ flows = 500 }}\n"));
    for file in ["f.csv", "f.parquet"] {
        place.run(&["sim", "run", "n.toml", "--flow-results", file]).good();
    }
    let (rows, groups) = lines(&place, "f.parquet");
    assert_eq!((rows, groups), (place.read("f.csv"), 1));
    assert_eq!(place.files(), ["f.csv", "f.parquet", "n.toml"]);
}

#[test]
fn parquet_rows_are_written_in_groups_during_the_run() {
    let place = Place::new();
    place.write("n.toml", RACK);
    let mut list = String::from("start_ns,src,dst,bytes\n");
    for flow in 0..70_000 {
        writeln!(list, "{},{},3,{}", flow * 300, flow % 3, 1 + flow % 900).unwrap();
    }
    place.write("l.csv", list);
    for file in ["f.csv", "f.parquet"] {
        place.run(&["sim", "run", "n.toml", "--flows", "l.csv", "--flow-results", file]).good();
    }
    let (rows, groups) = lines(&place, "f.parquet");
    assert_eq!(groups, 2);
    assert!(rows == place.read("f.csv"));
}

#[test]
fn empty_parquet_file_is_valid_and_write_errors_are_reported() {
    let place = Place::new();
    place.write("n.toml", RACK);
    place.write("l.csv", "start_ns,src,dst,bytes\n");
    let run = |file: &str| {
        place.run(&["sim", "run", "n.toml", "--flows", "l.csv", "--flow-results", file])
    };
    run("f.parquet").good();
    let header = "flow,start_ns,src,dst,bytes,fct_ns,slowdown\n";
    assert_eq!(lines(&place, "f.parquet"), (header.to_owned(), 0));
    run("no/f.parquet").refused(&["--flow-results no/f.parquet: there is no folder no"]);
    // A link keeps its name, and so its format.
    std::os::unix::fs::symlink("/dev/full", place.path().join("full.parquet")).unwrap();
    let ran = run("full.parquet");
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("No space left"), "{ran:#?}");
}
