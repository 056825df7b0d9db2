//! A program with queue pairs, over a substitute for libibverbs.

use crate::run::{compiled, library};
use crate::world::World;
use crate::{has_connections, variables};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Builds the program and its substitute library in a folder.
fn built(folder: &Path, more: &[&str]) -> Option<PathBuf> {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload/ibverbs.map");
    let script = format!("-Wl,--version-script={}", map.display());
    let verbs = folder.join("libibverbs.so.1");
    compiled("ibverbs.c", &["-shared", "-fPIC", "-Wl,-soname,libibverbs.so.1", &script], &verbs)?;
    compiled("pairs.c", more, &folder.join("pairs"))
}

/// A running program, and the line about its queue pair.
struct Pairs {
    child: Child,
    lines: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    modified: String,
}

fn start(world: &World, command: &mut Command) -> Pairs {
    command.env("LD_LIBRARY_PATH", world.folder.path()).env("LD_PRELOAD", library());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (lines, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(answers).lines();
    let modified = answers.next().unwrap().unwrap();
    Pairs { child, lines, answers, modified }
}

/// Checks the program's output, and the number of reported queue pairs and address handles.
fn check(world: &World, command: &mut Command, seen: &str, connections: usize) {
    let wanted = format!("modify 0: {seen}");
    let mut pairs = start(world, command);
    // A program waits for the mark 100 ms, in which a busy machine may not bring it.
    for _ in 0..9 {
        if pairs.modified != wanted {
            drop(pairs.lines);
            pairs.child.wait().unwrap();
            world.until(|core| core.state().clients().len() == 0);
            pairs = start(world, command);
        }
    }
    let Pairs { mut child, mut lines, answers, modified } = pairs;
    let mut answers = answers.map(Result::unwrap);
    assert_eq!(modified, wanted);
    // The substitute accepts any level for an address handle.
    let handle = answers.next().unwrap();
    assert!(handle.starts_with("handle 1: sl "), "{handle}");
    has_connections(world, 2 * connections);
    writeln!(lines).unwrap();
    // Both objects stay, as they are in use.
    assert_eq!(answers.next().unwrap(), "busy 1");
    has_connections(world, 2 * connections);
    writeln!(lines).unwrap();
    assert_eq!(answers.next().unwrap(), "destroy handle 0");
    has_connections(world, connections);
    writeln!(lines).unwrap();
    assert_eq!(answers.next().unwrap(), "destroy 0");
    has_connections(world, 0);
    drop(lines);
    assert!(child.wait().unwrap().success());
}

#[test]
fn queue_pairs_and_address_handles_are_marked_and_reported() {
    let mut world = World::empty();
    world.start();
    let verbs = world.folder.path().join("libibverbs.so.1");
    let Some(program) = built(world.folder.path(), &[verbs.to_str().unwrap()]) else { return };
    let marked = [("SABA_MARK", "level=1,dscp=7,sl=5")];
    let cases = [
        // A path with a global header to a known host.
        ("::ffff:198.51.100.1", vec![marked[0]], "sl 5 class 28", 1),
        // A path within the subnet has no traffic class, and its peer is unknown.
        ("", vec![marked[0]], "sl 5 class 0", 0),
        // The device refuses the level, so the program's own is used.
        ("::ffff:198.51.100.1", vec![("SABA_MARK", "level=1,dscp=7,sl=9")], "sl 0 class 0", 1),
        // The levels that the user has set for NCCL and UCX stay.
        ("::ffff:198.51.100.1", vec![marked[0], ("UCX_IB_SL", "2")], "sl 0 class 28", 1),
        // No mark is inherited, so the program waits for it.
        ("::ffff:198.51.100.1", vec![], "sl 0 class 12", 1),
    ];
    for (address, more, seen, connections) in cases {
        let mut command = Command::new(&program);
        check(&world, command.arg(address).envs(variables(&world)).envs(more), seen, connections);
    }
}

/// Functions are looked up as by `bandwise`, and with versions as by NCCL.
#[test]
#[cfg(target_arch = "x86_64")]
fn queue_pairs_are_marked_with_functions_looked_up_at_run_time() {
    let mut world = World::empty();
    world.start();
    let Some(program) = built(world.folder.path(), &["-DLOOKED_UP"]) else { return };
    let marked = ("SABA_MARK", "level=1,dscp=7,sl=5");
    for versions in ["", "versions"] {
        let mut command = Command::new(&program);
        command.args(["::ffff:198.51.100.1", versions]).envs(variables(&world));
        check(&world, command.envs([marked]), "sl 5 class 28", 1);
        // Without an application the program gets the original functions.
        let mut command = Command::new(&program);
        command.args(["::ffff:198.51.100.1", versions]).envs([marked]);
        check(&world, &mut command, "sl 0 class 0", 0);
    }
}
