//! `[[qos.port]]`: tables of single ports.

use super::qos::Arbitration;
use super::qos_entries::{self, Entries, mapping};
use crate::reader::values::{Given, number};
use crate::reader::{nodes, text};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::PortQos;
use bandwise_rdma::qos::VlArbTable;
use bandwise_topology::Fabric;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct PortSpec {
    node: Spanned<String>,
    #[serde(default, deserialize_with = "number")]
    input: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    output: Given<u64>,
    #[serde(default, deserialize_with = "qos_entries::read_lanes")]
    sl2vl: Given<Entries>,
    #[serde(default, deserialize_with = "qos_entries::read_turns")]
    high: Given<Entries>,
    #[serde(default, deserialize_with = "qos_entries::read_turns")]
    low: Given<Entries>,
    #[serde(default, deserialize_with = "number")]
    high_limit: Given<u64>,
}

impl PortSpec {
    /// Returns the ports, and their lanes by service level. `at` is the place of the table.
    pub(super) fn mapping(
        &self,
        source: &Source,
        fabric: &Fabric,
        at: Range<usize>,
    ) -> Result<PortQos, InputError> {
        let node = nodes::find_node(source, fabric, &self.node)?;
        if let Some(input) = self.input.as_ref().filter(|_| !fabric.is_switch(node)) {
            let message = format!("{:?} is a host: nothing passes through it", self.node.get_ref());
            return Err(source.error(input.span(), message).allowed("`input` with a switch"));
        }
        let port = |given: &Given<u64>| match given {
            Some(given) => nodes::port(source, fabric, node, given).map(Some),
            None => Ok(None),
        };
        let (input, output) = (port(&self.input)?, port(&self.output)?);
        if self.sl2vl.is_none() && self.arbitration_key().is_none() {
            let error = source.error(text::first_line(source, at), "no table is given");
            return Err(error.allowed("sl2vl, or high, low and high-limit, or both"));
        }
        if let (Some(_), Some((key, at))) = (input, self.arbitration_key()) {
            let message = format!("`{key}` can't depend on the input: arbitration is an output's");
            let allowed = "`input` with sl2vl alone, and another [[qos.port]] without `input`";
            return Err(source.error(at, message).allowed(allowed));
        }
        let sl2vl = self.sl2vl.as_ref().map(|lanes| mapping(source, lanes)).transpose()?;
        Ok(PortQos { node, input, output, sl2vl, vlarb: None })
    }

    /// Returns the ports' arbitration table, if one is given. `vls` are the lanes in use.
    pub(super) fn vlarb(
        &self,
        source: &Source,
        vls: u16,
        at: Range<usize>,
    ) -> Result<Option<VlArbTable>, InputError> {
        if self.arbitration_key().is_none() {
            return Ok(None);
        }
        let (high, low, high_limit) = (&self.high, &self.low, &self.high_limit);
        let arbitration = Arbitration { high, low, high_limit };
        arbitration.resolve(source, vls, text::first_line(source, at)).map(Some)
    }

    /// Returns the first given key of an arbitration table, and its place.
    fn arbitration_key(&self) -> Option<(&'static str, Range<usize>)> {
        let entries = [("high", &self.high), ("low", &self.low)].into_iter();
        let mut entries = entries.filter_map(|(key, given)| Some((key, given.as_ref()?.span())));
        entries.next().or_else(|| Some(("high-limit", self.high_limit.as_ref()?.span())))
    }
}
