//! The addresses of a controller's host, from the system's resolver in a process of its own: `getent`. In the program,
//! the resolver would hold locks that a forked child could find taken.

// The process is created by `clone`.
#![allow(unsafe_code)]

use libc::{c_char, c_int, c_void};
use std::ffi::CString;
use std::io::{self, Read};
use std::net::IpAddr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null;
use std::time::{Duration, Instant};

/// The places of `getent`, which comes with the C library.
const PROGRAMS: [&std::ffi::CStr; 3] =
    [c"/usr/bin/getent", c"/bin/getent", c"/run/current-system/sw/bin/getent"];

/// The time after which the resolver is stopped.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The most that is read, in bytes.
const MAX_ANSWER: u64 = 1 << 16;

/// The arguments of the new process.
struct Start {
    arguments: [*const c_char; 4],
    output: c_int,
}

/// A process that the program's `wait` does not see, as it ends without a signal.
struct Process(libc::pid_t);

impl Process {
    fn start(start: &Start) -> io::Result<Process> {
        /// Enough for the system calls of [`run`].
        const STACK: usize = 64 << 10;
        let mut stack = vec![0u128; STACK / size_of::<u128>()];
        let top = stack.as_mut_ptr_range().end.cast::<c_void>();
        let data = (&raw const *start).cast_mut().cast();
        // SAFETY: `run` uses this stack and `start` until it executes another program or ends. This thread waits for
        // that (`CLONE_VFORK`).
        let id = unsafe { libc::clone(run, top, libc::CLONE_VM | libc::CLONE_VFORK, data) };
        if id < 0 { Err(io::Error::last_os_error()) } else { Ok(Process(id)) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SAFETY: the process is this one's child, and nobody else waits for it.
        unsafe {
            libc::kill(self.0, libc::SIGKILL);
            while libc::waitpid(self.0, std::ptr::null_mut(), libc::__WALL) < 0
                && crate::system::Errno::get() == libc::EINTR
            {}
        }
    }
}

/// Executes the resolver, in memory that is shared with the parent.
extern "C" fn run(start: *mut c_void) -> c_int {
    // SAFETY: `start` is the one of `Process::start`, which waits. System calls only are made.
    unsafe {
        let start = &*start.cast::<Start>();
        libc::syscall(libc::SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        libc::syscall(libc::SYS_dup3, start.output, 1, 0);
        let environment = [null::<c_char>()];
        for program in PROGRAMS {
            libc::execve(program.as_ptr(), start.arguments.as_ptr(), environment.as_ptr());
        }
        libc::syscall(libc::SYS_exit, 127);
    }
    127
}

/// Returns the addresses of a host.
pub(crate) fn addresses(host: &str) -> io::Result<Vec<IpAddr>> {
    let name = CString::new(host)?;
    let arguments = [c"getent".as_ptr(), c"ahosts".as_ptr(), name.as_ptr(), null()];
    let mut pipe = [0; 2];
    // SAFETY: the call writes two descriptors, which are nobody else's.
    let (mut output, input) = unsafe {
        if libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        (std::fs::File::from_raw_fd(pipe[0]), OwnedFd::from_raw_fd(pipe[1]))
    };
    let process = Process::start(&Start { arguments, output: input.as_raw_fd() })?;
    drop(input);
    let (mut answer, began) = (Vec::new(), Instant::now());
    loop {
        let left = TIMEOUT.saturating_sub(began.elapsed());
        if !crate::system::is_ready(output.as_raw_fd(), left) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the resolver does not answer"));
        }
        let mut some = [0; 4096];
        match output.read(&mut some)? {
            0 => break,
            length => answer.extend_from_slice(&some[..length]),
        }
        if answer.len() as u64 > MAX_ANSWER {
            break;
        }
    }
    drop(process);
    let addresses = parse(&String::from_utf8_lossy(&answer));
    match addresses.is_empty() {
        true => Err(io::Error::other(format!("getent knows no address of {host}"))),
        false => Ok(addresses),
    }
}

/// Reads the output of `getent ahosts`: an address and a kind of socket in each line.
fn parse(text: &str) -> Vec<IpAddr> {
    let mut addresses = Vec::new();
    for address in text.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_is_read_once() {
        let text = "::1             STREAM localhost\n::1             DGRAM\n127.0.0.1       STREAM\nnonsense\n\n";
        let wanted: Vec<IpAddr> = vec!["::1".parse().unwrap(), "127.0.0.1".parse().unwrap()];
        assert_eq!(parse(text), wanted);
    }

    #[test]
    fn names_are_resolved_in_a_process() {
        let addresses = addresses("localhost").unwrap();
        assert!(addresses.iter().all(IpAddr::is_loopback), "{addresses:?}");
        let error = super::addresses("no-such-host.invalid").unwrap_err().to_string();
        assert_eq!(error, "getent knows no address of no-such-host.invalid");
        assert!(super::addresses("a\0b").is_err());
    }
}
