//! Sweeps: which points there are, what each changes, and what is refused where.

use super::{file, of_kind, read};
use bandwise_input::Source;
use bandwise_scenario::ethernet::{Metric, Study};

fn try_study(text: &str) -> Result<Study, String> {
    Study::from_toml(&Source::new("s.toml", &of_kind(text)), file).map_err(|e| e.to_string())
}

fn study(text: &str) -> Study {
    try_study(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn labels(study: &Study) -> Vec<String> {
    study.points.iter().map(|point| study.label(point)).collect()
}

/// Compares a point with its oracle, an equal document without a sweep.
fn assert_same(point: usize, study: &Study, document: &str) {
    let (found, expected) = (&study.points[point].scenario, read(document));
    assert_eq!(format!("{found:?}").replace("s.toml", "n.toml"), format!("{expected:?}"));
}

#[test]
fn scenario_without_a_sweep_has_one_point() {
    let study = study("[transport]\nkind = \"roce\"\n");
    assert_eq!((study.points.len(), study.axes.len()), (1, 0));
    assert_eq!(labels(&study), [""]);
    assert_same(0, &study, "[transport]\nkind = \"roce\"\n");
}

#[test]
fn points_follow_file_order_with_the_last_axis_fastest() {
    let text = "[sweep]\nworkload.poisson.load = [0.7, 0.3]\nrun.seed = [2, 1]\n\
                congestion-control.kind = [\"none\", \"dcqcn\"]\n";
    let study = study(text);
    let names: Vec<&str> = study.axes.iter().map(|axis| &*axis.name).collect();
    assert_eq!(names, ["workload.poisson.load", "run.seed", "congestion-control.kind"]);
    assert_eq!(
        labels(&study),
        [
            "load 0.7, seed 2, kind none",
            "load 0.7, seed 2, kind dcqcn",
            "load 0.7, seed 1, kind none",
            "load 0.7, seed 1, kind dcqcn",
            "load 0.3, seed 2, kind none",
            "load 0.3, seed 2, kind dcqcn",
            "load 0.3, seed 1, kind none",
            "load 0.3, seed 1, kind dcqcn",
        ]
    );
    let document = "[workload]\npoisson = { load = 0.3 }\n[run]\nseed = 2\n\
                    [congestion-control]\nkind = \"dcqcn\"\n";
    assert_same(5, &study, document);
    assert_eq!((study.seeds(), study.plot.x), (Some(1), Some(0)));
}

#[test]
fn quoted_sweep_keys_are_equal() {
    let bare = study("[sweep]\nworkload.poisson.load = [0.3, 0.5]\n");
    let quoted = study("[sweep]\n\"workload.poisson.load\" = [0.3, 0.5]\n");
    let table = study("[sweep.workload.poisson]\nload = [0.3, 0.5]\n");
    for other in [&quoted, &table] {
        assert_eq!(labels(&bare), labels(other));
        assert_eq!(format!("{:?}", bare.points), format!("{:?}", other.points));
    }
}

#[test]
fn variants_change_several_keys_and_leave_the_others() {
    let base = "[switch]\nbuffer = \"480 KB\"\n[workload]\npoisson = { load = 0.5, flows = 10 }\n";
    let sweep = "[sweep.variants.transport]\n\
                 \"IRN\" = { transport.kind = \"irn\" }\n\
                 \"IRN with PFC\" = { transport = { kind = \"irn\" }, switch.pfc = true }\n\
                 [sweep.variants.sizes]\n\
                 small = { workload.poisson.sizes.fixed = \"1 KB\" }\n\
                 large = { workload.poisson.sizes = { fixed = \"1 MB\" } }\n";
    let study = study(&format!("{base}{sweep}"));
    assert_eq!(
        labels(&study),
        ["IRN, small", "IRN, large", "IRN with PFC, small", "IRN with PFC, large"]
    );
    let document = "[transport]\nkind = \"irn\"\n[switch]\nbuffer = \"480 KB\"\npfc = true\n\
                    [workload]\npoisson = { load = 0.5, flows = 10, sizes = { fixed = \"1 MB\" } }\n";
    assert_same(3, &study, document);
}

#[test]
fn sweep_value_may_replace_a_value_of_another_type() {
    let text = "[switch]\npfc = { xoff = \"200 KB\" }\n[sweep]\nswitch.pfc = [true, false]\n\
                workload.poisson.sizes = [\"irn-uniform\", { uniform = [\"1 KB\", \"2 KB\"] }]\n";
    let study = study(text);
    assert_eq!(labels(&study)[1], "pfc true, sizes { uniform = [\"1 KB\", \"2 KB\"] }");
    let document = "[switch]\npfc = true\n[workload]\npoisson = { sizes = \"irn-uniform\" }\n";
    assert_same(0, &study, document);
}

#[test]
fn plot_axes_follow_sweep_and_plot_table() {
    let sweep = "[sweep]\nrun.seed = [1, 2]\nworkload.poisson.load = [0.3, 0.5]\n\
                 [sweep.variants.transport]\na = { transport.kind = \"irn\" }\n";
    assert_eq!(study(sweep).plot.x, Some(1));
    assert_eq!(study(sweep).plot.y, Metric::USUAL);
    let plot = "[plot]\nx = \"transport\"\ny = [\"packets dropped\"]\n";
    let study = study(&format!("{sweep}{plot}"));
    assert_eq!((study.plot.x, &study.plot.y[..]), (Some(2), &[Metric::Dropped][..]));
}

#[test]
fn invalid_sweeps_are_refused() {
    let documents = [
        // The error names the line of the axis value.
        "[sweep]\nworkload.poisson.load = [\n  0.3,\n  70,\n]\n",
        "[sweep]\nworkload.poisson.load = [\"70%\"]\n",
        "[sweep]\nworkload.poisson.lode = [0.3]\n",
        "[sweep]\nload = [0.3, 0.5]\n",
        "[sweep]\n\"switch.buffer.size\" = [\"240 KB\"]\n",
        "[sweep.variants.transport]\nTCP = { transport.kind = \"tcp\" }\n",
        "[sweep.variants.transport]\nIRN = { transport.kid = \"irn\" }\n",
        // A point makes another setting invalid.
        "[transport]\nfew = 3\n[sweep]\ntransport.kind = [\"irn\", \"roce\"]\n",
        // The sweep itself.
        "sweep = 3\n",
        "[sweep]\n",
        "[sweep]\nrun.seed = []\n",
        "[sweep]\nrun.seed = 3\n",
        "[sweep]\nrun.seed = [1, 2, 1]\n",
        "[sweep]\nrun.seed = [1, 2]\n\"run.seed\" = [3]\n",
        "[sweep]\nswitch.pfc = [true]\n[sweep.variants.a]\nb = { switch.pfc.xoff = \"200 KB\" }\n",
        "[sweep.variants]\ntransport = [\"irn\"]\n",
        "[sweep.variants.transport]\nirn = true\n",
        "[sweep.variants.transport]\n",
        // The plot.
        "[plot]\nx = \"run.seed\"\n",
        "plot = 3\n[sweep]\nrun.seed = [1]\n",
        "[sweep]\nrun.seed = [1]\n[plot]\nx = \"seed\"\n",
        "[sweep]\nrun.seed = [1]\n[plot]\ny = [\"average slowdown\", \"speed\"]\n",
        "[sweep]\nrun.seed = [1]\n[plot]\ny = []\n",
        "[sweep]\nrun.seed = [1]\n[plot]\nz = \"run.seed\"\n",
    ];
    let message = documents.map(|text| match try_study(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => format!("{text}=> {error}\n"),
    });
    insta::assert_snapshot!(message.join("\n"));
}

#[test]
fn too_deep_key_is_refused() {
    let deep = format!("[sweep]\n\"a{}\" = [1]\n", ".a".repeat(100_000));
    let error = try_study(&deep).unwrap_err();
    assert!(error.starts_with("s.toml:3: a key of 100001 parts"), "{error}");
    let variant = format!("[sweep.variants.b]\nc = {{ \"a{}\" = 1 }}\n", ".a".repeat(100_000));
    assert!(try_study(&variant).unwrap_err().starts_with("s.toml:3: a key of 100001 parts"));
}

#[test]
fn too_many_points_are_refused() {
    let seeds = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    let text = format!("[sweep]\nrun.seed = [{}]\nhost.mtu = [1000, 2000]\n", seeds(501));
    assert_eq!(
        try_study(&text).unwrap_err(),
        "s.toml:4: a sweep over 1002 points, with this axis (allowed: up to 1000 points)"
    );
}

#[test]
fn fingerprints_differ_for_different_results() {
    let of = |text: &str| read(text).fingerprint();
    // Equal scenarios with other titles and explicit defaults.
    let default = include_str!("../../../../papers/irn/default.toml");
    assert_eq!(of("title = \"a\"\n"), of("title = \"b\"\n[transport]\nkind = \"irn\"\n"));
    assert_eq!(of("title = \"a\"\n"), of(default));
    let documents = [
        "[run]\nseed = 1\n",
        "[run]\nseed = 2\n",
        "[run]\nlimit = \"1 s\"\n",
        "[transport]\nfew = 4\n",
        "[switch]\npfc = true\n",
        "[workload]\npoisson = { load = 0.5 }\n",
        "[workload]\npoisson = { sizes = \"irn-uniform\" }\n",
        "[workload]\nincast = {}\n",
        "[fabric]\nbuild = { fat-tree = 4 }\nlink = { rate = \"40 Gbps\", delay = \"2 us\" }\n",
        "[fabric]\nbuild = { fat-tree = 6 }\nlink = { rate = \"40 Gbps\", delay = \"1 us\" }\n",
        "[congestion-control]\nkind = \"dcqcn\"\n",
    ];
    let mut all = documents.map(of).to_vec();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), documents.len());
    assert_eq!(of(default).to_string().len(), 32);
}

#[test]
fn shortened_scenario_has_the_first_flows() {
    let text =
        "[workload]\npoisson = { duration = \"2 ms\" }\nincast = { senders = 3, requests = 2 }\n";
    let whole = read(text);
    let quick = whole.clone().shortened(4.try_into().unwrap());
    let flows = |scenario: &bandwise_scenario::ethernet::EthernetScenario| {
        scenario.arrivals().map(|arrival| (arrival.request, arrival.flow)).collect::<Vec<_>>()
    };
    let first = flows(&whole).into_iter().filter(|(request, flow)| match request {
        Some(request) => *request == 0,
        None => flow.start < bandwise_units::Time::from_us(500),
    });
    assert_eq!(flows(&quick), first.collect::<Vec<_>>());
    assert_ne!(whole.fingerprint(), quick.fingerprint());
}
