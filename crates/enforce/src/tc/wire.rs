//! [`Wire`] and [`Kernel`]: the transport of requests to a kernel, and the requests of a visit.

use crate::ets::Hardware;
use crate::htb::netlink::{
    Answer, NoAnswer, Object, Request, classes, filters, hardware_root, priorities, root, switch,
};
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

    /// Makes changes at a device, in order and in one datagram, and then reads the configuration.
    ///
    /// The kernel handles all messages of a datagram before the system call returns, so a signal that ends this process
    /// leaves all changes made or none. A refused one does not stop those after it.
    ///
    /// # Errors
    ///
    /// Returns the first refusal of the kernel, or the reason why the kernel could not be asked.
    pub fn visit(&mut self, device: &str, changes: &[Change]) -> Result<Root, Reason> {
        let number = self.wire.device(device).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Reason(format!("there is no device {device}")),
            _ => Reason(format!("{device}: {error}")),
        })?;
        self.change(number, device, changes)?;
        self.read(number, device)
    }

    /// Makes changes in one datagram, and waits until the kernel has handled the last one.
    fn change(&mut self, device: u32, name: &str, changes: &[Change]) -> Result<(), Reason> {
        let Some((last, others)) = changes.split_last() else { return Ok(()) };
        let (mut batch, mut answers) = (Vec::new(), Vec::new());
        // The kernel reports each refusal, and here the success of the last change only: it has no room for the
        // acknowledgements of a large tree.
        let requests = others.iter().map(|change| Request::change(device, change).quiet());
        for request in requests.chain([Request::change(device, last)]) {
            self.number = self.number.wrapping_add(1);
            batch.extend(request.encode(self.number));
            batch.resize(batch.len().next_multiple_of(4), 0);
            answers.push(Answer::new(self.number));
        }
        self.wire.send(&batch)?;
        let mut refusal = None;
        loop {
            let datagram = self.wire.receive()?;
            let mut is_over = false;
            for (at, answer) in answers.iter_mut().enumerate() {
                let taken = answer.take(&datagram);
                is_over = at + 1 == changes.len() && !matches!(taken, Ok(false));
                if let Err(why) = taken {
                    let line = changes[at].line(name);
                    refusal.get_or_insert(Reason(format!("{why} (tc {line})")));
                }
            }
            if is_over {
                return refusal.map_or(Ok(()), Err);
            }
        }
    }

    fn read(&mut self, device: u32, name: &str) -> Result<Root, Reason> {
        let unreadable = |error| Reason::from(NoAnswer::from(error));
        let switch = switch(device, &self.ask(&Request::link(device))?).map_err(unreadable)?;
        let qdiscs = self.ask(&Request::qdiscs())?;
        if let Some(switch) = switch {
            let there = hardware_root(device, &qdiscs).map_err(unreadable)?;
            let read = self.ask(&Request::priorities(name));
            let priorities = read.and_then(|read| priorities(&read).map_err(unreadable));
            let priorities = priorities.map_err(|Reason(why)| why);
            return Ok(Root::Hardware(Box::new(Hardware { switch, there, priorities })));
        }
        let mut read = root(device, &qdiscs).map_err(unreadable)?;
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
