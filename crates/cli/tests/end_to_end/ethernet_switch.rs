//! Buffers, marks and traffic classes of Ethernet switches in `bandwise sim run`.

use crate::common::Place;

/// Three hosts at a switch of four ports, one of which has no cable.
fn unequal(pfc: &str) -> String {
    let mut text =
        "kind = \"ethernet\"\n[fabric]\n[[fabric.switch]]\nname = \"s\"\nports = 4\n".to_owned();
    for (n, rate, delay) in [(1, 100, 1_000), (2, 25, 100), (3, 25, 100)] {
        text += &format!(
            "[[fabric.host]]\nname = \"h{n}\"\n[[fabric.cable]]\nfrom = \"h{n}\"\nto = \"s:{n}\"\n\
             rate = \"{rate} Gbps\"\ndelay = \"{delay} ns\"\n"
        );
    }
    format!(
        "{text}[switch]\nqueues = \"output\"\nbuffer = \"1 MB\"\n{pfc}[transport]\nkind = \"roce\"\n\
         [workload]\nincast = {{ senders = 2, bytes = \"1 MB\" }}\n"
    )
}

/// Three packets and a pause frame are 3,310 B; 100e9 x 2 us / 8 = 25,000, 25e9 x 200 ns / 8 = 625.
/// The remedy for SONiC's configuration names keys of scenarios. dynamic_th = -1 is alpha = 0.5.
#[test]
fn values_of_a_sonic_configuration_have_the_named_keys() {
    let place = Place::new();
    place.write("config_db.json", "{\n  \"PORT\": {},\n  \"BUFFER_POOL\": {}\n}\n");
    let named = ["this looks like a configuration of SONiC", "[congestion-control] ecn = {"];
    place.run(&["sim", "run", "config_db.json"]).refused(&named);
    let keys = "[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"100 Gbps\" }\n\
                [switch]\nqueues = \"output\"\nbuffer = \"32 MB\"\nclasses = 5\n\
                schedule = { weights = [1, 1, 1, 20, 80] }\nlossless = [3, 4]\nalpha = 0.5\n\
                pfc = { headroom = \"300 KB\" }\n[transport]\nkind = \"roce\"\ntimeout = \"low-high\"\n\
                [congestion-control]\nkind = \"dcqcn\"\n\
                ecn = { kmin = \"400 KB\", kmax = \"2 MB\", pmax = 0.05 }\n\
                [workload]\nincast = { senders = 3, bytes = \"30 KB\", priority = 3 }\n";
    place.write("s.toml", format!("kind = \"ethernet\"\n{keys}"));
    let ran = place.run(&["sim", "run", "s.toml"]).good();
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

#[test]
fn the_headroom_says_for_what_it_is() {
    let place = Place::new();
    place.write("n.toml", unequal(""));
    let ran = place.run(&["sim", "run", "n.toml", "--json", "o.json"]).good();
    let line = "RoCE with PFC (headroom of 3935 to 28310 B by port); no cap, no timeout.\nNote: headroom of \
                this model's switch and hosts, which obey a pause at once; real ones need several times as \
                much (pfc.response).\n";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    let pfc = place.json("o.json")["settings"]["pfc"].clone();
    assert_eq!(
        (&pfc["headroom_bytes"], &pfc["least_headroom_bytes"]),
        (&28_310.into(), &3_935.into())
    );
    assert_eq!(pfc["response"], "0 ps");
    assert!(pfc["headroom_limit"].as_str().unwrap().contains("obey a pause at once"), "{pfc}");
    // 100e9 x 2 us / 8 = 25,000 and 25e9 x 2 us / 8 = 6,250 more.
    place.write("n.toml", unequal("pfc = { response = \"2 us\" }\n"));
    let ran = place.run(&["sim", "run", "n.toml", "--json", "o.json"]).good();
    let line = "(headroom of 10185 to 53310 B by port); no cap, no timeout, pauses obeyed after 2 us.\nMTU";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    let pfc = place.json("o.json")["settings"]["pfc"].clone();
    assert_eq!((&pfc["response"], &pfc["headroom_limit"]), (&"2 us".into(), &().into()));
    // A given headroom needs no note.
    place.write("n.toml", unequal("pfc = { headroom = \"30 KB\" }\n"));
    let ran = place.run(&["sim", "run", "n.toml"]).good();
    assert!(
        ran.stdout.contains("(headroom of 30000 B); no cap, no timeout.\nMTU"),
        "{}",
        ran.stdout
    );
}

/// Two inputs may hold 2 / (1 + 2) of the buffer without the headroom, 1,000,000 - 28,310 - 2 x 3,935 B:
/// 642,546 B.
#[test]
fn marks_without_effect_are_told_in_text_and_json() {
    let place = Place::new();
    let marks =
        "[congestion-control]\nkind = \"dcqcn\"\necn = { kmin = \"700 KB\", kmax = \"800 KB\" }\n";
    place.write("n.toml", unequal("") + marks);
    let ran = place.run(&["sim", "run", "n.toml", "--json", "o.json"]).good();
    let warning = "marks begin at 700000 B and PFC stops all inputs of an output at 642546 B";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    let json = place.json("o.json");
    assert!(json["warnings"][0].as_str().unwrap().contains(warning), "{json}");
    place.write("s.toml", unequal("") + marks + "[sweep]\nrun.seed = [1, 2]\n");
    let json = place.run(&["sim", "run", "s.toml", "--json"]).good().json();
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1);
}

