//! Fuzzes the reader of jobs scenarios: any bytes give jobs on a fabric with a host for each instance, or a printable
//! error, never a panic.
#![no_main]

use bandwise_input::Source;
use bandwise_saba::Share;
use bandwise_scenario::jobs::{JobsScenario, Overrides};
use bandwise_scenario::{File, Parsed};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;

/// Files that a scenario may name.
fn file(name: &str) -> Result<File, String> {
    let text = match name {
        "rack.toml" => "[fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"10 Gbps\" }\n",
        _ => return Err("No such file or directory".into()),
    };
    Ok(File { name: name.into(), text: text.into() })
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match JobsScenario::from_toml(&Source::new("fuzz", &text), Overrides::default(), file) {
        Ok(Parsed { scenario, .. }) => {
            for job in scenario.jobs() {
                let hosts: BTreeSet<u32> = job.hosts.iter().copied().collect();
                assert_eq!(hosts.len(), job.hosts.len());
                assert_eq!(hosts.len(), job.job.instances as usize);
                assert!(
                    hosts.iter().all(|&host| (host as usize) < scenario.fabric().hosts().len())
                );
                let slowdown = job.model(scenario.model()).predict(Share::ALL).even_extrapolated();
                assert!(slowdown.is_finite(), "{}: {slowdown}", job.name);
            }
        }
        Err(error) => assert!(!error.message().is_empty()),
    }
});
