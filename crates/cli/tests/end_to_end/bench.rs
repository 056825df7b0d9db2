//! `bandwise bench` and `bandwise completions`.

use crate::common::Place;

#[test]
fn bench_reports_speed_and_machine() {
    let place = Place::new();
    let args = ["bench", "--duration", "2 ms", "--runs", "3", "--json", "b.json"];
    let ran = place.run(&args).good();
    for message in
        ["packet-hops/s of CPU time", "packet-hops/s of wall time", "parts at its fastest", " core"]
    {
        assert!(ran.stdout.contains(message), "no {message:?} in {}", ran.stdout);
    }
    let stats = &place.json("b.json")["stats"];
    for key in ["packets_delivered", "packet_hops", "events", "packet_hops_per_s", "ns_per_event"] {
        assert!(stats[key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert!(stats["peak_rss_bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 20));
    assert!(stats["cores"].as_u64().is_some_and(|cores| cores > 0));
    assert!(stats["packet_hops_per_cpu_s"].is_null() == stats["cpu_s"].is_null());
    let of_runs = stats["packet_hops_per_s_of_runs"].as_array().unwrap();
    assert_eq!(of_runs.len(), 3);
    let fastest = stats["packet_hops_per_s_undisturbed"].as_f64().unwrap();
    assert!(of_runs.iter().all(|run| run.as_f64().unwrap() <= fastest), "{stats}");
}

#[test]
fn single_bench_run_is_reported_as_one() {
    let ran = Place::new().run(&["bench", "--duration", "1 ms", "--runs", "1"]).good();
    assert!(ran.stdout.contains("1 ms simulated once on one core"), "{}", ran.stdout);
}

#[test]
fn bench_runs_ethernet_flow_cases() {
    for (case, message) in [("irn", "IRN on a fat tree"), ("roce-pfc", "RoCE with priority flow")] {
        let place = Place::new();
        let args = ["bench", "--case", case, "--duration", "200 us", "--runs", "1", "--json", "b"];
        let ran = place.run(&args).good();
        assert!(ran.stdout.contains(message), "{}", ran.stdout);
        assert!(
            ran.stdout.contains("200 us of flows simulated once on one core"),
            "{}",
            ran.stdout
        );
        assert!(ran.stdout.contains("MiB at most"), "{}", ran.stdout);
        let json = place.json("b");
        assert_eq!(json["case"], case);
        assert!(json["stats"]["packet_hops_per_s_undisturbed"].is_null(), "of a single run");
        assert!(json["stats"]["flows"].as_u64().is_some_and(|flows| flows > 50), "{json}");
    }
    let args = ["bench", "--case", "ns3"];
    Place::new().run(&args).refused(&["five-bulk-senders, irn, roce-pfc, measuring-loop"]);
}

#[cfg(feature = "verbs")]
#[test]
fn bench_runs_the_measuring_loop() {
    let place = Place::new();
    let args = ["bench", "--case", "measuring-loop", "--duration", "2 ms", "--json", "b.json"];
    let ran = place.run(&args).good();
    for message in ["closed-loop", "rperf", "ns an operation", "ns a read"] {
        assert!(ran.stdout.contains(message), "no {message:?} in {}", ran.stdout);
    }
    let json = place.json("b.json");
    assert!(json["stats"]["clock_read_ns"].as_f64().unwrap() > 0.0);
    for method in json["methods"].as_array().unwrap() {
        let runs = method["ns_per_operation_of_runs"].as_array().unwrap();
        assert_eq!(runs.len(), 3);
        assert!(runs.contains(&method["ns_per_operation"]) && runs[0].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = Place::new().run(&["completions", shell]).good();
        assert!(ran.stdout.contains("rperf") && ran.stdout.contains("fabric"), "{shell}");
    }
    Place::new().run(&["completions", "tcsh"]).refused(&["bash, elvish, fish, powershell, zsh"]);
}
