//! `[[node]]`: hosts and switches with models of their own; the models of all nodes.

use super::device::DeviceSpec;
use super::qos::default_tables;
use super::switch::SwitchSpec;
use crate::reader::tables::placed;
use crate::reader::values::{Given, HostNames, number, within};
use crate::reader::{nodes, text};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::Models;
use bandwise_netsim::infiniband::host::{DeviceModel, DevicePreset};
use bandwise_netsim::infiniband::switch::SwitchPreset;
use bandwise_topology::infiniband::MAX_PORTS;
use bandwise_topology::{Fabric, NodeId, Port};
use bandwise_units::{BitRate, Bytes, Time};
use serde::Deserialize;
use toml::Spanned;

/// Models of some nodes, with the keys of `[device]` and `[switch]`, and the port of hosts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeSpec {
    name: HostNames,
    #[serde(default, deserialize_with = "number")]
    port: Given<u64>,
    #[serde(default, deserialize_with = "placed")]
    device: Option<Spanned<DeviceSpec>>,
    #[serde(default, deserialize_with = "placed")]
    switch: Option<Spanned<SwitchSpec>>,
}

/// Returns the models for a file that names none: of each host by its device ID and its link, of each
/// switch by its fastest link.
pub(in crate::infiniband) fn default_models(fabric: &Fabric) -> Models {
    let fastest = fabric.hosts().iter().max_by_key(|&&host| link_of(fabric, host).0);
    let device = fastest.map_or_else(|| model_for(NO_LINK, None), |&host| model_of(fabric, host));
    let all = fabric.switches().iter().flat_map(|&node| cables(fabric, node));
    let switch = SwitchPreset::GENERIC.model_on(all);
    let mut models = Models::alike(switch, device, default_tables());
    let own = |&host: &NodeId| (host, model_of(fabric, host));
    models.devices = fabric.hosts().iter().map(own).collect();
    let own = |&node: &NodeId| (node, SwitchPreset::GENERIC.model_on(cables(fabric, node)));
    models.switches = fabric.switches().iter().map(own).collect();
    keep_others(&mut models);
    models
}

/// Returns the fabric with the ports of `[[node]]`.
pub(super) fn with_ports(
    source: &Source,
    fabric: Fabric,
    nodes: &[Spanned<NodeSpec>],
) -> Result<Fabric, InputError> {
    let mut ports = Vec::new();
    for spec in nodes {
        ports.extend(spec.get_ref().ports(source, &fabric)?);
    }
    let first = nodes.iter().find_map(|spec| spec.get_ref().port.as_ref());
    let Some(first) = first else { return Ok(fabric) };
    // An error names the host; its port stands in the table that names it too.
    let names = |spec: &&Spanned<NodeSpec>, host: Option<&str>| match &spec.get_ref().name {
        HostNames::One(name) => host == Some(name.get_ref()),
        HostNames::Each(names) => names.get_ref().iter().any(|name| host == Some(name.get_ref())),
    };
    fabric.with_host_ports(&ports).map_err(|error| {
        let own = nodes.iter().filter(|spec| names(spec, error.node()));
        let own = own.filter_map(|spec| spec.get_ref().port.as_ref()).next_back();
        source.error(own.unwrap_or(first).span(), error.to_string()).allowed(error.allowed())
    })
}

/// The rate and the delay in place of a link where a node has none.
const NO_LINK: (BitRate, Time) = (BitRate::from_gbps(1), Time::ZERO);

/// Returns the model of a host that no file describes.
fn model_of(fabric: &Fabric, host: NodeId) -> DeviceModel {
    model_for(link_of(fabric, host), fabric.node(host).device)
}

fn model_for((rate, delay): (BitRate, Time), device: Option<u16>) -> DeviceModel {
    DevicePreset::for_host(rate, device).model_on(rate, delay)
}

/// Returns the rate and the delay of the link that a host's traffic uses.
fn link_of(fabric: &Fabric, host: NodeId) -> (BitRate, Time) {
    fabric.peer(fabric.host_port(host)).map_or(NO_LINK, |(_, link)| (link.rate, link.delay))
}

