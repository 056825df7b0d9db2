//! A program with queue pairs, over a library that stands in for libibverbs.

use crate::run::{compiled, library};
use crate::world::World;
use crate::{has_connections, variables};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn built(folder: &Path) -> Option<PathBuf> {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload/ibverbs.map");
    let script = format!("-Wl,--version-script={}", map.display());
    let verbs = folder.join("libibverbs.so.1");
    compiled("ibverbs.c", &["-shared", "-fPIC", "-Wl,-soname,libibverbs.so.1", &script], &verbs)?;
    compiled("pairs.c", &[verbs.to_str().unwrap()], &folder.join("pairs"))
}

#[test]
fn queue_pairs_and_address_handles_are_marked_and_known() {
    let mut world = World::empty();
    world.start();
    let Some(program) = built(world.folder.path()) else { return };
    let marked = [("SABA_MARK", "level=1,dscp=7,sl=5")];
    let cases = [
        // A way with a global header, to a host that is known.
        ("::ffff:198.51.100.1", vec![marked[0]], "sl 5 class 28", 1),
        // Within the subnet: nothing of it has a traffic class, and who is there is not known.
        ("", vec![marked[0]], "sl 5 class 0", 0),
        // The device takes no such level: as the program wanted it.
        ("::ffff:198.51.100.1", vec![("SABA_MARK", "level=1,dscp=7,sl=9")], "sl 0 class 0", 1),
        // What the user has told NCCL and UCX stays.
        ("::ffff:198.51.100.1", vec![marked[0], ("UCX_IB_SL", "2")], "sl 0 class 28", 1),
        // Nobody has handed a mark over: it is waited for.
        ("::ffff:198.51.100.1", vec![], "sl 0 class 12", 1),
    ];
    for (address, more, seen, connections) in cases {
        let mut command = Command::new(&program);
        command
            .arg(address)
            .env("LD_LIBRARY_PATH", world.folder.path())
            .env("LD_PRELOAD", library());
        command.envs(variables(&world)).envs(more);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut lines, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut answers = BufReader::new(answers).lines().map(Result::unwrap);
        assert_eq!(answers.next().unwrap(), format!("modify 0: {seen}, attr as before"));
        // The fake takes any level for a handle.
        let handle = answers.next().unwrap();
        assert!(handle.starts_with("handle 1: sl "), "{handle}");
        has_connections(&world, connections);
        writeln!(lines, "go on").unwrap();
        assert_eq!(answers.next().unwrap(), "destroy 0");
        has_connections(&world, 0);
        drop(lines);
        assert!(child.wait().unwrap().success());
    }
}
