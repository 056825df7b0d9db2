//! [`Core::preview`]: the port configurations after hypothetical registrations.

use super::machine::Core;
use super::owner::Owner;
use super::request::Refusal;
use bandwise_saba::controller::{
    ApplicationId, Command, ConnectionId, Event, PortConfig, PortId, Profile,
};
use bandwise_saba::table::Application;
use serde::Serialize;

/// An application that might be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The application's name in the sensitivity table.
    pub name: String,
    /// The ports on the path of each of its connections.
    pub paths: Vec<Vec<PortId>>,
}

/// A port and the change of its configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PortDifference {
    /// The port.
    pub port: PortId,
    /// The port's name for people.
    pub name: String,
    /// The current configuration.
    pub before: PortConfig,
    /// The configuration with the candidates.
    pub after: PortConfig,
}

impl Core {
    /// Returns the ports whose configuration would change if this owner registered these applications
    /// now. The core does not change.
    ///
    /// # Errors
    ///
    /// Returns a [`Refusal`] if the sensitivity table lacks one of the applications, or if the controller is cut off
    /// from its store.
    pub fn preview(
        &self,
        owner: &Owner,
        candidates: &[Candidate],
    ) -> Result<Vec<PortDifference>, Refusal> {
        if self.is_cut_off() {
            return Err(Refusal::cut_off());
        }
        let mut controller = self.controller().clone();
        let (mut application, mut connection) = self.state().ids_to_come();
        for candidate in candidates {
            let (level, _) = self.profiles().registered(&candidate.name, None, None)?;
            let name = Application::try_from(candidate.name.as_str()).expect("the table has it");
            let id = ApplicationId(application);
            let mut tell = |event| controller.handle(event).expect("ids are new");
            let (profile, tenant) = (Profile::Named(name), owner.tenant());
            tell(Event::Registered { application: id, profile, tenant });
            application += 1;
            for path in &candidate.paths {
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
                Some(PortDifference { port, name, before, after })
            }
            Command::Assign { .. } => None,
        });
        Ok(differs.collect())
    }
}
