//! Network scenarios: what their text means and refuses, and what running them gives.

mod accepted;
mod builder;
mod by_hand;
mod congestion;
mod headroom;
mod homa;
mod lossless;
mod marks;
mod never_panics;
mod refused;
mod runs;
mod study;
mod wire;

use bandwise_input::Source;
use bandwise_scenario::File;
use bandwise_scenario::Parsed;
use bandwise_scenario::ethernet::EthernetScenario;
use std::borrow::Cow;

/// The files that documents here name.
fn file(name: &str) -> Result<File, String> {
    let text = match name {
        "sizes.cdf" => "0 0\n10000 50\n1000000 100\n",
        "half.cdf" => "0 0\n10000 0.5\n",
        "rack.toml" => "[fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"10 Gbps\" }\n",
        "ring.toml" => include_str!("ring.toml"),
        "bad.toml" => "[fabric]\nbuild = { single-switch = 0 }\nlink = { rate = \"10 Gbps\" }\n",
        _ => return Err("No such file or directory".into()),
    };
    Ok(File { name: name.into(), text: text.into() })
}

/// A document with its kind, which most texts here leave out.
fn of_kind(text: &str) -> Cow<'_, str> {
    const KIND: &str = "kind = \"ethernet\"\n";
    match text.contains(KIND) {
        true => text.into(),
        false => format!("{KIND}{text}").into(),
    }
}

fn try_read(text: &str) -> Result<Parsed<EthernetScenario>, String> {
    let text = of_kind(text);
    EthernetScenario::from_toml(&Source::new("n.toml", &text), file).map_err(|e| e.to_string())
}

fn parse(text: &str) -> Parsed<EthernetScenario> {
    try_read(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn read(text: &str) -> EthernetScenario {
    parse(text).scenario
}
