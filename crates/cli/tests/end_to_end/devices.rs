//! `bandwise devices`, on machines with RDMA devices and on those without.

use crate::common::Place;

#[test]
fn devices_are_listed_or_the_missing_part_is_named() {
    let place = Place::new();
    let ran = place.run(&["devices", "--json", "d.json"]);
    if ran.code == Some(0) {
        assert!(ran.stdout.contains("Ports of RDMA devices"), "{}", ran.stdout);
        let devices = &place.json("d.json")["devices"];
        assert!(devices.as_array().is_some_and(|devices| !devices.is_empty()), "{devices}");
        return;
    }
    // One of the reasons, each with a remedy, and no file is written.
    let ways = ["apt-get install libibverbs1", "modprobe ib_uverbs", "modprobe rdma_rxe"];
    assert!(ways.iter().any(|way| ran.stderr.contains(way)), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(place.files().is_empty());
}
