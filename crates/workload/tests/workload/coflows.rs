//! Coflow traces: written traces are read as the same, and invalid lines are refused.

use bandwise_input::Source;
use bandwise_units::{Bytes, Time};
use bandwise_workload::{Coflow, CoflowMix, CoflowTrace, read, write};
use proptest::prelude::*;

fn read(text: &str) -> Result<CoflowTrace, String> {
    read::coflows(&Source::new("my.txt", text)).map_err(|error| error.to_string())
}

/// Returns the error for a line as the second of two coflows on four ports.
fn refused(line: &str) -> String {
    read(&format!("4 2\n1 0 1 0 1 3:1.0\n{line}\n")).unwrap_err()
}

#[test]
fn public_coflow_format_is_read() {
    let text = "\u{feff}150 3\r\n7 13122.5 2 66 138 1 38:4.0\r\n\n1 0 1 22 2 65:1 0:0.5 \n2 10833 1 149 1 149:48.000001\n";
    let trace = read(text).unwrap();
    assert_eq!((trace.ports, trace.flows()), (150, 5));
    // Coflows are in order of arrival.
    let ids: Vec<u64> = trace.coflows.iter().map(|coflow| coflow.id).collect();
    assert_eq!(ids, [1, 2, 7]);
    let first = &trace.coflows[0];
    assert_eq!(first.reducers, [(65, Bytes::from_kib(1024)), (0, Bytes::from_kib(512))]);
    assert_eq!(trace.coflows[1].bytes(), Bytes::new(48 * 1_048_576 + 1));
    assert_eq!(trace.coflows[2].arrival, Time::from_us(13_122_500));
    assert_eq!((trace.coflows[2].mappers.clone(), trace.coflows[2].width()), (vec![66, 138], 2));
    assert_eq!(read("4 0").unwrap().coflows, []);
}

/// Ports are counted from 1 if a coflow has the port with the number of ports, and none has port 0.
#[test]
fn ports_count_from_0_or_1() {
    let ports = |text| {
        read(text).map(|trace| (trace.coflows[0].mappers[0], trace.coflows[0].reducers[0].0))
    };
    assert_eq!(ports("4 1\n1 0 1 3 1 1:1"), Ok((3, 1)));
    assert_eq!(ports("4 1\n1 0 1 4 1 1:1"), Ok((3, 0)));
    insta::assert_snapshot!(ports("4 1\n1 0 1 4 1 0:1").unwrap_err(), @"my.txt:2: port 4 of a fabric with 4 ports, one of which is port 0 (allowed: ports 0 to 3)");
}

/// All mappers share a reducer's bytes, exact to a byte.
#[test]
fn mappers_share_equally() {
    let reducers = vec![(1, Bytes::new(10)), (2, Bytes::new(3))];
    let coflow = Coflow { id: 1, arrival: Time::ZERO, mappers: vec![7, 8, 9], reducers };
    let flows: Vec<_> = coflow.flows().map(|(from, to, bytes)| (from, to, bytes.get())).collect();
    assert_eq!(flows, [(7, 1, 4), (8, 1, 3), (9, 1, 3), (7, 2, 1), (8, 2, 1), (9, 2, 1)]);
}

