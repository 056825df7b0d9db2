//! Answers, stored records and recordings of a daemon.

use super::two_hosts::network;
use super::world::{BACK, Daemon, THERE, weights};
use bandwise_controller::core::{Core, PortState, Request, Rules};
use bandwise_controller::daemon::Replay;
use bandwise_controller::store::Embedded;
use bandwise_saba::controller::PortConfig;
use std::io::BufReader;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

#[test]
fn hanging_port_delays_no_call_and_refused_write_is_retried() {
    let folder = tempfile::tempdir().unwrap();
    let (network, (authenticator, passes)): (_, (Sender<bool>, _)) = (network(), channel());
    let mut daemon = Daemon::start(folder.path(), &network, Some(passes));
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    // The writer waits at the gate; other calls are answered.
    let other = daemon.hello();
    let application = daemon.register_and_connect(other, "h0");
    assert!(THERE.iter().chain(&BACK).all(|port| weights(&network, port).is_empty()));
    authenticator.send(false).unwrap();
    daemon.until(|core| core.ports().any(|of| of.1.failures > 0));
    drop(authenticator);
    daemon.until(Core::is_settled);
    assert!(THERE.iter().chain(&BACK).all(|port| weights(&network, port) == [1]));
    daemon.ask(other, Request::Deregister { application });
    daemon.until(Core::is_settled);
    assert!(BACK.iter().all(|port| weights(&network, port).is_empty()));
    daemon.stop();
    let recording = std::fs::File::open(folder.path().join("recording")).unwrap();
    let replayed = Replay::default().run(BufReader::new(recording), |_, _, _| ()).unwrap();
    assert_eq!((replayed.starts, replayed.differs, replayed.cut), (1, None, 0));
    let audit = std::fs::read_to_string(folder.path().join("audit")).unwrap();
    let lines: Vec<serde_json::Value> =
        audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |what: &str| lines.iter().filter(|line| line["event"] == what).count();
    assert_eq!((of("written"), of("failed")), (9, 1), "{audit}");
    assert_eq!(of("ordered"), 10);
}

#[test]
fn restarted_daemon_keeps_acknowledged_state() {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let mut daemon = Daemon::start(folder.path(), &network, None);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    daemon.stop();
    // The switch has come back empty meanwhile.
    let port = network.named(THERE[1]).unwrap();
    network.overwrite(port, PortConfig::default());
    // The persister closes the file when the event loop has ended.
    let until = Instant::now() + Duration::from_secs(60);
    while Embedded::open(&folder.path().join("store")).is_err() {
        assert!(Instant::now() < until, "the store is not closed");
        std::thread::yield_now();
    }
    let mut daemon = Daemon::start(folder.path(), &network, None);
    daemon.until(Core::is_settled);
    assert_eq!(weights(&network, THERE[1]), [1]);
    daemon.numbers = 10;
    daemon.register_and_connect(client, "h0");
    daemon.stop();
}

/// Returns all but the first line.
fn lines_after(text: &str) -> &str {
    text.split_once('\n').unwrap().1
}

/// A changed recording is reported with its line; a truncated one is replayed up to its end.
#[test]
fn changed_recording_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut daemon = Daemon::start(folder.path(), &network(), None);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    daemon.until(Core::is_settled);
    daemon.stop();
    let text = std::fs::read_to_string(folder.path().join("recording")).unwrap();
    let replay = |text: &str| Replay::default().run(text.as_bytes(), |_, _, _| ());
    assert_eq!(replay(&text).unwrap().differs, None);
    let changed = text.replacen("\"to\":\"h1\"},\"path\"", "\"to\":\"hx\"},\"path\"", 1);
    let changed =
        if changed == text { text.replacen("\"to\":\"h1\"", "\"to\":\"hx\"", 1) } else { changed };
    assert!(replay(&changed).unwrap().differs.is_some());
    let cut = &text[..text.len() - 5];
    let twice = format!("{cut}\n{text}");
    for (text, starts) in [(cut, 1), (&*twice, 2)] {
        let replayed = replay(text).unwrap();
        assert_eq!((replayed.starts, replayed.cut, replayed.differs), (starts, 1, None));
    }
    // The daemon was killed right after its start.
    let begun = &text[..text.find('\n').unwrap() / 2];
    let replayed = replay(&format!("{begun}\n{text}")).unwrap();
    assert_eq!((replayed.starts, replayed.cut, replayed.differs), (1, 1, None));
    assert!(replay(&format!("{begun}\n{}", lines_after(&text))).is_err());
    let broken = text.replacen("{\"at_ns\"", "{\"at", 1);
    assert!(replay(&broken).unwrap_err().to_string().starts_with("line 2"));
    let lines: Vec<&str> = text.lines().collect();
    let headless = lines[1..].join("\n") + "\n";
    assert!(replay(&headless).unwrap_err().to_string().starts_with("line 1"));
    assert!(replay("{}\n{}\n").is_err());
}

#[test]
fn ports_are_restored_on_exit_if_configured() {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let mut daemon = Daemon::start_with(Rules::default(), folder.path(), &network, None, true);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    daemon.until(Core::is_settled);
    assert_eq!(weights(&network, THERE[1]), [1]);
    assert!(daemon.stop().is_empty());
    assert!(THERE.iter().chain(&BACK).all(|port| weights(&network, port).is_empty()));
    let recording = std::fs::File::open(folder.path().join("recording")).unwrap();
    let replayed = Replay::default().run(BufReader::new(recording), |_, _, _| ()).unwrap();
    assert_eq!((replayed.differs, replayed.cut), (None, 0));
}

/// A daemon that does not wait for hanging ports names them.
#[test]
fn hanging_ports_are_named_on_exit() {
    let folder = tempfile::tempdir().unwrap();
    let (network, (authenticator, passes)): (_, (Sender<bool>, _)) = (network(), channel());
    let mut daemon =
        Daemon::start_with(Rules::default(), folder.path(), &network, Some(passes), true);
    let client = daemon.hello();
    // Ports are checked in the order of their last orders: the others come before those that hang.
    daemon.until(Core::is_settled);
    THERE.iter().for_each(|_| authenticator.send(true).unwrap());
    daemon.register_and_connect(client, "h1");
    daemon.until(Core::is_settled);
    daemon.handle.stop();
    let hangs = |of: &PortState| THERE.contains(&of.name.as_str());
    daemon.until(move |core| core.ports().all(|of| of.1.is_settled() != hangs(of.1)));
    // A second stop ends at once.
    assert_eq!(daemon.stop(), THERE);
    assert_eq!(weights(&network, THERE[1]), [1]);
}
