//! The addresses of a controller's host, from the system's resolver in a process of its own: `getent`. In the program,
//! the resolver would hold locks that a forked child could find taken.

// The processes are created by `clone`.
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

/// The longest wait for the resolver, which ends when nobody reads its output.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The most that is read, in bytes.
const MAX_ANSWER: usize = 1 << 16;

/// Enough for the system calls of [`leave`] or [`execute`], in words that are aligned as a stack.
const STACK: usize = (64 << 10) / size_of::<u128>();

/// The arguments of the new processes.
struct Start {
    arguments: [*const c_char; 4],
    output: c_int,
    /// The end of the stack of [`execute`].
    stack: *mut c_void,
    /// There is no `getent`.
    is_absent: bool,
}

/// Creates a process in the memory of this one, which waits until the process ends or executes a program.
///
/// # Safety
///
/// `run` makes system calls only, on a stack that ends at `stack`, and `start` is valid.
unsafe fn process(
    run: extern "C" fn(*mut c_void) -> c_int,
    stack: *mut c_void,
    signal: c_int,
    start: *mut Start,
) -> libc::pid_t {
    // SAFETY: as the caller ensures.
    unsafe { libc::clone(run, stack, libc::CLONE_VM | libc::CLONE_VFORK | signal, start.cast()) }
}

/// Starts the resolver. It is no child of the program, whose `wait` would see it: its parent has ended already.
fn start(arguments: [*const c_char; 4], output: c_int) -> io::Result<()> {
    let mut stacks = [vec![0u128; STACK], vec![0u128; STACK]];
    let [outer, inner] = stacks.each_mut().map(|stack| stack.as_mut_ptr_range().end.cast());
    let mut start = Start { arguments, output, stack: inner, is_absent: false };
    // SAFETY: the stacks and `start` live until both processes have left this memory.
    let ended = unsafe {
        // Without a signal, `wait` of the program does not see this process either.
        let id = process(leave, outer, 0, &raw mut start);
        id > 0 && libc::waitpid(id, std::ptr::null_mut(), libc::__WALL) == id
    };
    if !ended {
        return Err(io::Error::last_os_error());
    }
    match start.is_absent {
        true => Err(io::Error::other("there is no getent to find the controller's address")),
        false => Ok(()),
    }
}

/// Starts the process that executes the resolver, and ends.
extern "C" fn leave(start: *mut c_void) -> c_int {
    let start = start.cast::<Start>();
    // SAFETY: `start` and its stack are those of the function `start`, which waits.
    unsafe { process(execute, (*start).stack, libc::SIGCHLD, start) }.min(0)
}

/// Executes the resolver.
extern "C" fn execute(start: *mut c_void) -> c_int {
    // SAFETY: `start` is that of the function `start`, which waits.
    unsafe {
        let start = &mut *start.cast::<Start>();
        libc::syscall(libc::SYS_dup3, start.output, 1, 0);
        let environment = [null::<c_char>()];
        for program in PROGRAMS {
            libc::execve(program.as_ptr(), start.arguments.as_ptr(), environment.as_ptr());
        }
        start.is_absent = true;
    }
    1
}

/// Reads the output of a process to its end.
fn read(output: &mut std::fs::File) -> io::Result<String> {
    let (mut answer, began) = (Vec::new(), Instant::now());
    while answer.len() < MAX_ANSWER {
        let left = TIMEOUT.saturating_sub(began.elapsed());
        if !crate::system::is_ready(output.as_raw_fd(), left) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the resolver does not answer"));
        }
        let mut some = [0; 4096];
        match output.read(&mut some)? {
            0 => break,
            length => answer.extend_from_slice(&some[..length]),
        }
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
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
    start(arguments, input.as_raw_fd())?;
    drop(input);
    let addresses = parse(&read(&mut output)?);
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
