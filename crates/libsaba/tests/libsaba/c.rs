//! A C program with the library.

use crate::world::World;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the folder in which cargo has put the library: beside the test, or one up.
fn library() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let folders = own.ancestors().skip(1).take(2);
    let there = |folder: &Path| folder.join("libsaba.so");
    folders.map(there).find(|path| path.exists()).expect("cargo has built it")
}

#[test]
fn a_c_program_is_registered_while_it_sends() {
    if !Command::new("cc")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|of| of.success())
    {
        println!("SKIP a program in C: there is no cc");
        return;
    }
    let mut world = World::empty();
    let (program, library) = (world.folder.path().join("sender"), library());
    let status = Command::new("cc")
        .args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(here())
        .arg(here().join("examples/sender.c"))
        .arg(&library)
        .arg("-o")
        .arg(&program)
        .status();
    assert!(status.unwrap().success());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let run = |world: &World, name: &str| {
        Command::new(&program)
            .args([name, "h1", "127.0.0.1", &port])
            .env("SABA_CONTROLLER", format!("unix:{}", world.socket().display()))
            .env("SABA_HOST", "h0")
            .env("LD_LIBRARY_PATH", library.parent().unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let first = |child: &mut std::process::Child| {
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        line
    };
    // No controller is running.
    let mut child = run(&world, "all");
    assert_eq!(first(&mut child), "level -1, dscp -1, IP_TOS 0\n");
    drop(listener.accept().unwrap());
    let alone = child.wait_with_output().unwrap();
    assert!(alone.status.success());
    let message = String::from_utf8(alone.stderr).unwrap();
    assert!(
        message.starts_with("no controller answers: unix:/") && message.contains("No such"),
        "{message}"
    );
    world.start();
    let mut child = run(&world, "all");
    assert_eq!(first(&mut child), "level 0, dscp 3, IP_TOS 12\n");
    world.until(|core| core.state().connections().len() == 1);
    drop(listener.accept().unwrap());
    assert_eq!(child.wait_with_output().unwrap().stderr, b"");
    world.until(|core| core.state().clients().len() == 0);
    let refused = run(&world, "none").wait_with_output().unwrap();
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(message.contains("no application called \"none\""), "{message}");
}
