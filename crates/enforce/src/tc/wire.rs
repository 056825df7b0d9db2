//! [`Wire`]: where requests to a kernel go, and what is asked over one.

use crate::htb::netlink::{Answer, NoAnswer, Object, Request, classes, filters, root};
use crate::htb::{Change, Root};
use std::io;

/// Carries datagrams of rtnetlink to the kernel of one network namespace.
pub trait Wire {
    /// The number of a device, by its name.
    fn device(&mut self, name: &str) -> io::Result<u32>;

    /// Sends a request.
    fn send(&mut self, datagram: &[u8]) -> io::Result<()>;

    /// Waits for the next datagram.
    fn receive(&mut self) -> io::Result<Vec<u8>>;
}

/// Why a port could not be written or read, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble(pub String);

impl From<NoAnswer> for Trouble {
    fn from(why: NoAnswer) -> Self {
        Trouble(why.to_string())
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble(error.to_string())
    }
}

/// A wire, and how many requests went over it.
#[derive(Debug)]
pub struct Kernel<W> {
    wire: W,
    number: u32,
}

impl<W: Wire> Kernel<W> {
    /// Over this wire; nothing was asked yet.
    pub fn new(wire: W) -> Self {
        Kernel { wire, number: 0 }
    }

    /// The wire.
    pub(super) fn wire(&mut self) -> &mut W {
        &mut self.wire
    }

    /// Makes changes at a device, one after another up to the first that is refused, and reads what stands there
    /// after the last.
    pub fn visit(&mut self, device: &str, changes: &[Change]) -> Result<Root, Trouble> {
        let number = self.wire.device(device).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Trouble(format!("there is no device {device}")),
            _ => Trouble(format!("{device}: {error}")),
        })?;
        for change in changes {
            self.ask(&Request::change(number, change)).map_err(|Trouble(why)| {
                let line = change.line(device);
                Trouble(format!("{why} (tc {line})"))
            })?;
        }
        self.read(number)
    }

    fn read(&mut self, device: u32) -> Result<Root, Trouble> {
        let unreadable = |error| Trouble::from(NoAnswer::from(error));
        let mut read = root(device, &self.ask(&Request::qdiscs())?).map_err(unreadable)?;
        if let Root::Saba(tree) = &mut read {
            classes(tree, &self.ask(&Request::classes(device))?).map_err(unreadable)?;
            filters(tree, &self.ask(&Request::filters(device))?).map_err(unreadable)?;
        }
        Ok(read)
    }

    fn ask(&mut self, request: &Request) -> Result<Vec<Object>, Trouble> {
        self.number = self.number.wrapping_add(1);
        self.wire.send(&request.encode(self.number))?;
        let mut answer = Answer::new(self.number);
        while !answer.take(&self.wire.receive()?)? {}
        Ok(answer.into_objects())
    }
}
