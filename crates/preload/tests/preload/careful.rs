//! Programs that a careless library would break: signal handlers, invalid pointers, unusual children and ends.

use crate::run::{is_connected, ran_c};
use crate::world::World;
use crate::{DONE, ITS_MARK, has_connections, start, start_c};
use bandwise_controller::core::Core;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

/// In a signal handler no memory is allocated and no thread started; the next call outside reports the connection.
#[test]
fn connections_of_signal_handlers_are_reported_later() {
    if !is_connected() {
        return;
    }
    for how in ["raised", "unblocked", "once", "alternate", "thread"] {
        let mut world = World::empty();
        world.start();
        let Some(mut program) =
            start_c(&world, "handler.c", &["-rdynamic"], &["198.51.100.1", how], &[ITS_MARK])
        else {
            return;
        };
        assert_eq!(program.next_line(), "threads 0", "{how}");
        assert_eq!(program.request(""), "closed", "{how}");
        has_connections(&world, 1);
        program.send("");
        has_connections(&world, 0);
        program.send("");
        assert_eq!(program.ends(), Some(0), "{how}");
    }
}

/// A handler is not mistaken for a thread with blocked signals, such as those of a JVM.
#[test]
fn connections_with_blocked_signals_are_reported_at_once() {
    let mut world = World::empty();
    world.start();
    let words = ["198.51.100.1", "blocked"];
    let Some(mut program) = start_c(&world, "handler.c", &["-rdynamic"], &words, &[ITS_MARK])
        .filter(|_| is_connected())
    else {
        return;
    };
    assert_eq!(program.next_line(), "threads 1");
    has_connections(&world, 1);
    assert_eq!(program.ends(), Some(0));
}

#[test]
fn invalid_pointers_have_the_results_of_the_system_calls() {
    for app in ["", "all"] {
        let nowhere = ("SABA_CONTROLLER", "unix:/nowhere");
        let Some(output) = ran_c("pointers.c", &[], &[("SABA_APP", app), nowhere]) else { return };
        assert_eq!(output, "equal 71\n", "SABA_APP={app}");
    }
}

/// The library's threads don't keep a process alive.
#[test]
fn process_ends_with_the_last_thread_of_the_program() {
    for more in [&[][..], &["more"]] {
        let mut world = World::empty();
        world.start();
        let words = [&["198.51.100.1"], more].concat();
        let Some(mut program) =
            start_c(&world, "ends.c", &[], &words, &[ITS_MARK]).filter(|_| is_connected())
        else {
            return;
        };
        assert_eq!(program.next_line(), "connected");
        has_connections(&world, 1);
        program.send("");
        if !more.is_empty() {
            assert_eq!(program.request(""), "other");
        }
        assert_eq!(program.next_line(), "exit");
        assert_eq!(program.ends(), Some(0));
    }
}

/// The status of a process is that of its first thread, also if only that thread was ended.
#[test]
fn process_ends_with_the_status_of_its_first_thread() {
    for (how, status) in [("exit", 5 << 8), ("killed", libc::SIGSYS)] {
        let mut world = World::empty();
        world.start();
        let words = ["198.51.100.1", how];
        let Some(mut program) =
            start_c(&world, "thread_ends.c", &[], &words, &[ITS_MARK]).filter(|_| is_connected())
        else {
            return;
        };
        assert_eq!(program.next_line(), "connected");
        has_connections(&world, 1);
        program.send("");
        let ended = program.status();
        assert_eq!(ended.into_raw() & !0x80, status, "{how}: {ended:?}");
    }
}

/// A child that shares the memory has descriptors of its own, and threads that end with it.
#[test]
fn child_that_shares_the_memory_changes_nothing() {
    let mut world = World::empty();
    world.start();
    let Some(mut program) = start(&world, &[ITS_MARK]).filter(|_| is_connected()) else { return };
    let child = program.request("shares 198.51.100.1");
    let fd = child.strip_prefix("child ").unwrap();
    assert_ne!(fd, "0");
    assert_eq!(program.request("threads"), "threads 1");
    // The parent's socket of the same number is not connected.
    assert_eq!(program.request("socket 0"), format!("socket {fd}"));
    assert_eq!(program.request("connect 1 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(
        program.request("shares 198.51.100.1"),
        format!("child {}", fd.parse::<i32>().unwrap() + 2)
    );
    assert_eq!(program.request("close 1"), "closed 0");
    has_connections(&world, 0);
    assert_eq!(program.ends(), Some(0));
}

/// The program resets the socket by a system call, which leaves it as a refusal does.
#[test]
fn refused_stream_is_reported_no_longer() {
    let mut world = World::empty();
    world.start();
    let Some(mut program) = start(&world, &[ITS_MARK]).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("stream 0 198.51.100.1"), "in progress");
    has_connections(&world, 1);
    let ids = |core: &Core| core.state().connections().map(|of| of.0).collect::<Vec<_>>();
    let first = world.inspect(ids)[0];
    // A call for the result is no new connection.
    assert_ne!(program.request("again 0 198.51.100.1"), "failed");
    assert_eq!(program.request("connect 1 198.51.100.1"), DONE);
    has_connections(&world, 2);
    assert!(world.inspect(ids).contains(&first));
    assert_eq!(program.request("reset 0"), "reset 0");
    has_connections(&world, 1);
    // The program tries again with the same socket.
    assert_eq!(program.request("again 0 198.51.100.1"), "in progress");
    has_connections(&world, 2);
    assert_eq!(program.ends(), Some(0));
}

/// The kernel refuses some namespaces to processes with several threads. The log names the cause.
#[test]
fn refused_namespace_is_explained() {
    let world = World::empty();
    let log = world.folder.path().join("log");
    let more = [ITS_MARK, ("SABA_LOG", log.to_str().unwrap())];
    let Some(mut program) = start(&world, &more).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    assert_eq!(program.request("unshare 0"), "unshare 0");
    assert_eq!(program.request("unshare 1"), "unshare -1");
    assert_eq!(program.ends(), Some(0));
    let log = std::fs::read_to_string(&log).unwrap();
    let refused = "the kernel refused unshare to the program";
    assert_eq!(log.lines().filter(|line| line.contains(refused)).count(), 1, "{log}");
}

/// A filter of system calls for all threads keeps the library from the controller. The log names it.
#[test]
fn filter_for_all_threads_is_explained() {
    let mut world = World::empty();
    world.start();
    let log = world.folder.path().join("log");
    let more = [ITS_MARK, ("SABA_LOG", log.to_str().unwrap())];
    let Some(mut program) = start(&world, &more).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.request("filter"), "filter 0");
    world.stop();
    // A change is reported at once, and needs a new connection.
    assert_eq!(program.request("close 0"), "closed 0");
    let message = "a seccomp filter applies to the library's threads";
    let until = Instant::now() + Duration::from_secs(60);
    while !std::fs::read_to_string(&log).is_ok_and(|log| log.contains(message)) {
        assert!(Instant::now() < until, "not logged: {message}");
        std::thread::yield_now();
    }
    assert_eq!(program.ends(), Some(0));
}
