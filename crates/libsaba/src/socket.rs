//! [`Socket`]: a stream to a controller whose operations end at a deadline.

use crate::Resolve;
use socket2::{Domain, SockAddr, SockRef, Type};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// A connected stream. Operations fail after the deadline, however slowly the controller sends.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: Family,
    deadline: Instant,
}

#[derive(Debug)]
enum Family {
    Unix(UnixStream),
    Tcp(TcpStream),
}

/// Returns whether an operation failed because of its deadline.
pub(crate) fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Returns the time until the deadline, which is not zero.
fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    Some(left).filter(|left| !left.is_zero()).ok_or_else(|| ErrorKind::TimedOut.into())
}

/// Returns the addresses of a host with a port.
fn addresses(host: &str, resolve: Option<Resolve>) -> io::Result<Vec<SocketAddr>> {
    if let (Some(resolve), Some((name, port))) = (resolve, host.rsplit_once(':'))
        && host.parse::<SocketAddr>().is_err()
        && let Ok(port) = port.parse()
    {
        return Ok(resolve(name)?.into_iter().map(|address| (address, port).into()).collect());
    }
    Ok(host.to_socket_addrs()?.collect())
}

impl Socket {
    /// Connects to a Unix socket. A controller that accepts nothing leaves connections waiting, so this has a deadline
    /// too.
    pub(crate) fn unix(path: &Path, deadline: Instant) -> io::Result<Socket> {
        let address = SockAddr::unix(path)?;
        let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.set_write_timeout(Some(left(deadline)?))?;
        socket.connect(&address)?;
        let stream = Family::Unix(UnixStream::from(OwnedFd::from(socket)));
        Ok(Socket { stream, deadline })
    }

    /// Connects to the first address of a host that accepts. Each address gets an equal part of the time. The time of
    /// the resolver, by default the system's, is not limited.
    pub(crate) fn tcp(
        host: &str,
        resolve: Option<Resolve>,
        deadline: Instant,
    ) -> io::Result<Socket> {
        let mut last = io::Error::from(ErrorKind::NotFound);
        let addresses = addresses(host, resolve)?;
        for (address, others) in addresses.iter().zip((1..=addresses.len() as u32).rev()) {
            match TcpStream::connect_timeout(address, left(deadline)? / others) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(Socket { stream: Family::Tcp(stream), deadline });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Sets the deadline of all further operations.
    pub(crate) fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.stream {
            Family::Unix(stream) => stream.as_fd(),
            Family::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        SockRef::from(&*self).set_read_timeout(Some(left(self.deadline)?))?;
        match &mut self.stream {
            Family::Unix(stream) => stream.read(to),
            Family::Tcp(stream) => stream.read(to),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        SockRef::from(&*self).set_write_timeout(Some(left(self.deadline)?))?;
        match &mut self.stream {
            Family::Unix(stream) => stream.write(bytes),
            Family::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
