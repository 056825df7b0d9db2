//! Any text gives a scenario with an outlook, or an error.

use bandwise_input::Source;
use bandwise_scenario::jobs::{JobsScenario, Models, Overrides, SharingPolicy};
use bandwise_scenario::{File, Parsed};
use proptest::prelude::*;

const JOBS: &str = r#"kind = "jobs"
title = "Jobs"
models = "models.toml"
[fabric]
build = { single-switch = 6 }
link = { rate = "8 Gbps", delay = "10 ns" }
[queues]
queues = 3
levels = 4
part = 0.5
[model]
kind = "polynomial"
degree = 2
[placement]
jobs-per-host = 4
[run]
seed = 7
[[job]]
workload = "LR"
instances = 5
data = 2.0
weight = 3.0
[[job]]
model = "sort"
count = 2
start = "5 s"
[[job]]
name = "etl"
times = { "100%" = "120 s", "50%" = "150 s", "25%" = "230 s" }
hosts = ["h0", "h1"]
[[job]]
name = "train"
rounds = 3
stage = [{ compute = "3 ms", pattern = { parameter-server = 1 }, bytes = "5 MB", overlap = 0.5 }]
"#;

const MODELS: &str = r#"[[application]]
name = "sort"
nodes = 4
dataset = "300 GB"
measured = "2022-03-01"
samples = [
    { share = 1, time = "100 s" },
    { share = 0.75, time = "110 s" },
    { share = 0.5, time = "150 s" },
]
"#;

/// Texts that mutations insert: parts of the form, and values beyond limits.
const PIECES: &[&str] = &[
    "0",
    "-1",
    "9",
    "1.3",
    "1e-9",
    "1e300",
    "nan",
    "inf",
    "99999999999",
    "\"0 s\"",
    "\"9000000 s\"",
    "\"0 B\"",
    "\"900 TB\"",
    "\"0%\"",
    "\"130%\"",
    "\"100%\"",
    "\"\"",
    "\" \"",
    "\"h1\"",
    "\"LR\"",
    "\"sort\"",
    "\"etl\"",
    "[]",
    "{}",
    "[[job]]\n",
    "[[application]]\n",
    "[queues]\n",
    "=",
    "\n",
    "\"",
    "true",
    ",",
    "\0",
    "\u{fffd}",
    "é",
    "#",
    "x",
    "\"shuffle\"",
    "{ bulk-synchronous = 4000000000 }",
    "model = \"sort\"\n",
    "workload = \"TS\"\n",
    "instances = 6\n",
    "count = 3\n",
    "models = \"x\"\n",
    "application,share,time_s\n",
];

/// A document with a few pieces of it removed or replaced.
fn mutated(text: &'static str) -> impl Strategy<Value = String> {
    let cut = (any::<prop::sample::Index>(), 0usize..12, prop::sample::select(PIECES.to_vec()));
    prop::collection::vec(cut, 1..4).prop_map(move |cuts| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, len, piece) in cuts {
            let at = at.index(chars.len() + 1);
            let end = (at + len).min(chars.len());
            chars.splice(at..end, piece.chars());
        }
        chars.into_iter().collect()
    })
}

fn read(jobs: &str, models: &str) {
    let file = |name: &str| match name {
        "models.toml" => Ok(File { name: name.into(), text: models.into() }),
        _ => Err("no such file".to_owned()),
    };
    match JobsScenario::from_toml(&Source::new("jobs.toml", jobs), Overrides::default(), file) {
        Ok(Parsed { scenario, .. }) => {
            let outlook = scenario.outlook();
            assert_eq!(outlook.jobs.len(), scenario.jobs().len());
            let names: Vec<_> = scenario.doubts(&outlook).iter().map(ToString::to_string).collect();
            assert!(names.iter().all(|name| !name.contains("NaN")), "{names:?}");
            assert_eq!(
                scenario.under(SharingPolicy::SabaUnlimited).is_ok(),
                scenario.jobs().len() <= 256
            );
        }
        Err(error) => {
            let shown = error.to_string();
            assert!(shown.contains("(allowed: "), "{shown}");
            let known = ["jobs.toml:", "models.toml:"];
            assert!(known.iter().any(|name| shown.starts_with(name)), "{shown}");
        }
    }
}

#[test]
fn unmutated_documents_are_valid() {
    let file = |_: &str| Ok(File { name: "models.toml".into(), text: MODELS.into() });
    let source = Source::new("jobs.toml", JOBS);
    let scenario = JobsScenario::from_toml(&source, Overrides::default(), file).unwrap().scenario;
    assert_eq!(scenario.jobs().len(), 5);
    assert_eq!(scenario.models().len(), 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn jobs_are_read_or_refused(jobs in mutated(JOBS)) {
        read(&jobs, MODELS);
    }

    #[test]
    fn models_are_read_or_refused(models in mutated(MODELS)) {
        read(JOBS, &models);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        read(&text, MODELS);
        read(JOBS, &text);
        let _ = Models::read(&Source::new("any", &text));
    }
}
