//! [`Client`]: an application without a thread of its own.

use crate::driver::Driver;
use crate::session::{Local, Session};
use crate::{Error, Mark, Options};
use std::time::Duration;

/// An application for programs with a thread of their own. It sends requests in [`poll`](Self::poll) alone, which has
/// to be called repeatedly. Dropping it does not deregister the application; [`end`](Self::end) does.
#[derive(Debug)]
pub struct Client {
    session: Session,
    driver: Driver,
    host: String,
}

/// A connection of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Opened(Local);

impl Client {
    /// Returns a client without sending anything.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] if an option is invalid.
    pub fn new(name: &str, options: Options) -> Result<Client, Error> {
        let host = options.host_or_own();
        let (session, driver) = options.session(name)?;
        Ok(Client { session, driver, host })
    }

    /// Returns the mark for packets of the application's connections, once a controller has assigned it.
    pub fn mark(&self) -> Option<Mark> {
        self.session.mark()
    }

    /// Returns the controller's doubts about the application's model for this run, as texts for people: it was measured
    /// on another number of hosts, or with another amount of data. Empty until a controller has registered the application.
    pub fn doubts(&self) -> &[String] {
        self.session.doubts()
    }

    /// Returns the reason if the controller refuses the application. A refused application is not
    /// registered again.
    pub fn refused(&self) -> Option<&str> {
        self.session.refused()
    }

    /// Returns the errors of all endpoints, if no controller is reachable.
    pub fn unreachable(&self) -> Option<String> {
        self.driver.unreachable()
    }

    /// Adds a connection from this host to another. Returns `None` as long as no controller has assigned a mark.
    pub fn open(&mut self, to: &str) -> Option<Opened> {
        self.session.open(self.host.clone(), to.to_owned()).map(Opened)
    }

    /// Closes a connection.
    pub fn close(&mut self, opened: Opened) {
        self.session.close(opened.0);
    }

    /// Returns whether the connection is registered with the controller.
    pub fn is_known(&self, opened: Opened) -> bool {
        self.session.is_known(opened.0)
    }

    /// Returns the reason if the controller has refused the connection, once.
    pub fn refusal(&mut self, opened: Opened) -> Option<String> {
        self.session.refusal(opened.0)
    }

    /// Sends the pending requests and renews the lease, if a controller is reachable. Returns the time until the next
    /// call. Takes up to 2 s for each endpoint that hangs.
    pub fn poll(&mut self) -> Duration {
        loop {
            let due = self.driver.due(&mut self.session);
            if due.is_empty() {
                return self.driver.left(&self.session);
            }
            let replies = self.driver.exchange(due);
            self.driver.settle(&mut self.session, replies);
        }
    }

    /// Says goodbye if a controller is reachable; otherwise the lease ends.
    pub fn end(mut self) {
        if self.driver.unreachable().is_none() {
            self.driver.exchange(self.session.goodbye().into_iter().collect());
        }
    }
}
