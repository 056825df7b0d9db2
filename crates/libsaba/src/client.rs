//! [`Client`]: an application without a thread of its own.

use crate::session::Local;
use crate::speaker::Speaker;
use crate::{Error, Mark, Options};
use std::time::Duration;

/// An application that runs, for who has a thread already: nothing is said but in [`beat`](Self::beat), which has to
/// be called again and again. Not dropped but [ended](Self::end), it says goodbye.
#[derive(Debug)]
pub struct Client {
    speaker: Speaker,
    host: String,
}

/// A connection of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Opened(Local);

impl Client {
    /// An application is to be registered. Nothing is said yet. Fails if what the options say can't be used.
    pub fn new(name: &str, options: Options) -> Result<Client, Error> {
        let host = options.host_or_own();
        Ok(Client { speaker: options.speaker(name)?, host })
    }

    /// What packets of its connections are to carry, if a controller has said it.
    pub fn mark(&self) -> Option<Mark> {
        self.speaker.session.mark()
    }

    /// Why the controller refuses the application; it is not asked again.
    pub fn refused(&self) -> Option<&str> {
        self.speaker.session.refused()
    }

    /// Why no controller answers at any place, in words, if none does.
    pub fn away(&self) -> Option<String> {
        self.speaker.away()
    }

    /// There is a connection, on which data go from this host to another. None if no controller has said a mark yet.
    pub fn open(&mut self, to: &str) -> Option<Opened> {
        self.speaker.session.open(self.host.clone(), to.to_owned()).map(Opened)
    }

    /// A connection is gone.
    pub fn close(&mut self, opened: Opened) {
        self.speaker.session.close(opened.0);
    }

    /// Whether the controller knows a connection.
    pub fn is_known(&self, opened: Opened) -> bool {
        self.speaker.session.is_known(opened.0)
    }

    /// Why the controller refuses a connection; told once.
    pub fn refusal(&mut self, opened: Opened) -> Option<String> {
        self.speaker.session.refusal(opened.0)
    }

    /// Says what is to be said, if somebody hears it, and renews the lease. Takes some seconds for each place where a
    /// controller hangs.
    /// How long until it must be called again.
    pub fn beat(&mut self) -> Duration {
        self.speaker.say_if_there();
        self.speaker.beat()
    }

    /// Says goodbye, if somebody hears it; else the lease ends.
    pub fn end(mut self) {
        self.speaker.say_goodbye();
    }
}
