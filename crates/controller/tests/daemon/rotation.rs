//! The rotation of the recording and the audit log, and the completeness of the rest.

use super::two_hosts::network;
use super::world::Daemon;
use bandwise_controller::core::{Core, Request, Rules};
use bandwise_controller::daemon::{Replay, Replayed};
use bandwise_units::Bytes;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SIZE: Bytes = Bytes::from_kib(8);

/// Returns the files of a recording or audit log, the oldest first.
fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_part = |path: &PathBuf| {
        path.file_name().unwrap().to_str().unwrap().starts_with(&format!("{name}.part-"))
    };
    let mut files: Vec<PathBuf> = all.filter(is_part).collect();
    files.sort();
    files.push(folder.join(name));
    files
}

fn hear(replay: &mut Replay, path: &Path) -> Replayed {
    replay.run(BufReader::new(std::fs::File::open(path).unwrap()), |_, _, _| ()).unwrap()
}

/// Runs a daemon whose clients come and go until files are rotated.
fn busy(folder: &Path, files: u32) {
    let network = network();
    let rules = Rules { retry: Duration::ZERO, order_gap: Duration::ZERO, ..Rules::default() };
    let mut daemon = Daemon::start_keeping(rules, (folder, (SIZE, files)), &network, None, false);
    let client = daemon.hello();
    for _ in 0..40 {
        let application = daemon.register_and_connect(client, "h1");
        daemon.ask(client, Request::Deregister { application });
    }
    daemon.until(Core::is_settled);
    daemon.stop();
}

#[test]
fn recording_parts_replay_alone_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    busy(folder.path(), 1000);
    busy_again(folder.path());
    let all = files(folder.path(), "recording");
    assert!(all.len() > 5, "{all:?}");
    let mut replay = Replay::default();
    let (mut starts, mut parts) = (0, 0);
    for path in &all {
        let alone = hear(&mut Replay::default(), path);
        let in_order = hear(&mut replay, path);
        assert_eq!(alone, in_order, "nothing is missing before {path:?}");
        assert_eq!((alone.differs, alone.gaps, alone.cut), (None, 0, 0), "{path:?}");
        (starts, parts) = (starts + alone.starts, parts + alone.parts);
    }
    // The second start begins another file if the last was full.
    let others = all.len() as u64 - parts;
    assert!(starts == 2 && (1..=2).contains(&others), "{starts} starts, {parts} parts of {all:?}");
    // With a file missing in the middle, the others can be replayed, and the gap is reported.
    let mut replay = Replay::default();
    let without: Vec<Replayed> = [0, 2, 3].map(|at| hear(&mut replay, &all[at])).into();
    assert_eq!(without.iter().map(|of| of.gaps).collect::<Vec<_>>(), [0, 1, 0]);
    assert!(without.iter().all(|of| of.differs.is_none()));
}

/// Starts the daemon again with the same store and files.
fn busy_again(folder: &Path) {
    let until = Instant::now() + Duration::from_secs(60);
    while bandwise_controller::store::Embedded::open(&folder.join("store")).is_err() {
        assert!(Instant::now() < until, "the store is not closed");
        std::thread::yield_now();
    }
    busy(folder, 1000);
}

#[test]
fn rotation_limits_file_count_and_size() {
    let folder = tempfile::tempdir().unwrap();
    busy(folder.path(), 3);
    for name in ["recording", "audit"] {
        let all = files(folder.path(), name);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(!folder.path().join(format!("{name}.part-000001")).exists());
        for path in &all {
            let length = std::fs::metadata(path).unwrap().len();
            // The initial state and the last line come on top of the size.
            assert!(length < 5 * SIZE.get(), "{path:?} has {length} bytes");
        }
    }
    let all = files(folder.path(), "recording");
    let mut replay = Replay::default();
    let replayed: Vec<Replayed> = all.iter().map(|path| hear(&mut replay, path)).collect();
    assert!(replayed.iter().all(|of| of.differs.is_none() && of.gaps == 0));
    // The audit log has each order once, without gaps between the first and the last.
    let lines = files(folder.path(), "audit").into_iter();
    let text: String = lines.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let ordered = lines.filter(|line| line["event"] == "ordered");
    let orders: Vec<u64> = ordered.map(|line| line["order"].as_u64().unwrap()).collect();
    assert!(orders.len() > 10 && orders.is_sorted_by(|a, b| a < b), "{orders:?}");
}
