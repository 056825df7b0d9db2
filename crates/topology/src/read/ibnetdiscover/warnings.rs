//! Warnings about the parts of a dump that are left out, or that contradict each other.

use super::dump::Dump;
use crate::Fabric;
use crate::read::margin::Margin;
use crate::read::node_line::node_line;
use bandwise_input::{InputError, Source};

/// A part of the warning about hosts with several linked ports.
pub const LOWEST_PORT: &str = "linked ports, and its traffic uses the lowest one";

impl Dump {
    /// Counts the linked ports of hosts.
    pub(super) fn count_ports(&mut self, fabric: &Fabric) {
        for &host in fabric.hosts() {
            let ports = fabric.ports(host).count();
            self.host_links += ports;
            if ports > 1 {
                self.idle.push((fabric.node(host).name.clone(), ports));
            }
        }
    }

    /// Returns one warning for each kind, at its first line.
    pub(super) fn warnings(&self, source: &Source) -> Vec<InputError> {
        let more = |count: usize| match count {
            1 => String::new(),
            _ => format!(" (and {} more like it)", count - 1),
        };
        let mut warnings = Vec::from_iter(Margin::of(source.text).note(source));
        if let Some(line) = self.errors.first() {
            let message = format!(
                "{} of ibnetdiscover: nodes did not answer, so the fabric may be incomplete",
                counted(self.errors.len(), "error message")
            );
            warnings.push(source.error(line.clone(), message));
        }
        if let Some(line) = self.prompts.first() {
            let message = format!("{} skipped", counted(self.prompts.len(), "shell prompt"));
            warnings.push(source.error(line.clone(), message));
        }
        if let Some(line) = self.strays.first() {
            let message =
                format!("{} before and after the dump skipped", counted(self.strays.len(), "line"));
            warnings.push(source.error(line.clone(), message));
        }
        if let Some(line) = self.repeated.first() {
            let nodes = counted(self.repeated.len(), "node");
            let message = format!("{nodes} again, as in a second dump: their ports are joined");
            warnings.push(source.error(line.clone(), message));
        }
        if let Some(line) = self.aggregation.first() {
            let nodes = counted(self.aggregation.len(), "aggregation node");
            warnings.push(source.error(line.clone(), format!("{nodes} (SHARP) left out")));
        }
        warnings.extend(self.routers.clone());
        if let Some((line, ports)) = self.loopbacks.first() {
            let message = format!("{ports}: a loopback cable, which is left out");
            warnings.push(source.error(line.clone(), message + &more(self.loopbacks.len())));
        }
        if let Some((line, speeds)) = self.differing.first() {
            let message = format!("this link is {speeds}: the lower speed is used");
            warnings.push(source.error(line.clone(), message + &more(self.differing.len())));
        }
        if let Some((name, ports)) = self.idle.first() {
            let idle: usize = self.idle.iter().map(|(_, ports)| ports - 1).sum();
            let message = format!(
                "{name:?} has {ports} {LOWEST_PORT}{}; links without traffic: {idle} of {}",
                more(self.idle.len()),
                self.host_links,
            );
            let at = node_line(source, name).unwrap_or(0..0);
            let allowed = "another one by `port` in [[node]] of a scenario of kind = \"infiniband\" with this \
                           `fabric-file`";
            warnings.push(source.error(at, message).allowed(allowed));
        }
        warnings
    }
}

/// Returns `1 link` or `5 links`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
