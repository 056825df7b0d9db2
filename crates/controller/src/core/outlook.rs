//! [`Core::outlook`]: what ports would be told if others came.

use super::machine::Core;
use super::request::Refusal;
use bandwise_saba::controller::{
    ApplicationId, Command, ConnectionId, Event, PortConfig, PortId, Profile,
};
use bandwise_saba::table::Application;
use serde::Serialize;

/// An application that might come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// Its name in the sensitivity table.
    pub name: String,
    /// The ports on the way of each of its connections.
    pub paths: Vec<Vec<PortId>>,
}

/// A port that would be told something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Differs {
    /// The port.
    pub port: PortId,
    /// What people call it.
    pub name: String,
    /// What it is told now.
    pub before: PortConfig,
    /// What it would be told.
    pub after: PortConfig,
}

impl Core {
    /// What ports would be told if these applications came now. Nothing changes.
    pub fn outlook(&self, guests: &[Guest]) -> Result<Vec<Differs>, Refusal> {
        let mut controller = self.controller().clone();
        let (mut application, mut connection) = self.state().ids_to_come();
        for guest in guests {
            let (level, _) = self.profiles().registered(&guest.name, None, None)?;
            let name = Application::try_from(guest.name.as_str()).expect("the table has it");
            let id = ApplicationId(application);
            let mut tell = |event| controller.handle(event).expect("ids are new");
            tell(Event::Registered { application: id, profile: Profile::Named(name) });
            application += 1;
            for path in &guest.paths {
                let (made, path) = (ConnectionId(connection), path.clone());
                tell(Event::Connected { connection: made, application: id, level, path });
                connection += 1;
            }
        }
        let commands = controller.settle().into_iter();
        let differs = commands.filter_map(|command| match command {
            Command::Configure { port, config: after } => {
                let known = self.ports().find(|of| of.0 == port)?.1;
                let (name, before) = (known.name.clone(), known.wanted.clone());
                Some(Differs { port, name, before, after })
            }
            Command::Assign { .. } => None,
        });
        Ok(differs.collect())
    }
}
