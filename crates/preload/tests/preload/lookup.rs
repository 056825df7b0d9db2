//! Programs that replace functions of the loader, or look functions up before the library is ready.

use crate::run::ran_c;

/// A program's own `dl_iterate_phdr` looks up the original one. So the library must not call it to find `dlsym`.
#[test]
fn program_with_its_own_dl_iterate_phdr_runs() {
    for app in ["", "all"] {
        let Some(output) = ran_c("iterates.c", &[], &[("SABA_APP", app)]) else { return };
        assert_eq!(output, "found 2 libraries 1\n", "SABA_APP={app}");
    }
}

/// The runtime of the thread sanitizer replaces most functions of the C library, and looks the original ones up before
/// it can be called itself.
#[test]
fn program_with_the_thread_sanitizer_runs() {
    let found = std::process::Command::new("cc").arg("-print-file-name=libtsan.so").output();
    if !found.is_ok_and(|output| output.stdout.starts_with(b"/")) {
        println!("SKIP a program with the thread sanitizer: there is no libtsan");
        return;
    }
    for app in ["", "all"] {
        let Some(output) = ran_c("program.c", &["-fsanitize=thread"], &[("SABA_APP", app)]) else {
            return;
        };
        assert_eq!(output, "", "SABA_APP={app}");
    }
}
