//! Commands that a build without default features lacks.

use crate::common::Place;

#[test]
fn device_commands_name_the_missing_feature() {
    let lines: [&[&str]; 7] = [
        &["devices", "--json", "-"],
        &["isolation", "--from", "a", "--to", "b", "--help"],
        &["rperf", "server", "--listen", "0.0.0.0"],
        &["rperf", "client", "node1"],
        &["rperf", "agent"],
        &["rperf", "run", "plan.toml"],
        &["bench", "--case", "measuring-loop"],
    ];
    for args in lines {
        let message = ["without the feature `verbs`", "-p bandwise-cli --features verbs"];
        Place::new().run(args).refused(&message);
    }
}
