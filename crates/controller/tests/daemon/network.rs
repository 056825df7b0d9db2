//! Changes of the network by others.

use super::two_hosts::{fabric, network};
use super::world::{Daemon, THERE, weights};
use bandwise_controller::core::{Core, Owner, Rules};
use bandwise_controller::credentials::Caller;
use bandwise_controller::daemon::{Call, CallError};
use bandwise_enforce_simulated::Simulated;
use bandwise_saba::controller::{PortConfig, PortId};
use std::num::NonZeroU8;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Returns rules with the shortest intervals of checks and discoveries.
fn restless() -> Rules {
    let often = Duration::from_millis(1);
    Rules {
        retry: often,
        max_retry: often,
        order_gap: Duration::ZERO,
        check_interval: often,
        discovery_interval: often,
        ..Rules::default()
    }
}

/// Returns a daemon with one connection, whose ports are configured.
fn sharing() -> (TempDir, Simulated, Daemon) {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let mut daemon = Daemon::start_with(restless(), folder.path(), &network, None, false);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    daemon.until(Core::is_settled);
    (folder, network, daemon)
}

/// The audit log says who has drained ports.
#[test]
fn operators_are_named_in_the_audit_log() {
    let (folder, _network, daemon) = sharing();
    let port = daemon.runtime.block_on(daemon.handle.inspect(&Owner::default(), |core, _| {
        core.ports().find(|of| of.1.name == THERE[1]).unwrap().0
    }));
    daemon.say(Call::Drain(vec![port.unwrap()], true));
    daemon.say(Call::Drain(Vec::new(), false));
    daemon.stop();
    let audit = std::fs::read_to_string(folder.path().join("audit")).unwrap();
    let ports = format!("\"ports\":[\"{}\"]", THERE[1]);
    for (event, ports) in [("drained", &*ports), ("shared", "\"ports\":[]")] {
        let event = format!("\"event\":\"{event}\"");
        let line = audit.lines().find(|line| line.contains(&event)).unwrap();
        assert!(line.contains("\"by\":\"test\"") && line.contains(ports), "{line}");
    }
}

/// The audit log says which order was refused, and why.
#[test]
fn refused_order_is_in_the_audit_log() {
    let (folder, _network, daemon) = sharing();
    let operator = Caller::local("test".into(), true);
    let order = Call::Drain(vec![PortId(99)], true);
    let answer = daemon.runtime.block_on(daemon.handle.call(&operator, order));
    assert!(matches!(answer, Err(CallError::Refused(_))), "{answer:?}");
    daemon.say(Call::Drain(Vec::new(), false));
    daemon.stop();
    let audit = std::fs::read_to_string(folder.path().join("audit")).unwrap();
    let lines: Vec<serde_json::Value> =
        audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let refused: Vec<_> = lines.iter().filter(|line| line["event"] == "refused").collect();
    let [refused] = refused[..] else { panic!("{audit}") };
    assert_eq!((&refused["by"], &refused["order"]), (&"test".into(), &"drained".into()));
    assert!(refused["error"].as_str().unwrap().contains("99"), "{refused}");
}

#[test]
fn foreign_writes_are_counted_and_restored() {
    let (folder, network, daemon) = sharing();
    let port = network.named(THERE[1]).unwrap();
    network.overwrite(port, PortConfig::default());
    let until = Instant::now() + Duration::from_secs(60);
    while weights(&network, THERE[1]) != [1] {
        assert!(Instant::now() < until, "the weights are not restored");
        std::thread::yield_now();
    }
    daemon.until(Core::is_settled);
    let metrics = daemon.metrics.clone();
    let text = daemon
        .runtime
        .block_on(daemon.handle.inspect(&Owner::default(), move |core, _| metrics.text(core)));
    let text = text.unwrap();
    assert!(text.contains("bandwise_controller_ports_overwritten_total 1\n"), "{text}");
    daemon.stop();
    let audit = std::fs::read_to_string(folder.path().join("audit")).unwrap();
    let line = |what: &str| audit.lines().rfind(|line| line.contains(what)).unwrap().to_owned();
    let seen: serde_json::Value = serde_json::from_str(&line("\"event\":\"overwritten\"")).unwrap();
    assert_eq!((&seen["name"], &seen["before"]["weights"][0]), (&"s0:1".into(), &1.into()));
    assert_eq!(seen["after"]["weights"], serde_json::json!([]));
    let back: serde_json::Value = serde_json::from_str(&line("\"event\":\"written\"")).unwrap();
    assert_eq!(
        (&back["why"]["cause"], &back["after"]["weights"][0]),
        (&"overwritten".into(), &1.into())
    );
}

#[test]
fn connections_follow_a_moved_cable_and_refused_ports_stay_unchanged() {
    let (_folder, network, daemon) = sharing();
    // The port's id does not depend on its presence.
    let refusing = Simulated::new(fabric(2), NonZeroU8::MIN).named("s0:2").unwrap();
    network.refuse(refusing, true);
    network.rewire(fabric(2));
    daemon.until(|core| core.ports().any(|of| of.1.name == "s0:2" && of.1.failures > 1));
    assert!(weights(&network, "s0:2").is_empty());
    network.refuse(refusing, false);
    daemon.until(move |core| core.is_settled() && core.port(refusing).unwrap().read.is_some());
    assert_eq!(weights(&network, "s0:2"), [1]);
    assert_eq!(network.named(THERE[1]), None);
    daemon.stop();
}
