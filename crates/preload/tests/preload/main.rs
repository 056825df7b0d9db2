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

/// A mark as `saba run` hands it over, and one that the controller of these tests would say.
const MARK: (&str, &str) = ("SABA_MARK", "level=1,dscp=7");
const ITS_MARK: (&str, &str) = ("SABA_MARK", "level=0,dscp=3");
const DONE: &str = "0 77 connected";

/// Hosts of the controller at addresses that are nobody's.
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
    // Marked whether or not there is a way.
    let said = program.does("connect 0 2001:db8::1");
    assert!(said.ends_with("connected"), "{said}");
    assert_eq!(program.does("marks 0"), "IP_TOS 0 IPV6_TCLASS 28");
    assert_eq!(program.ends(), Some(0));
}

/// As ssh does, and who speaks of congestion (RFC 3168) in datagrams.
#[test]
fn a_program_that_marks_its_sockets_itself_keeps_the_bits_for_congestion() {
    let world = World::empty();
    let Some(mut program) = start(&world, &[MARK]).filter(|_| is_connected()) else { return };
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    assert_eq!(program.does("tos 0 185"), "set 0");
    assert_eq!(program.does("marks 0"), "IP_TOS 29 IPV6_TCLASS -1");
    // Before, with a byte of its own.
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
    // Nobody whom it knows; loopback; and one more.
    assert_eq!(program.does("connect 1 198.51.100.2"), DONE);
    assert_eq!(program.does("connect 2 127.0.0.1"), DONE);
    assert_eq!(program.does("connect 3 ::ffff:198.51.100.1"), DONE);
    has_connections(&world, 2);
    // It is open as long as one descriptor of it is.
    assert_eq!(program.does("dup 0 4"), "dup 1");
    assert_eq!(program.does("close 0"), "closed 0");
    assert_eq!(program.does("close 3"), "closed 0");
    has_connections(&world, 1);
    assert_eq!(program.does("close 4"), "closed 0");
    has_connections(&world, 0);
    // By a way that the library does not see.
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.does("unseen 0"), "closed 0");
    has_connections(&world, 0);
    assert_eq!(program.does("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    program.told("exit");
    assert_eq!(program.ends(), Some(3));
    // At once, and not when the lease ends.
    world.until(|core| core.state().clients().len() == 0);
    let log = std::fs::read_to_string(&log).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("connections to 198.51.100.2: "), "{log}");
}

/// Who has LD_PRELOAD alone, as executors of a cluster: the mark comes when the controller has said it.
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
    // Each process is a client that has registered a part, and both are parts of one.
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
    // The parent's connection is the parent's, whatever the child does with it.
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
    // One that shares the parent's memory, and closes all that it has.
    assert_eq!(program.does("vfork"), "parent 5");
    assert_eq!(program.does("connect 2 198.51.100.1"), DONE);
    has_connections(&world, 2);
    assert_eq!(program.ends(), Some(0));
}

/// Daemons do, and must neither close what the library speaks by nor find it.
#[test]
fn a_program_that_closes_all_closes_its_own() {
    let mut world = World::empty();
    world.start();
    let Some(mut program) = start(&world, &[ITS_MARK]).filter(|_| is_connected()) else { return };
    // What it has of whoever started the tests.
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

/// One that takes connections and never answers.
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
