//! `bandwise rperf agent`.

use super::super::listening::listen;
use super::flags::Flags;
use crate::failure::Failure;
use crate::output::note;
use bandwise_measure::agent::serve;

/// Serves coordinators, one after another.
pub fn run(flags: Flags) -> Result<(), Failure> {
    let token = flags.token.read()?;
    let chosen = flags.port.resolve()?;
    let listener = listen(flags.listen, format_args!("{} port {}", chosen.device, chosen.port))?;
    match serve(listener, chosen, token, |text| note(text))? {}
}
