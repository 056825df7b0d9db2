//! `[[node]]`: hosts and switches with models of their own; the models of all nodes.

use super::device::DeviceSpec;
use super::qos::default_tables;
use super::switch::SwitchSpec;
use crate::reader::tables::placed;
use crate::reader::values::HostNames;
use crate::reader::{nodes, text};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::Models;
use bandwise_netsim::infiniband::host::DevicePreset;
use bandwise_netsim::infiniband::switch::SwitchModel;
use bandwise_topology::{Fabric, NodeId};
use bandwise_units::BitRate;
use serde::Deserialize;
use toml::Spanned;

/// Models of some nodes, with the keys of `[device]` and `[switch]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeSpec {
    name: HostNames,
    #[serde(default, deserialize_with = "placed")]
    device: Option<Spanned<DeviceSpec>>,
    #[serde(default, deserialize_with = "placed")]
    switch: Option<Spanned<SwitchSpec>>,
}

/// Returns the models for a file that names none: of each host by its link, of each switch by its
/// fastest link.
pub(in crate::infiniband) fn default_models(fabric: &Fabric) -> Models {
    let any = BitRate::from_gbps(1);
    let fastest = |&node: &NodeId| {
        let rates = fabric.ports(node).filter_map(|port| Some(fabric.peer(port)?.1.rate));
        rates.max().unwrap_or(any)
    };
    let device = |&host: &NodeId| {
        let link = fabric.peer(fabric.host_port(host)).map(|(_, link)| link.rate);
        DevicePreset::for_link(link.unwrap_or(any))
    };
    let preset = fabric.hosts().iter().map(device).max_by_key(|preset| preset.link);
    let preset = preset.unwrap_or(DevicePreset::for_link(any));
    let switch = fabric.switches().iter().map(fastest).max().unwrap_or(any);
    let mut models = Models::alike(SwitchModel::for_link(switch), preset.model(), default_tables());
    let hosts = fabric.hosts().iter().map(|host| (*host, device(host)));
    let others = hosts.filter(|(_, own)| own.name != preset.name);
    models.devices = others.map(|(host, own)| (host, own.model())).collect();
    let switches =
        fabric.switches().iter().map(|&node| (node, SwitchModel::for_link(fastest(&node))));
    models.switches = switches.filter(|(_, own)| *own != models.switch).collect();
    models
}

/// Returns the models of `[device]`, `[switch]` and `[[node]]`, with the default tables.
pub(super) fn models(
    source: &Source,
    fabric: &Fabric,
    device: &DeviceSpec,
    switch: &SwitchSpec,
    nodes: &[Spanned<NodeSpec>],
) -> Result<Models, InputError> {
    let mut models = default_models(fabric);
    models.device = device.resolve(source, &models.device)?;
    for own in models.devices.values_mut() {
        *own = device.resolve(source, own)?;
    }
    for spec in nodes {
        spec.get_ref().set_devices(source, fabric, spec, &mut models)?;
    }
    let mtus = models.devices.values().map(|own| own.mtu);
    let mtu = mtus.fold(models.device.mtu, Ord::max);
    models.switch = switch.resolve(source, &models.switch, mtu)?;
    for own in models.switches.values_mut() {
        *own = switch.resolve(source, own, mtu)?;
    }
    for spec in nodes {
        let Some(given) = &spec.get_ref().switch else { continue };
        for node in spec.get_ref().nodes(source, fabric)? {
            if !fabric.is_switch(node) {
                let message = format!("{:?} is a host", fabric.node(node).name);
                return Err(source.error(given.span(), message).allowed("`device` for hosts"));
            }
            let own = given.get_ref().resolve(source, models.switch_of(node), mtu)?;
            models.switches.insert(node, own);
        }
    }
    let Models { device, devices, switch, switches, .. } = &mut models;
    devices.retain(|_, own| own != device);
    switches.retain(|_, own| own != switch);
    Ok(models)
}

impl NodeSpec {
    fn set_devices(
        &self,
        source: &Source,
        fabric: &Fabric,
        spec: &Spanned<NodeSpec>,
        models: &mut Models,
    ) -> Result<(), InputError> {
        if self.device.is_none() && self.switch.is_none() {
            let error = source.error(text::first_line(source, spec.span()), "no model is given");
            return Err(error.allowed("`device` for hosts, `switch` for switches"));
        }
        let Some(given) = &self.device else { return Ok(()) };
        for node in self.nodes(source, fabric)? {
            if fabric.is_switch(node) {
                let message = format!("{:?} is a switch", fabric.node(node).name);
                return Err(source.error(given.span(), message).allowed("`switch` for switches"));
            }
            let own = given.get_ref().resolve(source, models.device_of(node))?;
            models.devices.insert(node, own);
        }
        Ok(())
    }

    fn nodes(&self, source: &Source, fabric: &Fabric) -> Result<Vec<NodeId>, InputError> {
        let find = |name: &Spanned<String>| nodes::find_node(source, fabric, name);
        match &self.name {
            HostNames::One(name) => Ok(vec![find(name)?]),
            HostNames::Each(names) => names.get_ref().iter().map(find).collect(),
        }
    }
}
