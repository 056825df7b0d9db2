//! [`Application`] and [`Connection`].

use crate::keeper::Keeper;
use crate::session::Local;
use crate::{Error, Mark, Options};
use std::os::fd::AsFd;
use std::sync::Arc;

/// An application that runs. Dropped, it is gone, with its connections.
#[derive(Debug)]
pub struct Application {
    keeper: Arc<Keeper>,
    host: String,
}

impl Application {
    /// An application runs. If there is no controller, or none that answers within 2 s, all goes on as it would, and a
    /// controller that comes later hears of it. Fails if the controller refuses the application, or what
    /// the options say can't be used.
    pub fn register(name: &str, options: Options) -> Result<Application, Error> {
        let host = options.host_or_own();
        let keeper = Keeper::start(options.speaker(name)?).map_err(Error::Refused)?;
        Ok(Application { keeper: Arc::new(keeper), host })
    }

    /// What packets of its connections are to carry, if a controller has said it.
    pub fn mark(&self) -> Option<Mark> {
        self.keeper.mark()
    }

    /// Why no controller answers at any place, in words, if none does.
    pub fn away(&self) -> Option<String> {
        self.keeper.away()
    }

    /// It has made a connection, on which data go from this host, or from another, to a host. The caller sees to it that
    /// its packets carry the [mark](Connection::mark). Fails if the controller refuses the connection.
    pub fn connect(&self, from: Option<&str>, to: &str) -> Result<Connection, Error> {
        let open = self.keeper.open(from.unwrap_or(&self.host), to).map_err(Error::Refused)?;
        Ok(Connection { keeper: self.keeper.clone(), open })
    }

    /// The same of a socket, which is marked.
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
        self.keeper.end();
    }
}

/// A connection of an application, until it is dropped.
#[derive(Debug)]
pub struct Connection {
    keeper: Arc<Keeper>,
    open: Option<(Local, Mark)>,
}

impl Connection {
    /// What its packets are to carry; nothing if there is no controller.
    pub fn mark(&self) -> Option<Mark> {
        self.open.map(|open| open.1)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some((local, _)) = self.open {
            self.keeper.close(local);
        }
    }
}
