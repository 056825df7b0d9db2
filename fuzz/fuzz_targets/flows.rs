//! Fuzzes the reader of flow lists among 54 hosts: flows are in order and possible, and can be written and read
//! again.
#![no_main]

use bandwise_input::{InputError, Source};
use bandwise_workload::{Flow, MAX_FLOW, read, write};
use libfuzzer_sys::fuzz_target;

const HOSTS: u32 = 54;
const CLASSES: u8 = 8;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut flows: Vec<Flow> = Vec::new();
    for found in read::flows(&Source::new("fuzz", &text), HOSTS, CLASSES) {
        match found {
            Ok(listed) => {
                assert!(listed.priority < CLASSES);
                flows.push(listed.flow);
            }
            Err(error) => {
                assert!(error.line() <= text.lines().count().max(1), "{error}");
                assert!(!error.message().is_empty());
            }
        }
    }
    assert!(flows.is_sorted_by_key(|flow| flow.start));
    for &Flow { src, dst, bytes, .. } in &flows {
        assert!(src < HOSTS && dst < HOSTS && src != dst);
        assert!((1..=MAX_FLOW.get()).contains(&bytes));
    }
    let written = write::flows(&flows);
    let again = read::flows(&Source::new("written", &written), HOSTS, CLASSES);
    match again.map(|listed| Ok(listed?.flow)).collect::<Result<Vec<Flow>, InputError>>() {
        Ok(again) => assert_eq!(again, flows, "{written}"),
        Err(error) => panic!("{error}\n{written}"),
    }
});