#[test]
fn inconsistent_counts_are_refused() {
    insta::assert_snapshot!(read("").unwrap_err(), @"my.txt:1: the file is empty (allowed: a coflow trace, with `ports coflows` in its first line)");
    insta::assert_snapshot!(read("150").unwrap_err(), @"my.txt:1: a first line with 1 of 2 values (allowed: how many ports and how many coflows, such as 150 526)");
    insta::assert_snapshot!(read("0 1\n").unwrap_err(), @r#"my.txt:1: the number of ports is "0" (allowed: a whole number from 1 to 65536)"#);
    insta::assert_snapshot!(read("150 many\n").unwrap_err(), @r#"my.txt:1: the number of coflows is "many" (allowed: a whole number from 0 to 4294967295)"#);
    insta::assert_snapshot!(read("4 2\n1 0 1 0 1 3:1.0\n").unwrap_err(), @"my.txt:2: the text ends after coflow 1, of 2 (allowed: as many coflows as the first line says: 2)");
    insta::assert_snapshot!(read("4 1\n1 0 1 0 1 3:1\n2 0 1 0 1 3:1\n").unwrap_err(), @"my.txt:3: a coflow after number 1, the last one (allowed: as many coflows as the first line says: 1)");
    insta::assert_snapshot!(refused("2 0 3 0 1 1 3:1.0"), @r#"my.txt:3: the number of reducers is "3:1.0" (allowed: a whole number from 1 to 1048576)"#);
    insta::assert_snapshot!(refused("2 0 1 0 2 3:1.0"), @"my.txt:3: the line ends before the last of its reducers (allowed: number, arrival in ms, number of mappers, their ports, number of reducers, and port:megabytes of each)");
    insta::assert_snapshot!(refused("2 0 1 0 1 3:1.0 2:1.0"), @"my.txt:3: a value after the last of 1 reducers (allowed: number, arrival in ms, number of mappers, their ports, number of reducers, and port:megabytes of each)");
    insta::assert_snapshot!(refused("2 0 0 1 3:1.0"), @r#"my.txt:3: the number of mappers is "0" (allowed: a whole number from 1 to 1048576)"#);
    insta::assert_snapshot!(refused("2 0 1 0 0"), @r#"my.txt:3: the number of reducers is "0" (allowed: a whole number from 1 to 1048576)"#);
    insta::assert_snapshot!(refused("2 0 9999999999 0"), @r#"my.txt:3: the number of mappers is "9999999999" (allowed: a whole number from 1 to 1048576)"#);
    insta::assert_snapshot!(refused("2"), @"my.txt:3: the line ends before its arrival (allowed: number, arrival in ms, number of mappers, their ports, number of reducers, and port:megabytes of each)");
}

#[test]
fn invalid_values_are_refused() {
    insta::assert_snapshot!(refused("two 0 1 0 1 3:1.0"), @r#"my.txt:3: the coflow's number is "two" (allowed: a whole number from 0 to 18446744073709551615)"#);
    insta::assert_snapshot!(refused("2 -5 1 0 1 3:1.0"), @r#"my.txt:3: an arrival is "-5" (allowed: milliseconds such as 10833, down to a picosecond and up to 106 days)"#);
    insta::assert_snapshot!(refused("2 0 1 5 1 3:1.0"), @r#"my.txt:3: a port is "5" (allowed: ports 0 to 3, as the first line says)"#);
    insta::assert_snapshot!(refused("2 0 1 0 1 17:1.0"), @r#"my.txt:3: a port is "17" (allowed: ports 0 to 3, as the first line says)"#);
    insta::assert_snapshot!(refused("2 0 1 0 1 3"), @r#"my.txt:3: a reducer is "3" (allowed: port:megabytes, such as 65:1.0)"#);
    insta::assert_snapshot!(refused("2 0 1 0 1 3:-1.0"), @r#"my.txt:3: a reducer's megabytes is "-1.0" (allowed: a number from 0 to 1048576, with up to six decimals, such as 48.0)"#);
    insta::assert_snapshot!(refused("2 0 1 0 1 3:1.0000001"), @r#"my.txt:3: a reducer's megabytes is "1.0000001" (allowed: a number from 0 to 1048576, with up to six decimals, such as 48.0)"#);
    insta::assert_snapshot!(refused("2 0 1 0 1 3:nan"), @r#"my.txt:3: a reducer's megabytes is "nan" (allowed: a number from 0 to 1048576, with up to six decimals, such as 48.0)"#);
    insta::assert_snapshot!(refused("2 0 1 0 1 3:1048577"), @r#"my.txt:3: a reducer's megabytes is "1048577" (allowed: a number from 0 to 1048576, with up to six decimals, such as 48.0)"#);
}

/// The generated substitute for the public trace has its size, and nearly all bytes in wide and
/// long coflows.
/// Variants of the format have a weight or a deadline in front of the mappers.
#[test]
fn a_further_column_is_recognised() {
    let error = |line: &str| read(&format!("4 1\n{line}\n")).unwrap_err();
    let weights = error("1 5 100 2 0 1 1 3:8.0");
    assert!(weights.contains("my.txt:2: this line is a coflow without its value 2"), "{weights}");
    let deadlines = error("1 100 900 2 0 1 1 3:8.0");
    assert!(deadlines.contains("does the trace have a column more"), "{deadlines}");
    // One value less is no further column.
    assert!(
        error("1 100 2 0 1 3:8.0").contains("1 where the number of")
            || error("1 100 2 0 1 3:8.0").contains("number of reducers")
    );
}

#[test]
fn generated_mix_resembles_the_public_trace() {
    let trace = CoflowMix::like_public().trace(1);
    assert_eq!((trace.ports, trace.coflows.len()), (150, 526));
    assert!((400_000..1_000_000).contains(&trace.flows()), "{}", trace.flows());
    let hour = trace.coflows.last().unwrap().arrival.as_s_f64();
    assert!((3_000.0..4_200.0).contains(&hour), "{hour}");
    let of_wide = |coflow: &&Coflow| coflow.width() > 50;
    let wide = trace.coflows.iter().filter(of_wide).count() as f64 / 526.0;
    assert!((0.26..0.38).contains(&wide), "{wide}");
    let all: Bytes = trace.coflows.iter().map(Coflow::bytes).sum();
    let in_wide: Bytes = trace.coflows.iter().filter(of_wide).map(Coflow::bytes).sum();
    assert!(in_wide.get() as f64 > 0.95 * all.get() as f64);
}

fn traces() -> impl Strategy<Value = CoflowTrace> {
    (2u32..50, 0u32..20, 0u64..1 << 40, any::<u64>()).prop_map(|(ports, coflows, gap, seed)| {
        CoflowMix::new(ports, coflows, Time::from_ps(gap)).unwrap().trace(seed)
    })
}

proptest! {
    #[test]
    fn coflow_traces_round_trip(trace in traces()) {
        let again = read(&write::coflows(&trace)).unwrap();
        // Without port 0, a trace with the last port would count from 1. The mix never has such a
        // port.
        prop_assert_eq!(again, trace);
    }

    #[test]
    fn generated_coflows_are_valid(trace in traces()) {
        for coflow in &trace.coflows {
            prop_assert!(!coflow.mappers.is_empty() && !coflow.reducers.is_empty());
            prop_assert!(coflow.mappers.is_sorted_by(|a, b| a < b));
            prop_assert!(coflow.mappers.iter().all(|port| *port < trace.ports));
            prop_assert!(coflow.reducers.iter().all(|(port, bytes)| *port < trace.ports && bytes.get() > 0));
            let bytes: Bytes = coflow.flows().map(|(_, _, bytes)| bytes).sum();
            prop_assert_eq!(bytes, coflow.bytes());
            prop_assert_eq!(coflow.flows().count(), coflow.width());
        }
        prop_assert!(trace.coflows.is_sorted_by_key(|coflow| coflow.arrival));
    }
}
