//! Fuzzes the reader of coflow traces. Coflows are in order and on their fabric, flows add up to the sent bytes, and
//! a trace can be written and read again; sizes are exact to the byte that a millionth of a megabyte is about.
#![no_main]

use bandwise_input::Source;
use bandwise_workload::{read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let trace = match read::coflows(&Source::new("fuzz", &text)) {
        Ok(trace) => trace,
        Err(error) => {
            assert!(error.line() <= text.lines().count().max(1) + 1, "{error}");
            assert!(!error.message().is_empty());
            return;
        }
    };
    assert!(trace.coflows.is_sorted_by_key(|coflow| coflow.arrival));
    for coflow in &trace.coflows {
        assert!(coflow.mappers.iter().all(|&port| port < trace.ports));
        assert!(coflow.reducers.iter().all(|of| of.0 < trace.ports));
        if coflow.width() < 10_000 {
            let sent: u64 = coflow.flows().map(|flow| flow.2.get()).sum();
            assert_eq!(sent, coflow.bytes().get());
        }
    }
    let written = write::coflows(&trace);
    let again = match read::coflows(&Source::new("written", &written)) {
        Ok(again) => again,
        Err(error) => panic!("{error}\n{written}"),
    };
    assert_eq!((again.ports, again.coflows.len()), (trace.ports, trace.coflows.len()));
    for (again, coflow) in again.coflows.iter().zip(&trace.coflows) {
        assert_eq!((again.id, again.arrival), (coflow.id, coflow.arrival));
        assert_eq!(again.mappers, coflow.mappers);
        assert_eq!(again.reducers.len(), coflow.reducers.len());
        for (again, reducer) in again.reducers.iter().zip(&coflow.reducers) {
            assert_eq!(again.0, reducer.0);
            assert!(again.1.get().abs_diff(reducer.1.get()) <= 1, "{written}");
        }
    }
});
