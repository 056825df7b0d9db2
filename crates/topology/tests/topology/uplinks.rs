//! Shapes whose cables between switches differ from those of hosts.

use bandwise_input::Source;
use bandwise_topology::{Fabric, Link, builders, read};
use bandwise_units::{BitRate, Time};

fn try_read(keys: &str) -> Result<Fabric, String> {
    let text = format!("[fabric]\n{keys}\n");
    read::toml(&Source::new("f.toml", &text)).map_err(|error| error.to_string())
}

/// Returns the cables of hosts and those between switches, each as (number, rate, delay) if all are
/// equal.
fn tiers(fabric: &Fabric) -> [Option<(usize, BitRate, Time)>; 2] {
    let is_uplink = |link: &&Link| link.ends.iter().all(|end| fabric.is_switch(end.node));
    let (up, down): (Vec<&Link>, Vec<&Link>) = fabric.links().iter().partition(is_uplink);
    [down, up].map(|links| {
        let &&Link { rate, delay, .. } = links.first()?;
        let equal = links.iter().all(|link| (link.rate, link.delay) == (rate, delay));
        equal.then_some((links.len(), rate, delay))
    })
}

/// Returns the rates of a switch's ports.
fn gbps(fabric: &Fabric, name: &str) -> Vec<u64> {
    let ports = fabric.ports(fabric.find(name).unwrap());
    ports.map(|port| fabric.peer(port).unwrap().1.rate.as_bps() / 1_000_000_000).collect()
}

#[test]
fn uplinks_have_a_rate_and_a_delay_of_their_own() {
    let [host, up] = [25, 100].map(BitRate::from_gbps);
    let [near, far] = [10, 500].map(Time::from_ns);
    let link = "link = { rate = \"25 Gbps\", delay = \"10 ns\" }\n";
    let uplink = "uplink = { rate = \"100 Gbps\", delay = \"500 ns\" }\n";
    // 3 leaves with 4 hosts each, 2 spines: 12 cables of hosts, 6 uplinks.
    let clos = "build = { leaf-spine = { leaves = 3, spines = 2, hosts = 4 } }\n";
    let fabric = try_read(&format!("{link}{uplink}{clos}")).unwrap();
    assert_eq!(tiers(&fabric), [Some((12, host, near)), Some((6, up, far))]);
    // A fat tree of k = 4: 16 hosts, 16 cables from edge to aggregation, 16 to the core.
    let fabric = try_read(&format!("{link}{uplink}build = {{ fat-tree = 4 }}\n")).unwrap();
    assert_eq!(tiers(&fabric), [Some((16, host, near)), Some((32, up, far))]);
    // What an uplink lacks comes from `link`.
    let fabric = try_read(&format!("{link}uplink = {{ rate = \"100 Gbps\" }}\n{clos}")).unwrap();
    assert_eq!(tiers(&fabric)[1], Some((6, up, near)));
    let fabric = try_read(&format!("{link}uplink = {{ delay = \"500 ns\" }}\n{clos}")).unwrap();
    assert_eq!(tiers(&fabric)[1], Some((6, host, far)));
    // A fat tree of two rates: 16 cables to aggregation, 16 to the core.
    let two = "uplink = [{ rate = \"100 Gbps\" }, { rate = \"400 Gbps\", delay = \"2 us\" }]\n";
    let fabric = try_read(&format!("{link}{two}build = {{ fat-tree = 4 }}\n")).unwrap();
    assert_eq!(gbps(&fabric, "edge0.0"), [25, 25, 100, 100]);
    assert_eq!(gbps(&fabric, "agg0.0"), [100, 100, 400, 400]);
    assert_eq!(gbps(&fabric, "core0.0"), [400; 4]);
    let directors = "build = { directors = { count = 1, ports = 4 } }\n";
    let fabric = try_read(&format!("{link}{two}{directors}")).unwrap();
    assert_eq!(gbps(&fabric, "leaf0.0"), [100, 100, 400, 400]);
    let plain = try_read(&format!("{link}{clos}")).unwrap();
    assert_eq!(tiers(&plain)[1], Some((6, host, near)));
}

#[test]
fn impossible_uplinks_are_refused() {
    let error = |keys: &str| {
        let link = "link = { rate = \"25 Gbps\" }\n";
        try_read(&format!("{link}{keys}")).unwrap_err()
    };
    let clos = "build = { leaf-spine = { leaves = 3, spines = 2, hosts = 4 } }\n";
    insta::assert_snapshot!(error(&format!("uplink = {{ rate = \"0 Gbps\" }}\n{clos}")), @r#"f.toml:3: a link can't have a rate of 0 bps (allowed: at least 10 Mbps, such as "100 Gbps")"#);
    insta::assert_snapshot!(error(&format!("uplink = {{ delay = \"2 s\" }}\n{clos}")), @r#"f.toml:3: a link can't have a delay of 2 s (allowed: up to 1 s, such as "10 ns")"#);
    insta::assert_snapshot!(error(&format!("uplink = {{}}\n{clos}")), @r#"f.toml:3: `uplink` without a rate and a delay (allowed: a `rate`, a `delay` or both, such as rate = "400 Gbps")"#);
    insta::assert_snapshot!(error(&format!("uplink = {{ speed = \"1 Gbps\" }}\n{clos}")), @"f.toml:3: unknown field `speed` (allowed: `rate` or `delay`)");
    insta::assert_snapshot!(error(&format!("uplink = [{{ rate = \"1 Gbps\" }}, {{ rate = \"1 Gbps\" }}]\n{clos}")), @"f.toml:3: uplinks of 2 tiers, where the shape has 1 (allowed: a table for each tier, that of the leaves first, or one for all)");
    insta::assert_snapshot!(error(&format!("uplink = [{{}}]\n{clos}")), @r#"f.toml:3: `uplink` without a rate and a delay (allowed: a `rate`, a `delay` or both, such as rate = "400 Gbps")"#);
    insta::assert_snapshot!(error(&format!("uplink = \"400 Gbps\"\n{clos}")), @r#"f.toml:3: the text "400 Gbps" can't stand here (allowed: a table such as { rate = "400 Gbps" }, or a list with one for each tier)"#);
    insta::assert_snapshot!(error("uplink = { rate = \"1 Gbps\" }\nbuild = { single-switch = 4 }\n"), @"f.toml:3: `uplink` is not used: this fabric has no cable between switches (allowed: `uplink` with fat-tree, leaf-spine or directors)");
    insta::assert_snapshot!(error("uplink = { rate = \"1 Gbps\" }\n[[fabric.host]]\nname = \"h\"\n"), @"f.toml:3: `uplink` is not used: this fabric lists its cables (allowed: a `rate` and a `delay` of a cable, or `uplink` with `build`)");
}

#[test]
fn the_range_of_uplinks_is_that_of_links() {
    let (rate, still) = (BitRate::from_gbps(25), BitRate::from_bps(0));
    let fabric = || builders::leaf_spine(2, 2, 1, rate, Time::ZERO).unwrap();
    assert!(
        fabric().with_uplinks(&[(still, Time::ZERO)]).unwrap_err().allowed().contains("10 Mbps")
    );
    let late = fabric().with_uplinks(&[(rate, Time::from_ms(1_001))]).unwrap_err();
    assert_eq!(late.allowed(), "up to 1 s, such as \"10 ns\"");
    let single = builders::single_switch(2, rate, Time::ZERO).unwrap();
    assert_eq!(single.clone().with_uplinks(&[(rate, Time::ZERO)]).unwrap(), single);
}
