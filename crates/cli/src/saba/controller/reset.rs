//! `bandwise saba reset`.

use super::Config;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::output::Json;
use bandwise_controller::client;
use serde::Serialize;

/// Flags of `bandwise saba reset`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The controller forgets all clients, with their applications and connections, and ports get the
weights without them. Programs that still run register again. Numbers of clients and applications
never come again, as they would with an emptied store.

Examples:
  bandwise saba reset --config controller.toml
  bandwise saba reset --config controller.toml --json")]
pub(crate) struct Flags {
    #[command(flatten)]
    config: Config,
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Ends all clients, and prints how many there were.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[&self.config.config])?;
        let (settings, _) = self.config.read()?;
        let before = client::status(&settings.listen)?;
        client::reset(&settings.listen)?;
        let (clients, applications) = (before.clients, before.applications.len());
        outputs.answer(&ResetAnswer { schema: 1, clients, applications })
    }
}

/// The numbers of clients and applications just before they were ended.
#[derive(Serialize)]
struct ResetAnswer {
    schema: u32,
    clients: usize,
    applications: usize,
}

impl Answer for ResetAnswer {
    fn text(&self) -> String {
        let ResetAnswer { clients, applications, .. } = self;
        format!("ended: clients {clients}, applications {applications}\n")
    }
}
