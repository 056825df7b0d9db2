//! Programs under the library, and a controller whose switches do as they are told.
//!
//! What packets carry on a wire is seen by tests/lab/preload.sh.

#[path = "../../../libsaba/tests/libsaba/certificates.rs"]
mod certificates;
mod https;
mod run;
#[path = "../../../controller/tests/daemon/two_hosts.rs"]
mod two_hosts;
mod verbs;
#[path = "../../../libsaba/tests/libsaba/world.rs"]
mod world;

use run::{Program, is_connected};
use std::path::PathBuf;
use world::World;

/// The mark that `saba run` would pass on, and that the controller of these tests would assign.
const MARK: (&str, &str) = ("SABA_MARK", "level=1,dscp=7");
const ITS_MARK: (&str, &str) = ("SABA_MARK", "level=0,dscp=3");
const DONE: &str = "0 77 connected";

/// Returns variables with addresses of the controller's hosts that nobody uses.
fn variables(world: &World) -> Vec<(&'static str, String)> {
    let hosts: PathBuf = world.folder.path().join("hosts");
    std::fs::write(&hosts, "198.51.100.1 h1\n198.51.100.2 elsewhere\n").unwrap();
    vec![
        ("SABA_APP", "all".into()),
        ("SABA_CONTROLLER", format!("unix:{}", world.socket().display())),
        ("SABA_HOST", "h0".into()),
        ("SABA_HOSTS", hosts.display().to_string()),
    ]
}

