//! The kind that every scenario file states.

use bandwise_input::Source;
use bandwise_scenario::Kind;
use bandwise_scenario::ethernet::{EthernetScenario, Study};
use bandwise_scenario::infiniband::InfinibandScenario;
use bandwise_scenario::jobs::{JobsScenario, Overrides};

fn kind(text: &str) -> String {
    match Kind::of(&Source::new("s.toml", text)) {
        Ok(kind) => kind.as_str().to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn scenario_file_states_its_kind() {
    for of in Kind::ALL {
        assert_eq!(kind(&format!("kind = {:?}\n", of.as_str())), of.as_str());
    }
    insta::assert_snapshot!(kind("title = \"x\"\n\nkind = \"rdma\"\n"), @r#"s.toml:3: unknown kind "rdma" (allowed: kind = "infiniband", "ethernet" or "jobs" above all tables)"#);
    insta::assert_snapshot!(kind("kind = 3\n"), @r#"s.toml:1: unknown kind 3 (allowed: kind = "infiniband", "ethernet" or "jobs" above all tables)"#);
    insta::assert_snapshot!(kind("kind\n"), @"s.toml:1: key with no value (allowed: `=`)");
    insta::assert_snapshot!(kind(""), @r#"s.toml:1: the file is empty (allowed: a TOML scenario of kind = "infiniband", "ethernet" or "jobs")"#);
}

#[test]
fn missing_kind_suggests_the_likely_one() {
    insta::assert_snapshot!(kind("[[job]]\nworkload = \"LR\"\n"), @r#"s.toml:1: no kind; with `job` it looks like kind = "jobs" (allowed: kind = "infiniband", "ethernet" or "jobs" above all tables)"#);
    insta::assert_snapshot!(kind("[transport]\nkind = \"irn\"\n"), @r#"s.toml:1: no kind; with `transport` it looks like kind = "ethernet" (allowed: kind = "infiniband", "ethernet" or "jobs" above all tables)"#);
    insta::assert_snapshot!(kind("[[flow]]\nmethod = \"bulk\"\n"), @r#"s.toml:1: no kind; with `flow` it looks like kind = "infiniband" (allowed: kind = "infiniband", "ethernet" or "jobs" above all tables)"#);
    insta::assert_snapshot!(kind("[switch]\nbuffer = \"1 MB\"\n"), @r#"s.toml:1: no kind (allowed: kind = "infiniband", "ethernet" or "jobs" above all tables)"#);
    insta::assert_snapshot!(kind("[fabric]\n"), @"s.toml:1: a fabric file, which has no kind (allowed: a scenario; a fabric file with `bandwise rperf --fabric`)");
    insta::assert_snapshot!(kind("title = \"x\"\n"), @r#"s.toml:1: no kind (allowed: kind = "infiniband", "ethernet" or "jobs" above all tables)"#);
}

/// Returns the error of each reader for a text.
fn messages(text: &str) -> [Option<String>; 4] {
    let source = Source::new("s.toml", text);
    let files = |_: &str| Err("no such file".to_owned());
    let error = |error: bandwise_input::InputError| error.to_string();
    [
        InfinibandScenario::from_text(&source, &[], bandwise_scenario::no_files).err().map(error),
        EthernetScenario::from_toml(&source, files).err().map(error),
        Study::from_toml(&source, files).err().map(error),
        JobsScenario::from_toml(&source, Overrides::default(), files).err().map(error),
    ]
}

#[test]
fn each_reader_accepts_only_its_kind() {
    let other = |of: &str, wanted: &str| {
        Some(format!(
            "s.toml:1: a scenario of kind {of:?}, not {wanted:?} (allowed: kind = {wanted:?} here; \
             `bandwise sim run` takes all kinds)"
        ))
    };
    let ethernet = other("ethernet", "infiniband");
    assert_eq!(
        messages("kind = \"ethernet\"\n"),
        [ethernet, None, None, other("ethernet", "jobs")]
    );
    let jobs = messages("kind = \"jobs\"\n[[job]]\nworkload = \"LR\"\n");
    let ethernet = other("jobs", "ethernet");
    assert_eq!(jobs, [other("jobs", "infiniband"), ethernet.clone(), ethernet, None]);
    let fabric = "[fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"10 Gbps\" }\n";
    let infiniband = messages(&format!("kind = \"infiniband\"\n{fabric}"));
    let ethernet = other("infiniband", "ethernet");
    assert_eq!(infiniband, [None, ethernet.clone(), ethernet, other("infiniband", "jobs")]);
}

#[test]
fn a_fabric_file_has_no_kind() {
    let fabric = "[fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"10 Gbps\" }\n";
    let [of_infiniband, ..] = messages(fabric);
    assert_eq!(of_infiniband, None);
    let [of_infiniband, ..] = messages(&format!("{fabric}[run]\nseed = 2\n"));
    assert!(of_infiniband.unwrap().contains("no kind"));
}
