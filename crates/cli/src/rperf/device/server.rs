//! `bandwise rperf server`.

use super::super::listening::listen;
use super::flags::Server;
use super::method_name::method_name;
use crate::failure::Failure;
use crate::output::note;
use bandwise_measure::server::{Served, serve};
use bandwise_measure::{Limits, accept};
use bandwise_verbs::Control;
use std::time::Duration;

impl Server {
    /// Serves clients, one after another, or a single one.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let chosen = self.port.resolve()?;
        let place = self.here.resolve(&chosen.device)?;
        place.bind(0, |text| note(text));
        let (memory, time) = (self.memory, Duration::from_nanos(self.longest.as_ps() / 1_000));
        let limits = Limits { memory, time, allowed: self.peers.allowed };
        let with = format_args!("{} port {} on {place}", chosen.device, chosen.port);
        let listener = listen(self.listen, with)?;
        loop {
            let (stream, from) = accept(&listener, |text| note(text));
            let served = Control::over(stream)
                .map_err(anyhow::Error::from)
                .and_then(|control| serve(&chosen, &place, &limits, control, |text| note(text)));
            match served {
                Ok(served) => note(format_args!("{from}: {}", describe(&served))),
                Err(error) if self.once => return Err(error.context(from).into()),
                Err(error) => note(format_args!("{from}: {error:#}")),
            }
            if self.once {
                return Ok(());
            }
        }
    }
}

/// Returns the tasks of a client as text.
fn describe(served: &Served) -> String {
    let (first, last) = (served.first.bytes.get(), served.last.bytes.get());
    let sizes = if first == last { String::new() } else { format!("{first} B to ") };
    format!("served {} of {sizes}{last} B from {}", method_name(served.last.method), served.device)
}
