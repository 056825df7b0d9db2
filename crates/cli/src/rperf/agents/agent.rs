//! `bandwise rperf agent`.

use super::super::listening::listen;
use super::flags::Flags;
use crate::failure::Failure;
use crate::output::note;
use bandwise_measure::agent::serve;

impl Flags {
    /// Serves coordinators, one after another.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let token = self.token.read()?;
        let chosen = self.port.resolve()?;
        let listener = listen(self.listen, format_args!("{} port {}", chosen.device, chosen.port))?;
        match serve(listener, chosen, token, self.peers.allowed, |text| note(text))? {}
    }
}
