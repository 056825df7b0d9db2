//! A fabric that is written and read again is the same.

use crate::fabrics::{cable, random};
use bandwise_input::Source;
use bandwise_topology::read::{self, Format};
use bandwise_topology::{Fabric, MAX_PORTS, builders, infiniband, write};
use proptest::prelude::*;

fn check(fabric: &Fabric) {
    let netlist = write::ibsim(fabric);
    // A netlist is of an InfiniBand fabric, and TOML of any.
    assert_eq!(netlist.is_ok(), infiniband::check_ports(fabric).is_ok());
    let netlist = netlist.map(|text| (text, Format::Ibsim));
    for (text, format) in netlist.into_iter().chain([(write::toml(fabric), Format::Toml)]) {
        let source = Source::new("written", &text);
        assert_eq!(read::detect(&source), format, "{text}");
        match read::any(&source) {
            Ok(read) => assert_eq!(&read.parts, std::slice::from_ref(fabric), "{text}"),
            Err(e) => panic!("{e}\n{text}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn random_fabrics_round_trip(fabric in random(MAX_PORTS)) {
        check(&fabric);
    }
}

#[test]
fn built_shapes_round_trip() {
    let (rate, delay) = cable();
    check(&builders::back_to_back(rate, delay).unwrap());
    check(&builders::single_switch(7, rate, delay).unwrap());
    check(&builders::fat_tree(6, rate, delay).unwrap());
    check(&builders::leaf_spine(3, 2, 4, rate, delay).unwrap());
    check(&builders::single_switch(254, rate, delay).unwrap());
    check(&builders::single_switch(512, rate, delay).unwrap());
}

#[test]
fn written_toml_has_every_cable_once() {
    let (rate, delay) = cable();
    let fabric = builders::single_switch(2, rate, delay).unwrap();
    insta::assert_snapshot!(write::toml(&fabric), @r#"
    [fabric]
    link = { rate = "100 Gbps", delay = "10 ns" }

    [[fabric.host]]
    name = "h0"
    port = "switch:1"

    [[fabric.host]]
    name = "h1"
    port = "switch:2"

    [[fabric.switch]]
    name = "switch"
    ports = 2
    "#);
    insta::assert_snapshot!(write::ibsim(&fabric).unwrap(), @r#"
    Hca	1 "h0"	# "h0"
    [1]	"switch"[1]	# bandwise rate 100 Gbps delay 10 ns

    Hca	1 "h1"	# "h1"
    [1]	"switch"[2]	# bandwise rate 100 Gbps delay 10 ns

    Switch	2 "switch"	# "switch"
    [1]	"h0"[1]	# bandwise rate 100 Gbps delay 10 ns
    [2]	"h1"[1]	# bandwise rate 100 Gbps delay 10 ns
    "#);
}
