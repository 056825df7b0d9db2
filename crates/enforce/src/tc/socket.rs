//! [`Socket`]: a socket of rtnetlink, in the network namespace of the thread that opens it.

use super::reach::unanswered;
use super::wire::Wire;
use netlink_sys::{SocketAddr, protocols::NETLINK_ROUTE};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::netdevice::name_to_index;
use std::io;
use std::time::{Duration, Instant};

/// A socket of rtnetlink.
#[derive(Debug)]
pub(super) struct Socket {
    socket: netlink_sys::Socket,
    /// Until when an answer counts.
    deadline: Instant,
}

/// As much as the kernel puts into a datagram of a dump at most (NLMSG_GOODSIZE, and 32 KiB to a reader that takes
/// that much at once).
const LARGEST: usize = 32 << 10;

impl Socket {
    /// Opens one in this thread's network namespace. It stays there wherever it is used.
    pub(super) fn open() -> io::Result<Self> {
        let mut socket = netlink_sys::Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        // The kernel's words with its refusals, and no copy of what it refuses. Both are since Linux 4.12; where they
        // are not, there are fewer words.
        let _ = socket.set_ext_ack(true);
        let _ = socket.set_cap_ack(true);
        Ok(Socket { socket, deadline: Instant::now() })
    }

    /// From now on answers count until then, and nothing is sent later.
    pub(super) fn until(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(unanswered()) } else { Ok(left) }
    }
}

impl Wire for Socket {
    fn device(&mut self, name: &str) -> io::Result<u32> {
        name_to_index(&self.socket, name).map_err(|error| match error {
            rustix::io::Errno::NODEV => io::ErrorKind::NotFound.into(),
            error => error.into(),
        })
    }

    fn send(&mut self, datagram: &[u8]) -> io::Result<()> {
        // Whoever asked may have given up meanwhile, and must not be surprised by a late change.
        self.left()?;
        self.socket.send(datagram, 0).map(drop)
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let left = Timespec::try_from(self.left()?).map_err(io::Error::other)?;
            let mut ready = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut ready, Some(&left)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => break,
                Err(error) => return Err(error.into()),
            }
        }
        let mut datagram = Vec::with_capacity(LARGEST);
        self.socket.recv(&mut datagram, 0)?;
        Ok(datagram)
    }
}
