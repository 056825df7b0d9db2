//! [`Wire`] and [`Kernel`]: the transport of requests to a kernel, and the requests of a visit.

use crate::htb::netlink::{Answer, NoAnswer, Object, Request, classes, filters, root};
use crate::htb::{Change, Root};
use std::io;

/// A transport of rtnetlink datagrams to the kernel of one network namespace.
pub trait Wire {
    /// Returns the number of a device.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::NotFound`] if there is no such device.
    fn device(&mut self, name: &str) -> io::Result<u32>;

    /// Sends a request.
    ///
    /// # Errors
    ///
    /// Returns the error of the socket.
    fn send(&mut self, datagram: &[u8]) -> io::Result<()>;

    /// Waits for the next datagram.
    ///
    /// # Errors
    ///
    /// Returns the error of the socket, or a timeout.
    fn receive(&mut self) -> io::Result<Vec<u8>>;
}

/// The reason for which a port could not be written or read, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason(pub String);

impl From<NoAnswer> for Reason {
    fn from(why: NoAnswer) -> Self {
        Reason(why.to_string())
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Self {
        Reason(error.to_string())
    }
}

/// A wire, with the number of the last request.
#[derive(Debug)]
pub struct Kernel<W> {
    wire: W,
    number: u32,
}

impl<W: Wire> Kernel<W> {
    /// Returns a kernel to which no requests were sent.
    pub fn new(wire: W) -> Self {
        Kernel { wire, number: 0 }
    }

    /// Returns the wire.
    pub(super) fn wire(&mut self) -> &mut W {
        &mut self.wire
    }

    /// Makes changes at a device, in order up to the first that is refused, and then reads the configuration.
    ///
    /// # Errors
    ///
    /// Returns the refusal of the kernel, or the reason why the kernel could not be asked.
    pub fn visit(&mut self, device: &str, changes: &[Change]) -> Result<Root, Reason> {
        let number = self.wire.device(device).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Reason(format!("there is no device {device}")),
            _ => Reason(format!("{device}: {error}")),
        })?;
        for change in changes {
            self.ask(&Request::change(number, change)).map_err(|Reason(why)| {
                let line = change.line(device);
                Reason(format!("{why} (tc {line})"))
            })?;
        }
        self.read(number)
    }

    fn read(&mut self, device: u32) -> Result<Root, Reason> {
        let unreadable = |error| Reason::from(NoAnswer::from(error));
        let mut read = root(device, &self.ask(&Request::qdiscs())?).map_err(unreadable)?;
        if let Root::Saba(tree) = &mut read {
            classes(tree, &self.ask(&Request::classes(device))?).map_err(unreadable)?;
            filters(tree, &self.ask(&Request::filters(device))?).map_err(unreadable)?;
        }
        Ok(read)
    }

    fn ask(&mut self, request: &Request) -> Result<Vec<Object>, Reason> {
        self.number = self.number.wrapping_add(1);
        self.wire.send(&request.encode(self.number))?;
        let mut answer = Answer::new(self.number);
        while !answer.take(&self.wire.receive()?)? {}
        Ok(answer.into_objects())
    }
}
