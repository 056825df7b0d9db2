//! How the parts of a fabric behave: switches, hosts, and the tables of quality of service.

use crate::infiniband::host::DeviceModel;
use crate::infiniband::switch::SwitchModel;
use bandwise_rdma::qos::{Sl, Sl2Vl, VlArbError, VlArbTable};
use bandwise_topology::NodeId;

/// Tables of quality of service: those of every port, and the ports that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qos {
    /// Service level to lane.
    pub sl2vl: Sl2Vl,
    /// How lanes share a link.
    pub vlarb: VlArbTable,
    /// Ports with tables of their own; later ones win.
    pub ports: Vec<PortQos>,
}

/// Tables of some ports of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortQos {
    /// The node.
    pub node: NodeId,
    /// Packets that came in at this port of a switch; `None` for any, and for hosts.
    pub input: Option<u8>,
    /// The output port; `None` for all.
    pub output: Option<u8>,
    /// Service level to lane for them.
    pub sl2vl: Option<Sl2Vl>,
    /// How lanes share the output's link.
    pub vlarb: Option<VlArbTable>,
}

impl Qos {
    /// The table for packets from `input` (`None` at a host) to `output` of a node.
    pub fn sl2vl(&self, node: NodeId, input: Option<u8>, output: u8) -> Sl2Vl {
        let own = self.of(node, output).filter(|p| p.input.is_none_or(|i| Some(i) == input));
        own.filter_map(|p| p.sl2vl).last().unwrap_or(self.sl2vl)
    }

    /// The arbitration table of a port.
    pub fn vlarb(&self, node: NodeId, output: u8) -> &VlArbTable {
        self.of(node, output).filter_map(|p| p.vlarb.as_ref()).last().unwrap_or(&self.vlarb)
    }

    /// The set of lanes that any table maps a level to, as bits.
    pub fn vls(&self) -> u16 {
        let own = self.ports.iter().filter_map(|p| p.sl2vl).map(|t| t.vls());
        own.fold(self.sl2vl.vls(), |set, vls| set | vls)
    }

    fn of(&self, node: NodeId, output: u8) -> impl Iterator<Item = &PortQos> {
        let ports = self.ports.iter();
        ports.filter(move |p| p.node == node && p.output.is_none_or(|o| o == output))
    }
}

/// What a port is told while the simulation runs ([`FabricCheckpoint::set_tables`](crate::FabricCheckpoint::set_tables)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortTables {
    /// Service level to lane, whatever port of the switch packets come from. All levels have one.
    pub sl2vl: Sl2Vl,
    /// How lanes share the link. All lanes of the simulation have a turn, as packets may wait in any.
    pub vlarb: VlArbTable,
}

/// Why a port can't have such tables.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortTablesError {
    /// The arbitration table is unusable.
    #[error(transparent)]
    VlArb(#[from] VlArbError),
    /// A level has no lane, or one that the simulation was not built with.
    #[error("{0} has none of the simulation's lanes")]
    Level(Sl),
    /// What waits in these lanes (as bits) would wait for ever.
    #[error("lanes without a turn: {0:#b}")]
    Unserved(u16),
}

impl PortTables {
    /// Whether ports of so many lanes can have them.
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

/// How parts behave: the switches, the hosts, the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// Every switch.
    pub switch: SwitchModel,
    /// Every host.
    pub device: DeviceModel,
    /// Every port.
    pub qos: Qos,
}
