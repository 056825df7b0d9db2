//! Commands that a build without default features lacks.

use crate::common::Place;

#[test]
fn device_commands_name_the_missing_feature() {
    let lines: [&[&str]; 7] = [
        &["devices", "--json", "-"],
        &["isolation", "--from", "a", "--to", "b"],
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

#[test]
fn help_of_device_commands_names_the_missing_feature() {
    let help = |args: &[&str]| {
        let ran = Place::new().run(args).good();
        for part in ["without the feature `verbs`", "-p bandwise-cli --features verbs"] {
            assert!(ran.stdout.contains(part), "no {part:?} in {ran:?}");
        }
        assert_eq!(ran.stderr, "", "{ran:?}");
        ran.stdout
    };
    let commands: [(&[&str], &str); 6] = [
        (&["devices"], "List the RDMA devices of this host"),
        (&["isolation"], "Measure how two flows share a link between two real hosts"),
        (&["rperf", "server"], "Run the server side of a measurement over RDMA"),
        (&["rperf", "client"], "Measure over RDMA to the host of a server"),
        (&["rperf", "agent"], "Run an agent"),
        (&["rperf", "run"], "Measure between several hosts"),
    ];
    for (command, about) in commands {
        for flag in ["--help", "-h"] {
            let text = help(&[command, &[flag]].concat());
            assert!(text.starts_with(about) && text.contains("Usage: bandwise"), "{text}");
            help(&[command, &["--from", "a", flag]].concat());
        }
    }
}
