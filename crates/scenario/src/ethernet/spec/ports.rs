//! `[[switch.port]]`: inputs with other thresholds.

use super::thresholds::{Share, thresholds, too_little};
use crate::reader::nodes::find_node;
use crate::reader::nodes::port;
use crate::reader::text::first_line;
use crate::reader::values::{Given, number, text};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::{Buffering, Pfc};
use bandwise_topology::{Fabric, Port};
use bandwise_units::Bytes;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct PortSpec {
    node: Spanned<String>,
    #[serde(default, deserialize_with = "number")]
    input: Given<u64>,
    #[serde(default, deserialize_with = "text")]
    xoff: Given<Bytes>,
    #[serde(default, deserialize_with = "text")]
    xon: Given<Bytes>,
}

/// Returns the thresholds of single ports; a later one of a port overrides an earlier one.
pub(super) fn resolve(
    source: &Source,
    specs: &[Spanned<PortSpec>],
    fabric: &Fabric,
    buffering: &Buffering,
    headroom: Bytes,
    warnings: &mut Vec<InputError>,
) -> Result<Vec<(Port, Pfc)>, InputError> {
    let mut all = Vec::new();
    for spec in specs {
        let at = first_line(source, spec.span());
        let Buffering::PerInput(inputs) = buffering else {
            let message = "thresholds of a port, where a shared buffer has dynamic ones";
            let error = source.error(at, message);
            return Err(error.allowed("[[switch.port]] with queues = \"input\""));
        };
        if inputs.pfc.is_none() {
            let error = source.error(at, "thresholds of a port without priority flow control");
            return Err(error.allowed("[[switch.port]] with pfc = true"));
        }
        let share = Share { buffer: inputs.buffer, headroom };
        let (ports, pfc) = spec.get_ref().resolve(source, at.clone(), fabric, &share)?;
        warnings.extend(too_little(source, at, &share, pfc));
        all.splice(0..0, ports.map(|port| (port, pfc)));
    }
    Ok(all)
}

impl PortSpec {
    fn resolve<'a>(
        &self,
        source: &Source,
        at: Range<usize>,
        fabric: &'a Fabric,
        share: &Share,
    ) -> Result<(impl Iterator<Item = Port> + use<'a>, Pfc), InputError> {
        let node = find_node(source, fabric, &self.node)?;
        if !fabric.is_switch(node) {
            let message =
                format!("{:?} is a host, which never pauses its switch", self.node.get_ref());
            return Err(source.error(self.node.span(), message).allowed("a switch"));
        }
        if self.xoff.is_none() && self.xon.is_none() {
            let error = source.error(at, "a port without a threshold of its own");
            return Err(error.allowed("xoff, or xon, or both"));
        }
        let only = self.input.as_ref().map(|given| port(source, fabric, node, given));
        let only = only.transpose()?;
        let pfc = thresholds(source, &self.xoff, &self.xon, share)?;
        let ports = fabric.ports(node).filter(move |p| only.is_none_or(|only| only == p.number));
        Ok((ports, pfc))
    }
}
