//! Attributes of nodes and ports, in the format of the wire: big-endian, the first bit first (IBTA 14.2.5).

use super::smp::Data;

/// An attribute that can be requested (IBTA 14.2.5, table of attributes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Attribute {
    /// The node's description.
    NodeDescription = 0x10,
    /// The kind of the node and its identifiers.
    NodeInfo = 0x11,
    /// The properties of a switch.
    SwitchInfo = 0x12,
    /// The properties of a port.
    PortInfo = 0x15,
    /// The lane of each service level.
    SlToVlMappingTable = 0x17,
    /// The sharing of the link among lanes.
    VlArbitrationTable = 0x18,
    /// The output port of a switch for each address.
    LinearForwardingTable = 0x19,
}

impl Attribute {
    /// Returns the attribute's number.
    pub const fn number(self) -> u16 {
        self as u16
    }
}

/// A globally unique identifier of a node (IBTA 4.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(pub u64);

impl std::fmt::Display for Guid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#018x}", self.0)
    }
}

/// The role of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A channel adapter, at which packets end.
    Host,
    /// A switch, which forwards packets.
    Switch,
    /// A router to other subnets, or an unknown kind of node. Bandwise discovers nothing beyond
    /// such a node and writes nothing to it.
    Other,
}

/// The used fields of `NodeInfo` (IBTA 14.2.5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeInfo {
    /// The role of the node.
    pub kind: Kind,
    /// The number of ports, without a switch's port 0.
    pub ports: u8,
    /// The node's identifier.
    pub guid: Guid,
    /// The port at which the request arrived.
    pub local_port: u8,
}

impl NodeInfo {
    /// Reads the attribute.
    pub fn decode(data: &Data) -> Self {
        let kind = match data[2] {
            1 => Kind::Host,
            2 => Kind::Switch,
            _ => Kind::Other,
        };
        NodeInfo { kind, ports: data[3], guid: Guid(word(data, 12)), local_port: data[36] }
    }
}

/// Returns the text of `NodeDescription` (IBTA 14.2.5.2), which ends with a zero byte or with the attribute.
pub fn description(data: &Data) -> String {
    let text = data.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}

/// The used fields of `SwitchInfo` (IBTA 14.2.5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchInfo {
    /// The largest address in the linear forwarding table.
    pub linear_top: u16,
    /// True if port 0 sends and receives as a host's port does, and has lanes.
    pub has_enhanced_port_0: bool,
}

impl SwitchInfo {
    /// Reads the attribute.
    pub fn decode(data: &Data) -> Self {
        SwitchInfo { linear_top: half(data, 6), has_enhanced_port_0: data[16] & 0x08 != 0 }
    }
}

/// The used fields of `PortInfo` (IBTA 14.2.5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortInfo {
    /// The port's first address; 0 for none.
    pub lid: u16,
    /// The logarithm of the number of addresses: 2 to this power.
    pub lmc: u8,
    /// True if a link to a neighbour is up, in any state of its configuration.
    pub is_linked: bool,
    /// True if the subnet manager has activated the link.
    pub is_active: bool,
    /// The largest payload of a packet on this link, in bytes.
    pub mtu: u16,
    /// The number of data lanes in use, from VL0 (`OperationalVLs`).
    pub lanes: u8,
    /// The length of the low-priority arbitration table.
    pub low: u8,
    /// The length of the high-priority arbitration table.
    pub high: u8,
}

impl PortInfo {
    /// Reads the attribute.
    pub fn decode(data: &Data) -> Self {
        let (state, physical) = (data[32] & 0x0f, data[33] >> 4);
        PortInfo {
            lid: half(data, 16),
            lmc: data[34] & 0x07,
            is_linked: physical == 5 && state >= 2,
            is_active: state == 4,
            // 1 is 256 bytes, 5 is 4096; a link that is down has none.
            mtu: match data[36] >> 4 {
                code @ 1..=5 => 128 << code,
                _ => 256,
            },
            lanes: match data[43] >> 4 {
                code @ 1..=4 => 1 << (code - 1),
                5 => 15,
                _ => 0,
            },
            high: data[39].min(MOST_ENTRIES),
            low: data[40].min(MOST_ENTRIES),
        }
    }
}

/// The largest length of an arbitration table (IBTA 7.6.9.2).
const MOST_ENTRIES: u8 = 64;

fn half(data: &Data, at: usize) -> u16 {
    u16::from_be_bytes([data[at], data[at + 1]])
}

fn word(data: &Data, at: usize) -> u64 {
    data[at..at + 8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}