/// Two senders at line rate into one port lose every second packet of a small buffer, and go-back-N
/// sends what is in flight behind it again. IRN sends the lost ones only.
#[test]
fn collapse_of_go_back_n_is_told() {
    let place = Place::new();
    let file = |kind: &str| {
        format!(
            "kind = \"ethernet\"\n[fabric]\nbuild = {{ single-switch = 3 }}\n\
             link = {{ rate = \"100 Gbps\", delay = \"100 ns\" }}\n[switch]\nqueues = \"output\"\n\
             buffer = \"500 KB\"\npfc = false\n[transport]\nkind = \"{kind}\"\n\
             [workload]\nflows = \"f.csv\"\n"
        )
    };
    place.write("f.csv", "start_ns,src,dst,bytes\n0,0,2,4000000\n0,1,2,4000000\n");
    place.write("roce.toml", file("roce"));
    let ran = place.run(&["sim", "run", "roce.toml"]).good();
    assert!(ran.stderr.contains("the goodput has collapsed"), "{}", ran.stderr);
    // Without its cap IRN sends more than the port takes, and still delivers at the rate of the port.
    for kind in ["irn", "irn\"\nbdp-cap = false\n[run]\nlimit = \"10 ms"] {
        place.write("irn.toml", file(kind));
        let ran = place.run(&["sim", "run", "irn.toml"]).good();
        assert!(!ran.stderr.contains("collapsed"), "{}", ran.stderr);
    }
}

/// Three senders share 100 Gbps by 10:30:60. With as many bytes each, all end after 10,000 packets of
/// 1,082 B: 865.6 us.
#[test]
fn a_flow_list_has_traffic_classes() {
    let place = Place::new();
    place.write(
        "n.toml",
        "kind = \"ethernet\"\n[fabric]\nbuild = { single-switch = 4 }\n\
         link = { rate = \"100 Gbps\", delay = \"100 ns\" }\n\
         [switch]\nqueues = \"output\"\nbuffer = \"8 MB\"\nclasses = 4\n\
         schedule = { weights = [10, 30, 60], strict = [3] }\n[transport]\nkind = \"roce\"\n\
         [workload]\nflows = \"l.csv\"\n",
    );
    let list = |rows: &str| format!("start_ns,src,dst,bytes,priority\n{rows}");
    place.write("l.csv", list("0,0,3,1000000,0\n0,1,3,3000000,1\n0,2,3,6000000,2\n"));
    let ran = place.run(&["sim", "run", "n.toml", "--flow-results", "fct.csv"]).good();
    assert!(ran.stdout.contains("4 classes, strict ones first, then by weight"), "{}", ran.stdout);
    let times: Vec<f64> = place
        .read("fct.csv")
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(5).unwrap().parse().unwrap())
        .collect();
    assert_eq!(times.len(), 3);
    assert!(times.iter().all(|ns| (ns / 865_600.0 - 1.0).abs() < 0.02), "{times:?}");
    place.write("l.csv", list("0,0,3,1000,4\n"));
    let refused = place.run(&["sim", "run", "n.toml"]);
    refused.refused(&["l.csv:2: priority is \"4\"", "traffic classes 0 to 3"]);
}

/// A list replaces the flows of a load, and with them the warnings about it.
#[test]
fn loads_are_not_doubted_with_a_list() {
    let place = Place::new();
    place.write(
        "e.toml",
        "kind = \"ethernet\"\n[fabric]\nlink = { rate = \"100 Gbps\" }\nswitch = [{ name = \"s\", ports = 2 }]\n\
         host = [{ name = \"a\", port = \"s:1\" }, { name = \"b\" }]\n\
         cable = [{ from = \"b\", to = \"s:2\", rate = \"400 Gbps\" }]\n",
    );
    place.write("l.csv", "start_ns,src,dst,bytes\n0,a,b,10000\n");
    let about = "the load is that of a link of 100 Gbps";
    assert!(place.run(&["sim", "run", "e.toml"]).good().stderr.contains(about));
    let ran = place.run(&["sim", "run", "e.toml", "--flows", "l.csv"]).good();
    assert!(!ran.stderr.contains(about), "{}", ran.stderr);
}
