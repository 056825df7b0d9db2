//! Programs that replace functions of the loader, or look functions up before the library is ready.

use crate::run::{is_connected, ran_c};
use crate::world::World;
use crate::{DONE, MARK, start_c};

/// A program's own `dl_iterate_phdr` looks up the original one. So the library must not call it to find `dlsym`.
#[test]
fn program_with_its_own_dl_iterate_phdr_runs() {
    for app in ["", "all"] {
        let Some(output) = ran_c("iterates.c", &[], &[("SABA_APP", app)]) else { return };
        assert_eq!(output, "found 2 libraries 1\n", "SABA_APP={app}");
    }
}

/// The runtime of the thread sanitizer replaces most functions of the C library, and looks the original ones up before
/// it can be called itself. It takes the library's threads for faulty ones, so there are none.
#[test]
fn program_with_the_thread_sanitizer_runs() {
    let found = std::process::Command::new("cc").arg("-print-file-name=libtsan.so").output();
    if !found.is_ok_and(|output| output.stdout.starts_with(b"/")) {
        println!("SKIP a program with the thread sanitizer: there is no libtsan");
        return;
    }
    let Some(output) = ran_c("program.c", &["-fsanitize=thread"], &[]) else { return };
    assert_eq!(output, "");
    let world = World::empty();
    let log = world.folder.path().join("log");
    let more = [MARK, ("SABA_LOG", log.to_str().unwrap())];
    let sanitized = start_c(&world, "program.c", &["-fsanitize=thread"], &[], &more);
    let Some(mut program) = sanitized.filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    assert_eq!(program.request("marks 0"), "IP_TOS 28 IPV6_TCLASS -1");
    assert_eq!(program.request("threads"), "threads 1");
    assert_eq!(program.ends(), Some(0), "the sanitizer has found nothing");
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(
        log.ends_with(": connections are not reported: the program has \"__tsan_init\"\n"),
        "{log}"
    );
}