/// Returns the rate and the delay of each cable of a switch.
fn cables(fabric: &Fabric, switch: NodeId) -> Vec<(BitRate, Time)> {
    let links = fabric.ports(switch).filter_map(|port| Some(fabric.peer(port)?.1));
    links.map(|link| (link.rate, link.delay)).collect()
}

/// Returns the most bytes of a lane that can wait for one output of a switch: all other inputs are full.
pub(super) fn largest_queue(fabric: &Fabric, models: &Models) -> Bytes {
    let of_switch = |&node: &NodeId| {
        let inputs = fabric.ports(node).count().saturating_sub(1) as u64;
        models.switch_of(node).buffer * inputs
    };
    fabric.switches().iter().map(of_switch).max().unwrap_or(Bytes::ZERO)
}

/// Removes the nodes whose models are those of all.
fn keep_others(models: &mut Models) {
    let Models { device, devices, switch, switches, .. } = models;
    devices.retain(|_, own| own != device);
    switches.retain(|_, own| own != switch);
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
    let fastest =
        fabric.hosts().iter().map(|&host| link_of(fabric, host)).max_by_key(|link| link.0);
    let first = device.resolve(source, &models.device, fastest.unwrap_or(NO_LINK))?;
    for &host in fabric.hosts() {
        let own = device.resolve(source, models.device_of(host), link_of(fabric, host))?;
        models.devices.insert(host, own);
    }
    models.device = first;
    for spec in nodes {
        spec.get_ref().set_devices(source, fabric, spec, &mut models)?;
    }
    let mtus = models.devices.values().map(|own| own.mtu);
    let mtu = mtus.fold(models.device.mtu, Ord::max);
    let all: Vec<_> = fabric.switches().iter().flat_map(|&node| cables(fabric, node)).collect();
    let first = switch.resolve(source, &models.switch, &all, mtu)?;
    for &node in fabric.switches() {
        let cables = cables(fabric, node);
        let own = switch.resolve(source, models.switch_of(node), &cables, mtu)?;
        models.switches.insert(node, own);
    }
    models.switch = first;
    for spec in nodes {
        let Some(given) = &spec.get_ref().switch else { continue };
        for node in spec.get_ref().nodes(source, fabric)? {
            if !fabric.is_switch(node) {
                let message = format!("{:?} is a host", fabric.node(node).name);
                return Err(source.error(given.span(), message).allowed("`device` for hosts"));
            }
            let cables = cables(fabric, node);
            let own = given.get_ref().resolve(source, models.switch_of(node), &cables, mtu)?;
            models.switches.insert(node, own);
        }
    }
    keep_others(&mut models);
    Ok(models)
}

impl NodeSpec {
    fn ports(&self, source: &Source, fabric: &Fabric) -> Result<Vec<Port>, InputError> {
        let Some(port) = &self.port else { return Ok(Vec::new()) };
        let number = within(source, "port", port, 1..=u64::from(MAX_PORTS))? as u16;
        let nodes = self.nodes(source, fabric)?;
        Ok(nodes.into_iter().map(|node| Port { node, number }).collect())
    }

    fn set_devices(
        &self,
        source: &Source,
        fabric: &Fabric,
        spec: &Spanned<NodeSpec>,
        models: &mut Models,
    ) -> Result<(), InputError> {
        if self.device.is_none() && self.switch.is_none() && self.port.is_none() {
            let error = source.error(text::first_line(source, spec.span()), "no model is given");
            return Err(error.allowed("`device` and `port` for hosts, `switch` for switches"));
        }
        let Some(given) = &self.device else { return Ok(()) };
        for node in self.nodes(source, fabric)? {
            if fabric.is_switch(node) {
                let message = format!("{:?} is a switch", fabric.node(node).name);
                return Err(source.error(given.span(), message).allowed("`switch` for switches"));
            }
            let own = models.device_of(node);
            let own = given.get_ref().resolve(source, own, link_of(fabric, node))?;
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
