//! QoS tables as OpenSM writes them: texts with commas, and its configuration as a file.

use super::{SMALL, after, read};
use bandwise_input::Source;
use bandwise_netsim::infiniband::Qos;
use bandwise_scenario::File;
use bandwise_scenario::infiniband::InfinibandScenario;
use proptest::prelude::*;

/// The files that scenarios of these tests can name.
pub(super) fn files(name: &str) -> Result<File, String> {
    let text = match name {
        "all.conf" => {
            "# QoS default options\nqos TRUE\nqos_max_vls 4\nqos_high_limit 3\nqos_vlarb_high 1:8\n\
             qos_vlarb_low 0:64,2:192\nqos_sl2vl 0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,15\n\
             qos_ca_vlarb_low (null)\nqos_ca_high_limit -1\nrouting_engine minhop\n"
        }
        "kinds.conf" => {
            "qos TRUE\nqos_vlarb_high 1:8\nqos_vlarb_low 0:64,1:64\n\
             qos_sl2vl 0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\nqos_swe_vlarb_low 0:10,1:30\nqos_ca_high_limit 255\n\
             qos_sw0_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
        }
        "defaults.conf" => "qos TRUE\nmax_op_vls 2\nqos_vlarb_high (null)\n",
        "off.conf" => "lmc 0\nqos FALSE\nqos_vlarb_low 0:64\n",
        "lane.conf" => "qos TRUE\n\nqos_vlarb_low 0:64,15:3\n",
        "short.conf" => "qos TRUE\nqos_swe_sl2vl 0,1,2\n",
        "limit.conf" => "qos TRUE\nqos_high_limit 300\n",
        "other.conf" => "qos TRUE\nqos_sw2sw_vlarb_low 0:64\n",
        "vls.conf" => "max_op_vls 8\n",
        "letter.conf" => "Dear reader,\nthe quick brown fox\n",
        "slurm.conf" => "SwitchName=s0 Nodes=n[0-15]\nSwitchName=top Switches=s[0-3]\n",
        "equals.conf" => "qos TRUE\nqos_vlarb_low=0:1,1:192\n",
        _ => return Err("No such file or directory".into()),
    };
    Ok(File { name: name.into(), text: text.into() })
}

fn qos(keys: &str) -> Qos {
    read(&format!("{SMALL}[qos]\n{keys}\n")).models().qos.clone()
}

#[test]
fn texts_with_commas_are_lists() {
    let lists = "sl2vl = [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]\nhigh = [\"1:8\"]\n\
                 low = [\"0:64\", \"2:192\"]\nhigh-limit = 3";
    let texts = "sl2vl = \"0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,15\"\nhigh = \"1:8\"\nlow = \"0:64, 2:192\"\nhigh-limit = 3";
    assert_eq!(qos(texts), qos(lists));
    assert_eq!(qos("opensm = \"all.conf\""), qos(lists));
    let port = |low: &str| qos(&format!("[[qos.port]]\nnode = \"switch\"\nlow = {low}"));
    assert_eq!(port("\"0:7,0:9\""), port("[\"0:7\", \"0:9\"]"));
}

/// Switches have the tables of `qos_swe_*`, and hosts those of `qos_ca_*`.
#[test]
fn kinds_of_ports_have_their_own_tables() {
    let kinds = "sl2vl = \"0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\"\nhigh = \"1:8\"\nlow = \"0:64,1:64\"\n\
                 high-limit = 255\n[[qos.port]]\nnode = \"switch\"\n\
                 sl2vl = \"0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\"\nhigh = \"1:8\"\nlow = \"0:10,1:30\"";
    assert_eq!(qos("opensm = \"kinds.conf\""), qos(kinds));
}

/// With `max_op_vls` 2 there are lanes 0 and 1, and OpenSM's defaults are masked to them.
#[test]
fn defaults_of_opensm_are_masked_to_the_lanes_of_ports() {
    let defaults = qos("opensm = \"defaults.conf\"");
    let lanes: String = (0..15).map(|sl| format!("{},", sl % 2)).collect();
    let high: String = (1..15).map(|vl| format!(",{}:0", vl % 2)).collect();
    let low: String = (1..15).map(|vl| format!(",{}:4", vl % 2)).collect();
    let expected = format!("sl2vl = \"{lanes}1\"\nhigh = \"0:4{high}\"\nlow = \"0:0{low}\"");
    assert_eq!(defaults, qos(&expected));
}

