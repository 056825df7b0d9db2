//! The library's messages for people, in the file that `SABA_LOG` names.

use crate::run::{is_connected, ran_c};
use crate::world::World;
use crate::{DONE, ITS_MARK, has_connections, start};
use std::path::Path;

/// Returns the number of a log's lines that contain a text.
fn lines_with(log: &Path, text: &str) -> usize {
    let log = std::fs::read_to_string(log).unwrap_or_default();
    log.lines().filter(|line| line.contains(text)).count()
}

/// The application was measured on one host. A controller that has lost its store has the same doubt again.
#[test]
fn doubts_about_the_model_are_logged_once() {
    let mut world = World::empty();
    world.start();
    let log = world.folder.path().join("log");
    let more = [ITS_MARK, ("SABA_LOG", log.to_str().unwrap()), ("SABA_NODES", "18")];
    let Some(mut program) = start(&world, &more).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    world.stop();
    std::fs::remove_file(world.folder.path().join("store")).unwrap();
    world.start();
    has_connections(&world, 1);
    assert_eq!(program.ends(), Some(0));
    let doubt = "the model is doubtful: used with 18.00 times the nodes that it was measured on";
    assert_eq!(lines_with(&log, doubt), 1);
}

/// The program has a function of liburing's name.
#[test]
fn requests_by_io_uring_are_said_to_be_unseen() {
    let has = "-Wl,--defsym=io_uring_queue_init=main";
    for (flags, lines) in [(&["-rdynamic"][..], 0), (&["-rdynamic", has], 1)] {
        let world = World::empty();
        let log = world.folder.path().join("log");
        let more = [("SABA_APP", "all"), ("SABA_LOG", log.to_str().unwrap())];
        let Some(_) = ran_c("iterates.c", flags, &more) else { return };
        assert_eq!(lines_with(&log, "connections by io_uring are neither marked nor"), lines);
    }
}
