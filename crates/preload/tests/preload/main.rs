//! Programs under the library, and a controller with simulated switches.
//!
//! tests/lab/preload.sh checks the packets on a wire.

mod careful;
#[path = "../../../libsaba/tests/libsaba/certificates.rs"]
mod certificates;
mod https;
mod lookup;
mod messages;
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

/// Returns variables with unused addresses for the controller's hosts.
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

/// Builds and starts a program of this folder as an application of a world.
fn start_c(
    world: &World,
    name: &str,
    flags: &[&str],
    words: &[&str],
    more: &[(&'static str, &str)],
) -> Option<Program> {
    let path = run::compiled(name, flags, &world.folder.path().join("program"))?;
    let all = variables(world);
    let all = all.iter().map(|(name, value)| (*name, value.as_str()));
    Some(Program::of(&path, words, &all.chain(more.iter().copied()).collect::<Vec<_>>()))
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
        assert_eq!(program.request(&format!("connect 0 {address}")), DONE, "{address}");
        assert_eq!(program.request("marks 0"), marks, "{address}");
    }
    // The socket is marked whether or not the network is reachable.
    let response = program.request("connect 0 2001:db8::1");
    assert!(response.ends_with("connected"), "{response}");
    assert_eq!(program.request("marks 0"), "IP_TOS 0 IPV6_TCLASS 28");
    assert_eq!(program.ends(), Some(0));
}

/// Programs such as ssh mark their sockets, and some set the ECN bits (RFC 3168) of datagrams.
#[test]
fn marking_keeps_the_ecn_bits_of_a_program() {
    let world = World::empty();
    let Some(mut program) = start(&world, &[MARK]).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    assert_eq!(program.request("tos 0 185"), "set 0");
    assert_eq!(program.request("marks 0"), "IP_TOS 29 IPV6_TCLASS -1");
    // The program sets the byte before it connects.
    assert_eq!(program.request("connect 1 198.51.100.1 186"), DONE);
    assert_eq!(program.request("marks 1"), "IP_TOS 30 IPV6_TCLASS -1");
    assert_eq!(program.ends(), Some(0));
}

#[test]
fn program_without_application_or_controller_is_unchanged() {
    let world = World::empty();
    for variables in [vec![], vec![("SABA_APP", "all"), ("SABA_CONTROLLER", "nowhere")], vec![MARK]]
    {
        let Some(mut program) = Program::start(&variables) else { return };
        program.request("connect 0 198.51.100.1");
        assert_eq!(program.request("marks 0"), "IP_TOS 0 IPV6_TCLASS -1");
        assert_eq!(program.request("threads"), "threads 1");
    }
    let Some(mut program) = start(&world, &[]) else { return };
    assert_eq!(program.request("connect 0 127.0.0.1"), DONE);
    assert_eq!(program.request("threads"), "threads 1", "no connection to report, so no thread");
    program.request("connect 1 198.51.100.1");
    assert_eq!(program.request("marks 1"), "IP_TOS 0 IPV6_TCLASS -1");
    assert_eq!(program.ends(), Some(0));
}

#[test]
fn the_controller_knows_open_connections() {
    let mut world = World::empty();
    world.start();
    let log = world.folder.path().join("log").display().to_string();
    let more = [ITS_MARK, ("SABA_LOG", log.as_str())];
    let Some(mut program) = start(&world, &more).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    let ends = |core: &bandwise_controller::core::Core| {
        core.state()
            .connections()
            .map(|of| (of.1.from.clone(), of.1.to.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(world.inspect(ends), [("h0".into(), "h1".into())]);
    // An unknown host, loopback, and one more host.
    assert_eq!(program.request("connect 1 198.51.100.2"), DONE);
    assert_eq!(program.request("connect 2 127.0.0.1"), DONE);
    assert_eq!(program.request("connect 3 ::ffff:198.51.100.1"), DONE);
    has_connections(&world, 2);
    // A connection is open as long as one of its descriptors.
    assert_eq!(program.request("dup 0 4"), "dup 1");
    assert_eq!(program.request("close 0"), "closed 0");
    assert_eq!(program.request("close 3"), "closed 0");
    has_connections(&world, 1);
    assert_eq!(program.request("close 4"), "closed 0");
    has_connections(&world, 0);
    // The program closes the descriptor unnoticed.
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.request("unseen 0"), "closed 0");
    has_connections(&world, 0);
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    program.send("exit");
    assert_eq!(program.ends(), Some(3));
    // The client ends at once, not with its lease.
    world.until(|core| core.state().clients().len() == 0);
    let log = std::fs::read_to_string(&log).unwrap();
    let refused = log.lines().filter(|line| line.contains("connections to 198.51.100.2: "));
    assert_eq!(refused.count(), 1, "{log}");
}

/// A program with LD_PRELOAD alone, such as a cluster's executor, gets its mark from the controller.
#[test]
fn late_controller_marks_open_sockets() {
    let mut world = World::empty();
    let Some(mut program) = start(&world, &[]).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    assert_eq!(program.request("marks 0"), "IP_TOS 0 IPV6_TCLASS -1");
    world.start();
    has_connections(&world, 1);
    while program.request("marks 0") != "IP_TOS 12 IPV6_TCLASS -1" {}
    assert_eq!(program.request("connect 1 198.51.100.1"), DONE);
    assert_eq!(program.request("marks 1"), "IP_TOS 12 IPV6_TCLASS -1");
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
        assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
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
fn a_forked_child_registers_separately() {
    let mut world = World::empty();
    world.start();
    let Some(mut program) = start(&world, &[ITS_MARK]).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.request("fork"), "child");
    assert_eq!(program.request("threads"), "threads 1");
    // The child's calls do not affect the parent's connection.
    assert_eq!(program.request("marks 0"), "IP_TOS 12 IPV6_TCLASS -1");
    assert_eq!(program.request("tos 0 184"), "set 0");
    assert_eq!(
        program.request("marks 0"),
        "IP_TOS 184 IPV6_TCLASS -1",
        "the descriptor is unknown"
    );
    assert_eq!(program.request("close 0"), "closed 0");
    assert_eq!(program.request("connect 1 198.51.100.1"), DONE);
    world.until(|core| core.state().clients().len() == 2);
    has_connections(&world, 2);
    program.send("exit");
    assert_eq!(program.next_line(), "parent 3");
    has_connections(&world, 1);
    // A child that shares the parent's memory closes all its descriptors.
    assert_eq!(program.request("vfork"), "parent 5");
    assert_eq!(program.request("connect 2 198.51.100.1"), DONE);
    has_connections(&world, 2);
    assert_eq!(program.ends(), Some(0));
}

/// Daemons close all descriptors; they neither close nor see the library's own.
#[test]
fn closing_all_descriptors_spares_those_of_the_library() {
    let mut world = World::empty();
    world.start();
    let Some(mut program) = start(&world, &[ITS_MARK]).filter(|_| is_connected()) else { return };
    // Closes the descriptors inherited from the test's starter.
    program.request("closes 3 4096");
    assert_eq!(program.request("lowest"), "lowest 3");
    for (closes, response) in [("closes 3 4096", "closed 1"), ("range 3", "closed 0")] {
        assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
        has_connections(&world, 1);
        assert_eq!(program.request(closes), response);
        has_connections(&world, 0);
        assert_eq!(program.request("lowest"), "lowest 3", "the library has its own descriptors");
    }
    assert_eq!(
        world.inspect(|core| core.state().clients().len()),
        1,
        "the client was registered again"
    );
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.ends(), Some(0));
}

/// A controller that accepts connections and never answers.
#[test]
fn a_hanging_controller_delays_no_program() {
    let world = World::empty();
    let _hangs = std::os::unix::net::UnixListener::bind(world.socket()).unwrap();
    let Some(mut program) = start(&world, &[MARK]).filter(|_| is_connected()) else { return };
    for _ in 0..100 {
        assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
        assert_eq!(program.request("marks 0"), "IP_TOS 28 IPV6_TCLASS -1");
        assert_eq!(program.request("close 0"), "closed 0");
    }
    program.send("exit");
    assert_eq!(program.ends(), Some(3));
}
