//! C programs with the library.

use crate::DOUBT;
use crate::world::World;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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

/// Compiles a program, if there is a compiler.
fn compile(world: &World, source: &str) -> Option<PathBuf> {
    let version = Command::new("cc").arg("--version").stdout(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        println!("SKIP a program in C: there is no cc");
        return None;
    }
    let program = world.folder.path().join("program");
    let status = Command::new("cc")
        .args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"])
        .arg(here())
        .arg(here().join(source))
        .arg(library())
        .arg("-o")
        .arg(&program)
        .status();
    assert!(status.unwrap().success());
    Some(program)
}

/// Returns a command that runs a program on host `h0`.
fn on_h0(world: &World, program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("SABA_CONTROLLER", format!("unix:{}", world.socket().display()))
        .env("SABA_HOST", "h0")
        .env("LD_LIBRARY_PATH", library().parent().unwrap());
    command
}

#[test]
fn a_c_program_is_registered_while_it_sends() {
    let mut world = World::empty();
    let Some(program) = compile(&world, "examples/sender.c") else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let run = |world: &World, name: &str| {
        on_h0(world, &program)
            .args([name, "h1", "127.0.0.1", &port])
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
    let mut child = on_h0(&world, &program)
        .args(["all", "h1", "127.0.0.1", &port])
        .env("SABA_NODES", "4")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(listener.accept().unwrap());
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(message, format!("the model of all is doubtful:\n{DOUBT}\n"));
    child.wait().unwrap();
    world.until(|core| core.state().clients().len() == 0);
    let refused = run(&world, "none").wait_with_output().unwrap();
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(message.contains("no application called \"none\""), "{message}");
}

/// Runs a case of `life.c` with a controller. Returns its output, or `None` without a compiler.
fn life(case: &str) -> Option<(World, Output)> {
    let mut world = World::empty();
    let program = compile(&world, "tests/libsaba/life.c")?;
    world.start();
    let output = on_h0(&world, &program).arg(case).output().unwrap();
    Some((world, output))
}

/// Asserts that the program ended well, printed these lines, and has deregistered.
fn assert_lines(world: &World, output: &Output, lines: &[&str]) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().collect::<Vec<_>>(), lines, "{output:?}");
    assert!(output.status.success(), "{output:?}");
    world.until(|core| core.state().clients().len() == 0);
}

/// The results of all calls with a controller that refuses the second connection alone.
const ALL: &str = "0 0 no error, level 0, -1 h9";

#[test]
fn destructors_may_make_calls() {
    let Some((world, output)) = life("ends") else { return };
    let all =
        ["in it", "thread", "main", "atexit", "destructor"].map(|when| format!("{when}: {ALL}"));
    assert_lines(&world, &output, &all.each_ref().map(String::as_str));
}

#[test]
fn signals_are_left_to_the_program() {
    let Some((world, output)) = life("signals") else { return };
    // SIGTERM, and the program's thread has no other signal blocked.
    assert_lines(&world, &output, &["15", "0"]);
}

#[test]
fn a_forked_child_begins_anew() {
    let Some((world, output)) = life("forks") else { return };
    let (child, parent) = (format!("child: {ALL}"), format!("parent: {ALL}"));
    let lines =
        ["child: ''", "child: 0, level -1", "child: join 0", &child, "parent: 0, h9", &parent];
    assert_lines(&world, &output, &lines);
}

#[test]
fn doubts_are_cut_to_their_room() {
    let Some((world, output)) = life("doubts") else { return };
    assert_lines(&world, &output, &["1 1 xxxxxxx 1 'used' 0"]);
}
