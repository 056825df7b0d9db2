//! `fabric-file`: a scenario on the fabric of another file.

use bandwise_input::{InputError, Source};
use bandwise_scenario::File;
use bandwise_scenario::infiniband::InfinibandScenario;
use bandwise_units::BitRate;

/// Two hosts at a switch, as ibnetdiscover prints them. The second line of a link says another speed.
const DUMP: &str = r#"
vendid=0x2c9
devid=0xd2f0
switchguid=0x2c90300000010(2c90300000010)
Switch	2 "S-0002c90300000010"		# "leaf" enhanced port 0 lid 1 lmc 0
[1]	"H-0002c90300000020"[1](2c90300000021) 		# "n1" lid 2 4xHDR
[2]	"H-0002c90300000030"[1](2c90300000031) 		# "n2" lid 3 4xHDR

caguid=0x2c90300000020
Ca	1 "H-0002c90300000020"		# "n1"
[1](2c90300000021) 	"S-0002c90300000010"[1]		# lid 2 lmc 0 "leaf" lid 1 4xEDR

caguid=0x2c90300000030
Ca	1 "H-0002c90300000030"		# "n2"
[1](2c90300000031) 	"S-0002c90300000010"[2]		# lid 3 lmc 0 "leaf" lid 1 4xHDR
"#;

fn file(name: &str) -> Result<File, String> {
    match name {
        "dump.txt" => Ok(File { name: name.into(), text: DUMP.into() }),
        "typo.txt" => {
            Ok(File { name: name.into(), text: DUMP.replacen("Switch\t2", "Switch\t1", 1) })
        }
        _ => Err("No such file or directory".into()),
    }
}

fn read(text: &str) -> Result<(InfinibandScenario, Vec<InputError>), InputError> {
    let parsed = InfinibandScenario::from_text(&Source::new("s.toml", text), &[], file)?;
    Ok((parsed.scenario, parsed.warnings))
}

const REST: &str =
    "[switch]\npreset = \"qm8700-hdr\"\n[[flow]]\nfrom = \"n1\"\nto = \"n2\"\nmethod = \"rperf\"\n";

#[test]
fn dump_has_the_scenarios_models() {
    let text = format!("kind = \"infiniband\"\nfabric-file = \"dump.txt\"\n{REST}");
    let (scenario, warnings) = read(&text).unwrap();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    insta::assert_snapshot!(warning, @"dump.txt:11: this link is 4xHDR at one end and 4xEDR at the other: the lower speed is used");
    assert_eq!(scenario.models().switch.preset, "qm8700-hdr");
    // The fastest link is that of n2.
    assert_eq!(scenario.models().device.preset, "connectx6-hdr");
    let slow = scenario.device_of(scenario.flows()[0].from);
    assert_eq!((slow.preset, slow.loopback_rate), ("connectx5-edr", BitRate::from_gbps(100)));
}

#[test]
fn mistakes_name_the_file() {
    let error = |top: &str| {
        let text = format!("kind = \"infiniband\"\n{top}\n{REST}");
        read(&text).expect_err("this must be refused").to_string()
    };
    insta::assert_snapshot!(error("fabric-file = \"none.txt\""), @"s.toml:2: none.txt: No such file or directory (allowed: a text file that exists, by its path from the scenario's folder)");
    insta::assert_snapshot!(error("fabric-file = \"typo.txt\""), @r#"typo.txt:7: "S-0002c90300000010" has no port 2 (allowed: ports 1 to 1)"#);
    insta::assert_snapshot!(error("fabric-file = \"dump.txt\"\n[fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"100 Gbps\" }"), @"s.toml:2: a file with a fabric, and a [fabric] table (allowed: one of the two)");
    insta::assert_snapshot!(error(""), @r#"s.toml:1: there is no fabric (allowed: fabric-file = "FILE" above the tables, or a [fabric] table with keys such as build = { single-switch = 7 } and link = { rate = "100 Gbps" })"#);
}