fn start(world: &World, more: &[(&'static str, &str)]) -> Option<Program> {
    let all = variables(world);
    let all = all.iter().map(|(name, value)| (*name, value.as_str()));
    Program::start(&all.chain(more.iter().copied()).collect::<Vec<_>>())
}

fn has_connections(world: &World, count: usize) {
    world.until(move |core| core.state().connections().len() == count);
}

#[test]
fn sockets_are_marked_before_they_are_connected_and_loopback_is_not() {
    let world = World::empty();
    let Some(mut program) = start(&world, &[MARK]).filter(|_| is_connected()) else { return };
    for (address, marks) in [
        ("198.51.100.1", "IP_TOS 28 IPV6_TCLASS -1"),
        ("::ffff:198.51.100.1", "IP_TOS 28 IPV6_TCLASS 0"),
        ("127.0.0.1", "IP_TOS 0 IPV6_TCLASS -1"),
        ("::ffff:127.0.0.1", "IP_TOS 0 IPV6_TCLASS 0"),
    ] {
        assert_eq!(program.does(&format!("connect 0 {address}")), DONE, "{address}");
        assert_eq!(program.does("marks 0"), marks, "{address}");
    }
    // The socket is marked whether or not the network is reachable.
    let said = program.does("connect 0 2001:db8::1");
    assert!(said.ends_with("connected"), "{said}");
    assert_eq!(program.does("marks 0"), "IP_TOS 0 IPV6_TCLASS 28");
    assert_eq!(program.ends(), Some(0));
}

/// Programs such as ssh mark their sockets, and some set the ECN bits (RFC 3168) of datagrams.
#[test]
fn a_program_that_marks_its_sockets_itself_keeps_the_bits_for_congestion() {
    let world = World::empty();
    let Some(mut program) = start(&world, &[MARK]).filter(|_| is_connected()) else { return };
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    assert_eq!(program.does("tos 0 185"), "set 0");
    assert_eq!(program.does("marks 0"), "IP_TOS 29 IPV6_TCLASS -1");
    // The program sets the byte before it connects.
    assert_eq!(program.does("connect 1 198.51.100.1 186"), DONE);
    assert_eq!(program.does("marks 1"), "IP_TOS 30 IPV6_TCLASS -1");
    assert_eq!(program.ends(), Some(0));
}

#[test]
fn without_an_application_or_a_controller_nothing_changes() {
    let world = World::empty();
    for variables in [vec![], vec![("SABA_APP", "all"), ("SABA_CONTROLLER", "nowhere")], vec![MARK]]
    {
        let Some(mut program) = Program::start(&variables) else { return };
        program.does("connect 0 198.51.100.1");
        assert_eq!(program.does("marks 0"), "IP_TOS 0 IPV6_TCLASS -1");
        assert_eq!(program.does("threads"), "threads 1");
    }
    let Some(mut program) = start(&world, &[]) else { return };
    assert_eq!(program.does("connect 0 127.0.0.1"), DONE);
    assert_eq!(program.does("threads"), "threads 1", "nothing to say, so nobody to say it");
    program.does("connect 1 198.51.100.1");
    assert_eq!(program.does("marks 1"), "IP_TOS 0 IPV6_TCLASS -1");
    assert_eq!(program.ends(), Some(0));
}

#[test]
fn the_controller_knows_what_is_open() {
    let mut world = World::empty();
    world.start();
    let log = world.folder.path().join("log").display().to_string();
    let more = [ITS_MARK, ("SABA_LOG", log.as_str())];
    let Some(mut program) = start(&world, &more).filter(|_| is_connected()) else { return };
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    let ends = |core: &bandwise_controller::core::Core| {
        core.state()
            .connections()
            .map(|of| (of.1.from.clone(), of.1.to.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(world.inspect(ends), [("h0".into(), "h1".into())]);
    // An unknown host, loopback, and one more host.
    assert_eq!(program.does("connect 1 198.51.100.2"), DONE);
    assert_eq!(program.does("connect 2 127.0.0.1"), DONE);
    assert_eq!(program.does("connect 3 ::ffff:198.51.100.1"), DONE);
    has_connections(&world, 2);
    // A connection is open as long as one of its descriptors.
    assert_eq!(program.does("dup 0 4"), "dup 1");
    assert_eq!(program.does("close 0"), "closed 0");
    assert_eq!(program.does("close 3"), "closed 0");
    has_connections(&world, 1);
    assert_eq!(program.does("close 4"), "closed 0");
    has_connections(&world, 0);
    // The program closes the descriptor unnoticed.
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.does("unseen 0"), "closed 0");
    has_connections(&world, 0);
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    program.told("exit");
    assert_eq!(program.ends(), Some(3));
    // The client ends at once, not with its lease.
    world.until(|core| core.state().clients().len() == 0);
    let log = std::fs::read_to_string(&log).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("connections to 198.51.100.2: "), "{log}");
}

/// A program with LD_PRELOAD alone, such as a cluster's executor, gets its mark from the controller.
#[test]
fn a_mark_that_was_not_handed_over_comes_late_and_from_a_controller_that_comes_late() {
    let mut world = World::empty();
    let Some(mut program) = start(&world, &[]).filter(|_| is_connected()) else { return };
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    assert_eq!(program.does("marks 0"), "IP_TOS 0 IPV6_TCLASS -1");
    world.start();
    has_connections(&world, 1);
    while program.does("marks 0") != "IP_TOS 12 IPV6_TCLASS -1" {}
    assert_eq!(program.does("connect 1 198.51.100.1"), DONE);
    assert_eq!(program.does("marks 1"), "IP_TOS 12 IPV6_TCLASS -1");
    assert_eq!(program.ends(), Some(0));
}

#[test]
fn processes_of_a_job_are_one_application() {
    let mut world = World::empty();
    world.start();
    let job = ("SABA_JOB", "noon");
    if !is_connected() {
        return;
    }
    let started = || start(&world, &[ITS_MARK, job]);
    let (Some(mut first), Some(mut second)) = (started(), started()) else { return };
    for program in [&mut first, &mut second] {
        assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    }
    has_connections(&world, 2);
    // Each process is a client with a registration, and both are parts of one job.
    let wholes = |core: &bandwise_controller::core::Core| {
        core.state().applications().map(|of| of.1.job.as_ref().unwrap().whole).collect::<Vec<_>>()
    };
    let there = world.inspect(wholes);
    assert_eq!(there.len(), 2);
    assert_eq!(there[0], there[1]);
    first.ends();
    has_connections(&world, 1);
    assert_eq!(world.inspect(wholes), there[1..]);
    second.ends();
    world.until(|core| core.state().applications().len() == 0);
}

#[test]
fn a_child_begins_anew() {
    let mut world = World::empty();
    world.start();
    let Some(mut program) = start(&world, &[ITS_MARK]).filter(|_| is_connected()) else { return };
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.does("fork"), "child");
    assert_eq!(program.does("threads"), "threads 1");
    // The parent's connection stays the parent's, whatever the child does.
    assert_eq!(program.does("marks 0"), "IP_TOS 12 IPV6_TCLASS -1");
    assert_eq!(program.does("tos 0 184"), "set 0");
    assert_eq!(program.does("marks 0"), "IP_TOS 184 IPV6_TCLASS -1", "nothing is known of it");
    assert_eq!(program.does("close 0"), "closed 0");
    assert_eq!(program.does("connect 1 198.51.100.1"), DONE);
    world.until(|core| core.state().clients().len() == 2);
    has_connections(&world, 2);
    program.told("exit");
    assert_eq!(program.hears(), "parent 3");
    has_connections(&world, 1);
    // A child that shares the parent's memory closes all its descriptors.
    assert_eq!(program.does("vfork"), "parent 5");
    assert_eq!(program.does("connect 2 198.51.100.1"), DONE);
    has_connections(&world, 2);
    assert_eq!(program.ends(), Some(0));
}

/// Daemons close all descriptors; they must not close or see the library's own.
#[test]
fn a_program_that_closes_all_closes_its_own() {
    let mut world = World::empty();
    world.start();
    let Some(mut program) = start(&world, &[ITS_MARK]).filter(|_| is_connected()) else { return };
    // Closes the descriptors inherited from the test's starter.
    program.does("closes 3 4096");
    assert_eq!(program.does("lowest"), "lowest 3");
    for (closes, said) in [("closes 3 4096", "closed 1"), ("range 3", "closed 0")] {
        assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
        has_connections(&world, 1);
        assert_eq!(program.does(closes), said);
        has_connections(&world, 0);
        assert_eq!(program.does("lowest"), "lowest 3", "the library's own is out of the way");
    }
    assert_eq!(world.inspect(|core| core.state().clients().len()), 1, "it is the same client");
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.ends(), Some(0));
}

/// A controller that accepts connections and never answers.
#[test]
fn a_controller_that_hangs_holds_nobody_up() {
    let world = World::empty();
    let _hangs = std::os::unix::net::UnixListener::bind(world.socket()).unwrap();
    let Some(mut program) = start(&world, &[MARK]).filter(|_| is_connected()) else { return };
    for _ in 0..100 {
        assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
        assert_eq!(program.does("marks 0"), "IP_TOS 28 IPV6_TCLASS -1");
        assert_eq!(program.does("close 0"), "closed 0");
    }
    program.told("exit");
    assert_eq!(program.ends(), Some(3));
}
