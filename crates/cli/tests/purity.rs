//! Checks of the architecture in the sources: pure crates do no I/O and read no clock, and crates
//! depend upwards only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The order of crates; each may depend on those before it.
const ORDER: [&str; 31] = [
    "units",
    "random",
    "input",
    "files",
    "stats",
    "saba",
    "profiler",
    "workload",
    "topology",
    "flowsim",
    "rdma",
    "netsim",
    "threads",
    "rperf",
    "session",
    "verbs",
    "switches",
    "enforce-simulated",
    "enforce",
    "lab",
    "controller",
    "runner",
    "libsaba",
    "preload",
    "scenario",
    "trace",
    "agents",
    "measure",
    "report",
    "papers",
    "cli",
];

/// Same input, same output, and nothing else happens.
const PURE: [&str; 19] = [
    "units",
    "random",
    "input",
    "stats",
    "saba",
    "profiler",
    "workload",
    "topology",
    "flowsim",
    "rdma",
    "netsim",
    "rperf",
    "session",
    "switches",
    "enforce-simulated",
    "scenario",
    "trace",
    "agents",
    "report",
];

/// A part of a crate that is checked alike.
const PURE_PARTS: [&str; 6] = [
    "enforce/src/ets",
    "enforce/src/htb",
    "enforce/src/infiniband",
    "controller/src/core",
    "controller/src/cluster/claims",
    "controller/src/cluster/session",
];

/// Names that pure crates do not use. Maps and sets of `std` iterate in another order each run.
const BANNED: [&str; 11] = [
    "std::fs",
    "std::net",
    "std::thread",
    "std::process",
    "std::env",
    "SystemTime",
    "Instant",
    "thread_rng",
    "rand::rng",
    "HashMap",
    "HashSet",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// A source without its comments and without what stands after the first `#[cfg(test)]`, where
/// this project keeps unit tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().take_while(|line| !line.trim_start().starts_with("#[cfg(test)]"));
    lines.enumerate().map(|(i, line)| (i + 1, line.split("//").next().unwrap_or_default()))
}

/// Returns `true` if a line contains a whole word.
fn mentions(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part)
    })
}

/// The words that a line uses though it must not, also in `use std::{fs, thread}`.
fn offences(line: &str) -> Vec<&'static str> {
    let grouped = line.split_once("std::{").map_or("", |(_, list)| list);
    let is_used = |word: &&str| {
        let member = word.strip_prefix("std::");
        mentions(line, word) || member.is_some_and(|member| mentions(grouped, member))
    };
    BANNED.into_iter().filter(|word| is_used(word)).collect()
}

