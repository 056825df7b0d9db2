//! [`Application`] and [`Connection`].

use crate::lease_thread::{LeaseThread, NotStarted};
use crate::session::Local;
use crate::{Error, Mark, Options};
use std::os::fd::AsFd;
use std::sync::Arc;

/// A registered application. Dropping it deregisters it and closes its connections.
#[derive(Debug)]
pub struct Application {
    lease: Arc<LeaseThread>,
    host: String,
}

impl Application {
    /// Registers an application. Waits for the first controller that answers, up to 2 s for each endpoint. Without one
    /// the program continues without marks, and the application is registered when a controller becomes reachable.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Refused`] if the controller refuses the application, [`Error::Argument`] if an option is
    /// invalid, and [`Error::Fault`] if the system gives no thread.
    pub fn register(name: &str, options: Options) -> Result<Application, Error> {
        let host = options.host_or_own();
        let (session, driver) = options.session(name)?;
        let lease = LeaseThread::start(session, driver).map_err(|error| match error {
            NotStarted::Refused(why) => Error::Refused(why),
            NotStarted::NoThread(error) => Error::Fault(format!("no thread: {error}")),
        })?;
        Ok(Application { lease: Arc::new(lease), host })
    }

    /// Returns the mark for packets of the application's connections, once a controller has assigned it.
    pub fn mark(&self) -> Option<Mark> {
        self.lease.mark()
    }

    /// Returns the controller's doubts about the application's model for this run, as texts for people: it was measured
    /// on another number of hosts, or with another amount of data. Empty until a controller has registered the application.
    pub fn doubts(&self) -> Vec<String> {
        self.lease.doubts()
    }

    /// Returns the reason why no controller answers, if none does.
    pub fn unreachable(&self) -> Option<String> {
        self.lease.unreachable()
    }

    /// Registers a connection that sends data from this host, or from `from`, to a host. The caller applies the
    /// [mark](Connection::mark) to the packets. Waits up to 0.5 s for the controller's answer, and not at all while no
    /// controller answers or one keeps other requests waiting for longer. The connection is registered later then.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Refused`] if the controller refuses the connection.
    pub fn connect(&self, from: Option<&str>, to: &str) -> Result<Connection, Error> {
        let open = self.lease.open(from.unwrap_or(&self.host), to).map_err(Error::Refused)?;
        Ok(Connection { lease: self.lease.clone(), open })
    }

    /// Registers a connection and marks its socket.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Refused`] if the controller refuses the connection, and [`Error::Socket`] if the socket can't
    /// be marked.
    pub fn connect_socket(
        &self,
        from: Option<&str>,
        to: &str,
        socket: impl AsFd,
    ) -> Result<Connection, Error> {
        let connection = self.connect(from, to)?;
        if let Some(mark) = connection.mark() {
            mark.set(socket)?;
        }
        Ok(connection)
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        self.lease.end();
    }
}

/// A registered connection, until it is dropped.
#[derive(Debug)]
pub struct Connection {
    lease: Arc<LeaseThread>,
    open: Option<(Local, Mark)>,
}

impl Connection {
    /// Returns the mark for the connection's packets; `None` without a controller.
    pub fn mark(&self) -> Option<Mark> {
        self.open.map(|open| open.1)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some((local, _)) = self.open {
            self.lease.close(local);
        }
    }
}
