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
    /// The deadline of answers.
    deadline: Instant,
}

/// The largest datagram of a dump (NLMSG_GOODSIZE, or 32 KiB if the reader takes that much).
const LARGEST: usize = 32 << 10;

impl Socket {
    /// Opens a socket in the network namespace of this thread, to which it stays bound.
    pub(super) fn open() -> io::Result<Self> {
        let mut socket = netlink_sys::Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        // The kernel's text of refusals, without a copy of the refused request. Linux before 4.12 has no text.
        let _ = socket.set_ext_ack(true);
        let _ = socket.set_cap_ack(true);
        Ok(Socket { socket, deadline: Instant::now() })
    }

    /// Sets the deadline of answers. Nothing is sent after it.
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
        // The caller may have given up meanwhile, and does not expect a late change.
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