#[test]
fn invalid_configurations_are_refused() {
    let refused = |keys: &str| after(&format!("[qos]\n{keys}\n"));
    let file = |name: &str| refused(&format!("opensm = \"{name}.conf\""));
    insta::assert_snapshot!(file("missing"), @"s.toml:16: missing.conf: No such file or directory (allowed: a text file that exists, by its path from the scenario's folder)");
    insta::assert_snapshot!(file("off"), @"off.conf:2: OpenSM sets no tables with `qos FALSE` (allowed: `qos TRUE`, as with `opensm -Q`; or no `opensm` in [qos])");
    insta::assert_snapshot!(file("lane"), @r#"lane.conf:3: lane 15 carries no data (allowed: VL:WEIGHT such as "1:64", with a lane of 0 to 14 and a weight of 0 to 255)"#);
    insta::assert_snapshot!(file("short"), @"short.conf:2: 3 entries map service levels to lanes (allowed: 16, one for each level)");
    insta::assert_snapshot!(file("limit"), @"limit.conf:2: a high limit of 300 (allowed: 0 to 255)");
    insta::assert_snapshot!(file("other"), @"other.conf:2: `qos_sw2sw_vlarb_low` is not read (allowed: max_vls, high_limit, vlarb_high, vlarb_low and sl2vl after qos_, qos_ca_, qos_swe_, qos_sw0_ or qos_rtr_)");
    insta::assert_snapshot!(file("letter"), @"letter.conf:1: no line about QoS: is this OpenSM's configuration? (allowed: lines such as `qos TRUE` and `qos_vlarb_low 0:64,1:192`)");
    assert!(file("slurm").starts_with("slurm.conf:1: this looks like Slurm's `topology.conf`"));
    insta::assert_snapshot!(file("equals"), @"equals.conf:2: `qos_vlarb_low=0:1,1:192` has no value (allowed: a key, a space and a value)");
    insta::assert_snapshot!(file("vls"), @"vls.conf:1: max_op_vls can't be 8 (allowed: 1 to 5, for 1, 2, 4, 8 and 15 lanes)");
    insta::assert_snapshot!(refused("opensm = \"all.conf\"\nlow = \"0:64\""), @"s.toml:17: `low` and `opensm`, which has it (allowed: one of the two; [[qos.port]] for single ports)");
    insta::assert_snapshot!(refused("low = \"0:64,1\""), @r#"s.toml:16: "1" is not an arbitration entry (allowed: VL:WEIGHT such as "1:64", with a lane of 0 to 14 and a weight of 0 to 255)"#);
    insta::assert_snapshot!(refused("sl2vl = \"0,1,x,0,0,0,0,0,0,0,0,0,0,0,0,0\""), @"s.toml:16: SL2 is mapped to x (allowed: a lane of 0 to 14, or 15 to drop the packets of this level)");
    insta::assert_snapshot!(refused("high = 3"), @"s.toml:16: 3 can't stand here (allowed: a list, or a text with commas as in opensm.conf)");
}

/// Any change of a configuration gives tables, or an error in its file.
#[test]
fn mutated_configurations_never_panic() {
    const CONF: &str = "qos TRUE\nmax_op_vls 3\nqos_high_limit 3\nqos_vlarb_high 1:8\n\
                        qos_vlarb_low 0:64,2:192\nqos_sl2vl 0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,15\n\
                        qos_swe_vlarb_low (null)\nqos_ca_high_limit -1\nqos_ca_sl2vl 0,1\n";
    const PIECES: [&str; 14] = [
        "",
        "0",
        "-1",
        "99999999999",
        ",",
        ":",
        "15:3",
        "0:256",
        "(null)",
        "\n",
        "qos_",
        "FALSE",
        "é",
        "\0",
    ];
    let text = format!("{SMALL}[qos]\nopensm = \"any.conf\"\n");
    let (at, len) = (any::<prop::sample::Index>(), 0usize..9);
    proptest!(|(cuts in prop::collection::vec((at, len, prop::sample::select(&PIECES[..])), 1..4))| {
        let mut conf: Vec<char> = CONF.chars().collect();
        for (at, len, piece) in cuts {
            let at = at.index(conf.len() + 1);
            let end = (at + len).min(conf.len());
            conf.splice(at..end, piece.chars());
        }
        let conf: String = conf.into_iter().collect();
        let file = |name: &str| Ok(File { name: name.into(), text: conf.clone() });
        let read = InfinibandScenario::from_text(&Source::new("s.toml", &text), &[], file);
        if let Err(error) = read {
            let shown = error.to_string();
            prop_assert!(shown.contains("(allowed: "), "{shown}");
            prop_assert!(shown.starts_with("any.conf:") || shown.starts_with("s.toml:"), "{shown}");
        }
    });
}
