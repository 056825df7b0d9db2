//! The text form of a scenario: what it means, and what it refuses.

mod accepted;
mod fabric_file;
mod never_panics;
mod opensm;
mod refused_fabric;
mod refused_flow;
mod refused_models;

use bandwise_input::Source;
use bandwise_scenario::infiniband::InfinibandScenario;

/// The reference document: everything in it once.
const FULL: &str = include_str!("full.toml");

/// Three hosts at a switch, and a flow of each kind of traffic.
const SMALL: &str = r#"kind = "infiniband"
[fabric]
build = { single-switch = 3 }
link = { rate = "54.545454545 Gbps" }

[[flow]]
from = "h1"
to = "h0"
method = "bulk"

[[flow]]
from = "h2"
to = "h0"
method = "rperf"
"#;

fn read(text: &str) -> InfinibandScenario {
    let parsed = InfinibandScenario::from_text(&Source::new("s.toml", text), &[], opensm::files);
    parsed.unwrap_or_else(|e| panic!("{e}\n{text}")).scenario
}

/// The error of a text.
fn error(text: &str) -> String {
    let refused = InfinibandScenario::from_text(&Source::new("s.toml", text), &[], opensm::files);
    refused.expect_err("this must be refused").to_string()
}

/// The error of [`SMALL`] with something after it.
fn after(text: &str) -> String {
    error(&format!("{SMALL}{text}"))
}

/// The error of [`SMALL`] with a piece of it replaced.
fn with(replace: &str, by: &str) -> String {
    assert!(SMALL.contains(replace));
    error(&SMALL.replacen(replace, by, 1))
}
