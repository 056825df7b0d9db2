//! Flow lists: written lists are read as the same, and invalid lines are refused.

use super::flows;
use bandwise_input::{InputError, Source};
use bandwise_units::Time;
use bandwise_workload::{Flow, read, write};
use proptest::prelude::*;
use std::sync::Arc;

fn read(text: &str) -> Result<Vec<Flow>, String> {
    let flows = read::flows(&Source::new("my.csv", text), 54, 1);
    flows
        .map(|listed| Ok(listed?.flow))
        .collect::<Result<_, InputError>>()
        .map_err(|e| e.to_string())
}

/// Returns the error for a line after the header and a flow that starts at 5 ns.
fn refused(line: &str) -> String {
    read(&format!("start_ns,src,dst,bytes\n5,0,1,1\n{line}\n")).unwrap_err()
}

#[test]
fn decimals_and_spaces_are_read() {
    let text = "\u{feff} start_ns, src ,dst,bytes \r\n\r\n 0 , 53 ,0, 1\r\n1.5,0,1,1099511627776\r\n\n\
                1.500,1,0,1\n2.001,0,1,007";
    let flow = |ps, src, dst, bytes| Flow { start: Time::from_ps(ps), src, dst, bytes };
    let expected =
        [flow(0, 53, 0, 1), flow(1_500, 0, 1, 1 << 40), flow(1_500, 1, 0, 1), flow(2_001, 0, 1, 7)];
    assert_eq!(read(text).unwrap(), expected);
    assert_eq!(read("start_ns,src,dst,bytes").unwrap(), []);
}

#[test]
fn hosts_may_have_names() {
    let names = [("node a", 3), ("b", 7)].map(|(name, number)| (name.to_owned(), number));
    let list = || read::FlowList::new("my.csv", 54, 1).with_names(Arc::new(names.clone().into()));
    let lines = |text: &str| -> Result<Vec<Flow>, InputError> {
        let mut list = list();
        let flows = text.lines().map(|line| list.line(line));
        flows.filter_map(Result::transpose).map(|flow| Ok(flow?.flow)).collect()
    };
    let found = lines("start_ns,src,dst,bytes\n0, node a ,0,5\n1,53,\"b\",5\n").unwrap();
    assert_eq!(
        found.iter().map(|flow| (flow.src, flow.dst)).collect::<Vec<_>>(),
        [(3, 0), (53, 7)]
    );
    let both = [("3", 7), ("7", 7)].map(|(name, number)| (name.to_owned(), number));
    let mut list = read::FlowList::new("my.csv", 54, 1).with_names(Arc::new(both.into()));
    list.line("start_ns,src,dst,bytes").unwrap();
    assert!(list.line("0,7,5,5").unwrap().is_some());
    let both = list.line("1,3,5,5").unwrap_err().to_string();
    assert!(
        both.starts_with("my.csv:3: src is the number of a host and the name of another"),
        "{both}"
    );
    let refused = lines("start_ns,src,dst,bytes\n0,c,0,5\n").unwrap_err().to_string();
    assert_eq!(refused, "my.csv:2: src is \"c\" (allowed: hosts 0 to 53, or their names)");
}

