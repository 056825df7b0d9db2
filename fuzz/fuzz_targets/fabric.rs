//! Fuzzes the readers of fabric files. A fabric can be written as TOML, and one of InfiniBand as an ibsim netlist, and
//! reads again with the same hosts, switches and links.
#![no_main]

use bandwise_input::Source;
use bandwise_topology::{Fabric, read, write};
use libfuzzer_sys::fuzz_target;

fn size(fabric: &Fabric) -> (usize, usize, usize) {
    (fabric.hosts().len(), fabric.switches().len(), fabric.links().len())
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let fabrics = match read::any(&Source::new("fuzz", &text)) {
        Ok(file) => file.parts,
        Err(error) => return assert!(!error.message().is_empty()),
    };
    for fabric in &fabrics {
        // Large ones would make the fuzzer slow, and are no different.
        if fabric.links().len() > 500 {
            continue;
        }
        for written in std::iter::once(write::toml(fabric)).chain(write::ibsim(fabric)) {
            let read = read::any(&Source::new("written", &written));
            match read.as_ref().map(|file| file.parts.as_slice()) {
                Ok([again]) => assert_eq!(size(again), size(fabric), "{written}"),
                Ok(parts) => panic!("{} parts\n{written}", parts.len()),
                Err(error) => panic!("{error}\n{written}"),
            }
        }
    }
});