#[test]
fn pure_crates_do_nothing_but_compute() {
    let mut found = Vec::new();
    let whole = PURE.map(|name| format!("{name}/src"));
    for part in whole.iter().map(String::as_str).chain(PURE_PARTS) {
        let mut files = Vec::new();
        rust_files(&crates().join(part), &mut files);
        assert!(!files.is_empty(), "{part} has no source");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for (number, line) in code(&text) {
                for word in offences(line) {
                    found.push(format!("{}:{number}: {word}", file.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Files that use the published values, by the end of their paths: those of `papers` that declare,
/// read, compare and draw them, and the command's report.
const READERS: [&str; 14] = [
    "papers/src/lib.rs",
    "papers/src/paper.rs",
    "papers/src/published.rs",
    "papers/src/run.rs",
    "papers/src/rperf/mod.rs",
    "papers/src/rperf/figures.rs",
    "papers/src/irn/mod.rs",
    "papers/src/irn/figures.rs",
    "papers/src/irn/summary.rs",
    "cli/src/papers/report.rs",
    "papers/src/saba/mod.rs",
    "papers/src/saba/figures.rs",
    "papers/src/isolation/mod.rs",
    "papers/src/isolation/figures.rs",
];

/// Returns `true` if a line reads published values. (`report` has a kind of points of that name, which others fill.)
fn reads_published(line: &str) -> bool {
    let own = ["SourceKind::Published", "\"Published\""];
    let line = own.iter().fold(line.to_owned(), |line, own| line.replace(own, ""));
    let is_variant = line.trim() == "Published,";
    line.contains("published.csv") || (mentions(&line, "Published") && !is_variant)
}

#[test]
fn published_values_are_read_by_the_comparison_alone() {
    let papers = ORDER.iter().position(|name| *name == "papers").unwrap();
    let (mut found, mut read) = (Vec::new(), 0);
    for (place, name) in ORDER.iter().enumerate() {
        let mut files = Vec::new();
        rust_files(&crates().join(name).join("src"), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let is_reader = READERS.iter().any(|end| file.ends_with(end));
            for (number, line) in code(&text) {
                if !reads_published(line) {
                    continue;
                }
                match is_reader {
                    true if place >= papers => read += 1,
                    _ => found.push(format!("{}:{number}: {}", file.display(), line.trim())),
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(read > 0, "does this test still look?");
}

/// Cases, claims and answers do not use the paper's numbers.
#[test]
fn cases_do_not_read_published_values() {
    let mut files = Vec::new();
    rust_files(&crates().join("papers/src"), &mut files);
    files.retain(|file| !READERS.iter().any(|end| file.ends_with(end)));
    assert!(files.iter().any(|file| file.ends_with("rperf/cases.rs")));
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let line = code(&text).find(|(_, line)| mentions(line, "published"));
        assert_eq!(line, None, "{}", file.display());
    }
}

#[test]
fn offence_search_finds_impure_code() {
    assert_eq!(offences("let t = std::time::Instant::now();"), ["Instant"]);
    assert_eq!(offences("use std::{collections::HashMap, fs};"), ["std::fs", "HashMap"]);
    assert!(offences("let instantaneous = 1; struct MyHashMap;").is_empty());
    assert!(reads_published("let p = Published::parse(paper.published);"));
    assert!(reads_published("include_str!(\"../../papers/rperf/published.csv\")"));
    assert!(!reads_published("row.published.is_none() && s == SourceKind::Published"));
    assert_eq!(code("a // HashMap\n#[cfg(test)]\nHashMap").collect::<Vec<_>>(), [(1, "a ")]);
}

/// Returns the workspace crates, without their prefix, that a manifest lists in one of these tables,
/// for all targets or for some (`[target.*.dependencies]`).
fn dependencies<'a>(manifest: &'a toml::Table, kinds: &[&str]) -> Vec<&'a str> {
    let targets = manifest.get("target").and_then(|target| target.as_table());
    let targets = targets.into_iter().flat_map(|of| of.values()).filter_map(|of| of.as_table());
    let tables = std::iter::once(manifest).chain(targets);
    let tables = tables.flat_map(|of| kinds.iter().filter_map(|kind| of.get(*kind)?.as_table()));
    let names = tables.flat_map(|table| table.keys());
    names.filter_map(|name| name.strip_prefix("bandwise-")).collect()
}

/// Returns the dependencies of a crate that do not stand before it in [`ORDER`].
fn downward<'a>(name: &str, manifest: &'a toml::Table) -> Vec<&'a str> {
    let place = |name: &str| ORDER.iter().position(|c| *c == name);
    let own = place(name).unwrap_or_else(|| panic!("{name} has no place in ORDER"));
    let mut found = dependencies(manifest, &["dependencies", "build-dependencies"]);
    found.retain(|dependency| place(dependency).is_none_or(|above| above >= own));
    found
}

/// Returns the dependencies of a pure crate that are not pure. Other crates have none to return.
fn impure<'a>(name: &str, manifest: &'a toml::Table) -> Vec<&'a str> {
    if !PURE.contains(&name) {
        return Vec::new();
    }
    let mut found = dependencies(manifest, &["dependencies"]);
    found.retain(|dependency| !PURE.contains(dependency));
    found
}

/// Returns the manifest of every crate by its name without the prefix.
fn manifests() -> BTreeMap<String, toml::Table> {
    let files = std::fs::read_dir(crates()).unwrap();
    let files = files.map(|entry| entry.unwrap().path().join("Cargo.toml"));
    let texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
    let named = texts.map(|text| {
        let manifest: toml::Table = text.parse().unwrap();
        let package = manifest["package"]["name"].as_str().unwrap();
        let name = package.strip_prefix("bandwise-").expect("every crate is bandwise-…");
        (name.to_owned(), manifest)
    });
    named.collect()
}

#[test]
fn crates_depend_upwards_only() {
    let manifests = manifests();
    for (name, manifest) in &manifests {
        assert_eq!(downward(name, manifest), [""; 0], "{name} depends on crates below it");
    }
    let missing: Vec<_> = ORDER.iter().filter(|name| !manifests.contains_key(**name)).collect();
    assert!(missing.is_empty(), "crates of ORDER without a manifest: {missing:?}");
}

#[test]
fn pure_crates_depend_on_pure_crates_only() {
    for (name, manifest) in manifests() {
        assert_eq!(impure(&name, &manifest), [""; 0], "{name} is pure and depends on these");
    }
}

#[test]
fn manifest_checks_find_offending_dependencies() {
    let manifest: toml::Table = "[dependencies]\nserde = \"1\"\nbandwise-units.workspace = true\n\
        bandwise-verbs.workspace = true\n[build-dependencies]\nbandwise-cli.workspace = true\n\
        [dev-dependencies]\nbandwise-papers.workspace = true\n\
        [target.'cfg(unix)'.dependencies]\nbandwise-lab.workspace = true\n"
        .parse()
        .unwrap();
    assert_eq!(downward("session", &manifest), ["verbs", "cli", "lab"]);
    assert_eq!(downward("enforce", &manifest), ["cli", "lab"]);
    assert_eq!(impure("agents", &manifest), ["verbs", "lab"]);
    assert_eq!(impure("enforce", &manifest), [""; 0]);
}
