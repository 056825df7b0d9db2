//! Fuzzes the readers of fabric files. A fabric can be written as TOML and as an ibsim netlist, and reads again with
//! the same hosts, switches and links.
#![no_main]

use bandwise_input::Source;
use bandwise_topology::{Fabric, read, write};
use libfuzzer_sys::fuzz_target;

fn size(fabric: &Fabric) -> (usize, usize, usize) {
    (fabric.hosts().len(), fabric.switches().len(), fabric.links().len())
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let fabric = match read::any(&Source::new("fuzz", &text)) {
        Ok(fabric) => fabric,
        Err(error) => return assert!(!error.message().is_empty()),
    };
    // Large ones would make the fuzzer slow, and are no different.
    if fabric.links().len() > 500 {
        return;
    }
    for written in [write::toml(&fabric), write::ibsim(&fabric)] {
        match read::any(&Source::new("written", &written)) {
            Ok(again) => assert_eq!(size(&again), size(&fabric), "{written}"),
            Err(error) => panic!("{error}\n{written}"),
        }
    }
});
