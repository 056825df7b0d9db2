//! Models of a fabric's parts: switches, hosts and QoS tables.

use crate::infiniband::host::DeviceModel;
use crate::infiniband::switch::SwitchModel;
use bandwise_rdma::qos::{Sl, Sl2Vl, VlArbError, VlArbTable};
use bandwise_topology::NodeId;
use std::collections::BTreeMap;

/// QoS tables: the default of all ports, and the ports that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qos {
    /// Service level to lane.
    pub sl2vl: Sl2Vl,
    /// Shares of the lanes on a link.
    pub vlarb: VlArbTable,
    /// Ports with tables of their own; later ones win.
    pub ports: Vec<PortQos>,
}

/// QoS tables of some ports of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortQos {
    /// The node.
    pub node: NodeId,
    /// Input port of a switch to whose packets the tables apply; `None` for all inputs, and for
    /// hosts.
    pub input: Option<u16>,
    /// The output port; `None` for all.
    pub output: Option<u16>,
    /// Mapping of service levels to lanes for those packets.
    pub sl2vl: Option<Sl2Vl>,
    /// Shares of the lanes on the output's link.
    pub vlarb: Option<VlArbTable>,
}

impl Qos {
    /// Returns the SL-to-VL table for packets from `input` (`None` at a host) to `output` of a
    /// node.
    pub fn sl2vl(&self, node: NodeId, input: Option<u16>, output: u16) -> Sl2Vl {
        let own = self.of(node, output).filter(|p| p.input.is_none_or(|i| Some(i) == input));
        own.filter_map(|p| p.sl2vl).last().unwrap_or(self.sl2vl)
    }

    /// Returns the arbitration table of a port.
    pub fn vlarb(&self, node: NodeId, output: u16) -> &VlArbTable {
        self.of(node, output).filter_map(|p| p.vlarb.as_ref()).last().unwrap_or(&self.vlarb)
    }

    /// Returns the set of lanes, as bits, that any table maps a level to.
    pub fn vls(&self) -> u16 {
        let own = self.ports.iter().filter_map(|p| p.sl2vl).map(|t| t.vls());
        own.fold(self.sl2vl.vls(), |set, vls| set | vls)
    }

    fn of(&self, node: NodeId, output: u16) -> impl Iterator<Item = &PortQos> {
        let ports = self.ports.iter();
        ports.filter(move |p| p.node == node && p.output.is_none_or(|o| o == output))
    }
}

/// Replacement tables of a port during a simulation
/// ([`FabricCheckpoint::set_tables`](crate::infiniband::FabricCheckpoint::set_tables)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortTables {
    /// Mapping of service levels to lanes for all inputs. Every level has a lane.
    pub sl2vl: Sl2Vl,
    /// Shares of the lanes on the link. Every lane of the simulation has an entry, since packets
    /// may wait in any.
    pub vlarb: VlArbTable,
}

/// Reason why a port can't use the given tables.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortTablesError {
    /// The arbitration table is unusable.
    #[error(transparent)]
    VlArb(#[from] VlArbError),
    /// A level has no lane, or a lane that the simulation was not built with.
    #[error("{0} has none of the simulation's lanes")]
    Level(Sl),
    /// Packets in these lanes, given as bits, would wait forever.
    #[error("lanes without an arbitration entry: {0:#b}")]
    Unserved(u16),
}

impl PortTables {
    /// Checks that ports with `lanes` lanes can use the tables.
    pub(crate) fn check(&self, lanes: usize) -> Result<(), PortTablesError> {
        let is_there = |sl: &Sl| self.sl2vl.vl(*sl).is_some_and(|vl| usize::from(vl.get()) < lanes);
        let mut levels = (0..16).filter_map(|sl| Sl::try_from(sl).ok());
        if let Some(sl) = levels.find(|sl| !is_there(sl)) {
            return Err(PortTablesError::Level(sl));
        }
        match self.vlarb.unserved(((1u32 << lanes) - 1) as u16) {
            0 => Ok(()),
            unserved => Err(PortTablesError::Unserved(unserved)),
        }
    }
}

/// Models of all parts of a fabric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// Model of every switch without one of its own.
    pub switch: SwitchModel,
    /// Switches with a model of their own.
    pub switches: BTreeMap<NodeId, SwitchModel>,
    /// Model of every host without one of its own.
    pub device: DeviceModel,
    /// Hosts with a model of their own.
    pub devices: BTreeMap<NodeId, DeviceModel>,
    /// QoS tables of every port.
    pub qos: Qos,
}

impl Models {
    /// Returns models in which all switches are alike, and all hosts.
    pub fn alike(switch: SwitchModel, device: DeviceModel, qos: Qos) -> Models {
        Models { switch, switches: BTreeMap::new(), device, devices: BTreeMap::new(), qos }
    }

    /// Returns the model of a switch.
    pub fn switch_of(&self, node: NodeId) -> &SwitchModel {
        self.switches.get(&node).unwrap_or(&self.switch)
    }

    /// Returns the model of a host.
    pub fn device_of(&self, node: NodeId) -> &DeviceModel {
        self.devices.get(&node).unwrap_or(&self.device)
    }

    /// Changes the models of all switches.
    pub fn change_switches(&mut self, change: impl FnMut(&mut SwitchModel)) {
        std::iter::once(&mut self.switch).chain(self.switches.values_mut()).for_each(change);
    }

    /// Changes the models of all hosts.
    pub fn change_devices(&mut self, change: impl FnMut(&mut DeviceModel)) {
        std::iter::once(&mut self.device).chain(self.devices.values_mut()).for_each(change);
    }
}
