//! Results of an interrupted evaluation.

use bandwise_papers::{Observer, Options, PAPERS, run};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Stops once three runs are done.
#[derive(Default)]
struct Impatient {
    all: AtomicUsize,
    done: AtomicUsize,
}

impl Observer for Impatient {
    fn begin(&self, runs: usize) {
        self.all.store(runs, Relaxed);
    }
    fn done(&self, _: &str) {
        self.done.fetch_add(1, Relaxed);
    }
    fn stop(&self) -> bool {
        self.done.load(Relaxed) >= 3
    }
}

#[test]
fn interrupted_paper_keeps_finished_runs() {
    let options = Options { item: Some("fig4".into()), quick: true, seed: 1, threads: 1 };
    let whole = run(&PAPERS[0], &options, &()).unwrap();
    let impatient = Impatient::default();
    let part = run(&PAPERS[0], &options, &impatient).unwrap();
    let all = impatient.all.into_inner();
    assert!(all > 3);
    assert_eq!((part.runs, part.unfinished.len()), (3, all - 3));
    assert_eq!((whole.runs, whole.unfinished.len()), (all, 0));
    assert!(!part.findings.is_empty());
    assert_eq!(part.findings, whole.findings[..part.findings.len()]);
    assert!(part.effort.simulated < whole.effort.simulated);
}