#[test]
fn invalid_headers_are_refused() {
    insta::assert_snapshot!(read("").unwrap_err(), @"my.csv:1: a flow list without a line (allowed: start_ns,src,dst,bytes in the first line)");
    insta::assert_snapshot!(read("\n\n0,1,2,3\n").unwrap_err(), @"my.csv:3: a flow list without its header (allowed: start_ns,src,dst,bytes, or start_ns,src,dst,bytes,priority)");
    insta::assert_snapshot!(read("start_ns,src,dst,size\n").unwrap_err(), @r#"my.csv:1: "size" is not a column of flow lists (allowed: start_ns,src,dst,bytes, or start_ns,src,dst,bytes,priority)"#);
    insta::assert_snapshot!(read("start_ns,src,dst,bytes,class\n0,0,1,5,3\n").unwrap_err(), @r#"my.csv:1: "class" is not a column of flow lists (allowed: start_ns,src,dst,bytes, or start_ns,src,dst,bytes,priority)"#);
    insta::assert_snapshot!(read("src,dst,bytes,start_ns\n").unwrap_err(), @"my.csv:1: a flow list without its header (allowed: start_ns,src,dst,bytes, or start_ns,src,dst,bytes,priority)");
}

#[test]
fn invalid_values_are_refused() {
    insta::assert_snapshot!(refused("6,0,1"), @"my.csv:3: 3 values in a line (allowed: 4 values: start_ns,src,dst,bytes)");
    insta::assert_snapshot!(refused("6"), @"my.csv:3: 1 value in a line (allowed: 4 values: start_ns,src,dst,bytes)");
    insta::assert_snapshot!(refused("6,0,1,1,"), @"my.csv:3: 5 values in a line (allowed: 4 values: start_ns,src,dst,bytes)");
    insta::assert_snapshot!(refused("x,0,1,1"), @r#"my.csv:3: start_ns is "x" (allowed: nanoseconds such as 1250 or 1250.125, down to a picosecond and up to 100 days)"#);
    insta::assert_snapshot!(refused(",0,1,1"), @r#"my.csv:3: start_ns is "" (allowed: nanoseconds such as 1250 or 1250.125, down to a picosecond and up to 100 days)"#);
    insta::assert_snapshot!(refused("-6,0,1,1"), @r#"my.csv:3: start_ns is "-6" (allowed: nanoseconds such as 1250 or 1250.125, down to a picosecond and up to 100 days)"#);
    insta::assert_snapshot!(refused("6.0001,0,1,1"), @r#"my.csv:3: start_ns is "6.0001" (allowed: nanoseconds such as 1250 or 1250.125, down to a picosecond and up to 100 days)"#);
    insta::assert_snapshot!(refused("6e3,0,1,1"), @r#"my.csv:3: start_ns is "6e3" (allowed: nanoseconds such as 1250 or 1250.125, down to a picosecond and up to 100 days)"#);
    insta::assert_snapshot!(refused("9223372036854776,0,1,1"), @r#"my.csv:3: start_ns is "9223372036854776" (allowed: nanoseconds such as 1250 or 1250.125, down to a picosecond and up to 100 days)"#);
    // 100 days, and a picosecond more.
    assert!(read("start_ns,src,dst,bytes\n8640000000000000,0,1,1\n").is_ok());
    assert!(refused("8640000000000000.001,0,1,1").contains("up to 100 days"));
    insta::assert_snapshot!(refused("6,h0,1,1"), @r#"my.csv:3: src is "h0" (allowed: hosts 0 to 53)"#);
    insta::assert_snapshot!(refused("6,0,54,1"), @r#"my.csv:3: dst is "54" (allowed: hosts 0 to 53)"#);
    insta::assert_snapshot!(refused("6,0,4294967296,1"), @r#"my.csv:3: dst is "4294967296" (allowed: hosts 0 to 53)"#);
    insta::assert_snapshot!(refused("6,0,-1,1"), @r#"my.csv:3: dst is "-1" (allowed: hosts 0 to 53)"#);
    insta::assert_snapshot!(refused("6,0,1,0"), @r#"my.csv:3: bytes is "0" (allowed: a whole number from 1 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("6,0,1,+1"), @r#"my.csv:3: bytes is "+1" (allowed: a whole number from 1 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("6,0,1,1.5"), @r#"my.csv:3: bytes is "1.5" (allowed: a whole number from 1 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("6,0,1,1099511627777"), @r#"my.csv:3: bytes is "1099511627777" (allowed: a whole number from 1 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("6,0,1,9223372036854775808"), @r#"my.csv:3: bytes is "9223372036854775808" (allowed: a whole number from 1 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused(&format!("6,0,1,{}", "9".repeat(1_000))), @r#"my.csv:3: bytes is "9999999999999999999999999999999999999999"… (allowed: a whole number from 1 to 1099511627776, which is 2^40)"#);
}

#[test]
fn impossible_flows_are_refused() {
    insta::assert_snapshot!(refused("6,7,7,1"), @"my.csv:3: a flow from host 7 to itself (allowed: two different hosts)");
    insta::assert_snapshot!(refused("4.999,0,1,1"), @"my.csv:3: a flow that starts at 4.999 ns after one that starts at 5 ns, in line 2 (allowed: flows in order of start_ns)");
    insta::assert_snapshot!(refused("\n6,0,1,1\n\n5,0,1,1"), @"my.csv:6: a flow that starts at 5 ns after one that starts at 6 ns, in line 4 (allowed: flows in order of start_ns)");
}

#[test]
fn a_column_of_traffic_classes_is_read() {
    let list = |rest: &str| {
        let text = format!("start_ns, src,dst,bytes ,priority\n{rest}\n");
        let flows = read::flows(&Source::new("my.csv", &text), 54, 4);
        let classes = flows.map(|listed| Ok(listed?.priority));
        classes.collect::<Result<Vec<u8>, InputError>>().map_err(|error| error.to_string())
    };
    assert_eq!(list("0,0,1,5,3\n0,0,2,5, 0 \n7,0,1,5,03").unwrap(), [3, 0, 3]);
    assert_eq!(list("").unwrap(), []);
    insta::assert_snapshot!(list("0,0,1,5,4").unwrap_err(), @r#"my.csv:2: priority is "4" (allowed: traffic classes 0 to 3, or more `classes` in [switch])"#);
    insta::assert_snapshot!(list("0,0,1,5,-1").unwrap_err(), @r#"my.csv:2: priority is "-1" (allowed: traffic classes 0 to 3, or more `classes` in [switch])"#);
    insta::assert_snapshot!(list("0,0,1,5,").unwrap_err(), @r#"my.csv:2: priority is "" (allowed: traffic classes 0 to 3, or more `classes` in [switch])"#);
    insta::assert_snapshot!(list("0,0,1,5,high").unwrap_err(), @r#"my.csv:2: priority is "high" (allowed: traffic classes 0 to 3, or more `classes` in [switch])"#);
    insta::assert_snapshot!(list("0,0,1,5,256").unwrap_err(), @r#"my.csv:2: priority is "256" (allowed: traffic classes 0 to 3, or more `classes` in [switch])"#);
    insta::assert_snapshot!(list("0,0,1,5").unwrap_err(), @"my.csv:2: 4 values in a line (allowed: 5 values: start_ns,src,dst,bytes,priority)");
    insta::assert_snapshot!(list("0,0,1,5,1,1").unwrap_err(), @"my.csv:2: 6 values in a line (allowed: 5 values: start_ns,src,dst,bytes,priority)");
    // Without the column all flows have class 0.
    let plain = read::flows(&Source::new("my.csv", "start_ns,src,dst,bytes\n0,0,1,5\n"), 54, 4);
    assert!(plain.map(|listed| listed.unwrap().priority).eq([0]));
}

/// A list that is larger than memory should hold: only one line exists at a time.
#[test]
fn a_long_list_streams() {
    const FLOWS: u64 = 300_000;
    let line = |n| match n {
        0 => write::HEADER.to_owned(),
        FLOWS => "0,0,1,1".to_owned(),
        n => format!("{n},{},{},{n}", n % 54, (n + 1) % 54),
    };
    let mut sum = 0;
    for found in read::lines("long.csv", 54, 1, (0..=FLOWS).map(line)) {
        match found {
            Ok(listed) => sum += listed.flow.bytes,
            Err(error) => assert_eq!(error.line() as u64, FLOWS + 1),
        }
    }
    assert_eq!(sum, FLOWS * (FLOWS - 1) / 2);
}

/// Nothing follows an error.
#[test]
fn error_ends_the_list() {
    let source = Source::new("my.csv", "start_ns,src,dst,bytes\n0,0,0,1\n0,0,1,1\n");
    let mut flows = read::flows(&source, 54, 1);
    assert!(flows.next().unwrap().is_err());
    assert!(flows.next().is_none() && flows.next().is_none());
}

proptest! {
    #[test]
    fn flow_lists_round_trip(mut flows in prop::collection::vec(flows(), 0..50)) {
        flows.sort();
        prop_assert_eq!(read(&write::flows(&flows)).unwrap(), flows);
    }
}
