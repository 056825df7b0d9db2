//! [`Application`] and [`Connection`].

use crate::keeper::Keeper;
use crate::place::Place;
use crate::session::{Local, Named};
use crate::wire::Wire;
use crate::{Error, Mark};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

/// How an application is registered.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where the controller is.
    pub controller: Place,
    /// What it knows the program by, if they are not on the same machine.
    pub token: Option<String>,
    /// What the controller calls this host; the name that it has if none.
    pub host: Option<String>,
    /// On how many hosts the application runs, from 1 on.
    pub nodes: Option<u32>,
    /// On how much data it works: `10000 samples`.
    pub dataset: Option<String>,
}

impl Options {
    /// As the environment has it: `SABA_CONTROLLER` says where the controller is, `SABA_TOKEN_FILE` in which file the
    /// token is, which others must not be able to read, and `SABA_HOST` what this host is called.
    pub fn from_environment() -> Result<Self, Error> {
        let word = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let controller = word("SABA_CONTROLLER").map(|place| place.parse::<Place>());
        let controller =
            controller.transpose().map_err(|error| Error::Argument(error.to_string()))?;
        let token = word("SABA_TOKEN_FILE").map(|path| token(Path::new(&path))).transpose()?;
        let host = word("SABA_HOST");
        Ok(Options {
            controller: controller.unwrap_or_default(),
            token,
            host,
            ..Options::default()
        })
    }
}

fn token(path: &Path) -> Result<String, Error> {
    let wrong = |why: String| Error::Argument(format!("{}: {why}", path.display()));
    let about = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    let mode = about.permissions().mode() & 0o777;
    if mode & 0o007 != 0 {
        let allowed = "allowed: a mode that gives others nothing, such as 600";
        return Err(wrong(format!(
            "the token can be read by everybody, mode {mode:o} ({allowed})"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let token = text.trim();
    match (1..=4096).contains(&token.len()) && token.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(token.to_owned()),
        false => Err(wrong("no token (allowed: one word of up to 4096 letters)".into())),
    }
}

/// An application that runs. Dropped, it is gone, with its connections.
#[derive(Debug)]
pub struct Application {
    keeper: Arc<Keeper>,
    host: String,
}

impl Application {
    /// An application runs. If there is no controller, or it does not answer within 2 s, all goes on as it would, and a
    /// controller that comes later hears of it. Fails if the controller refuses the application.
    pub fn register(name: &str, options: Options) -> Result<Application, Error> {
        let Options { controller, token, host, nodes, dataset } = options;
        let own = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        let host = host.unwrap_or_else(own);
        let named = Named { name: name.to_owned(), nodes, dataset };
        let keeper = Keeper::start(named, Wire::new(controller, token)).map_err(Error::Refused)?;
        Ok(Application { keeper: Arc::new(keeper), host })
    }

    /// What packets of its connections are to carry, if a controller has said it.
    pub fn mark(&self) -> Option<Mark> {
        self.keeper.mark()
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
