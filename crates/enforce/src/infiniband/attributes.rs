//! Attributes of nodes and ports, as they stand in a datagram: big-endian, the first bit first
//! (IBTA 14.2.5).

use super::smp::Data;

/// What can be asked (IBTA 14.2.5, table of attributes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Attribute {
    /// What people call the node.
    NodeDescription = 0x10,
    /// What the node is.
    NodeInfo = 0x11,
    /// What the switch is.
    SwitchInfo = 0x12,
    /// What a port is.
    PortInfo = 0x15,
    /// Which lane each service level has.
    SlToVlMappingTable = 0x17,
    /// How lanes share the link.
    VlArbitrationTable = 0x18,
    /// By which port the switch sends to an address.
    LinearForwardingTable = 0x19,
}

impl Attribute {
    /// Its number.
    pub const fn number(self) -> u16 {
        self as u16
    }
}

/// A globally unique identifier of a node (IBTA 4.1.1): what it is known by whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(pub u64);

impl std::fmt::Display for Guid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#018x}", self.0)
    }
}

/// What a node does with packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A channel adapter: they end there.
    Host,
    /// It passes them on.
    Switch,
    /// It passes them on to other subnets, or is something that this version does not know. Nothing is
    /// asked beyond it, and nothing written to it.
    Other,
}

/// `NodeInfo` (IBTA 14.2.5.3), as far as it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeInfo {
    /// What it is.
    pub kind: Kind,
    /// How many ports it has; a switch has its port 0 besides.
    pub ports: u8,
    /// By which it is known.
    pub guid: Guid,
    /// The port by which the datagram came.
    pub local_port: u8,
}

impl NodeInfo {
    /// Reads it.
    pub fn decode(data: &Data) -> Self {
        let kind = match data[2] {
            1 => Kind::Host,
            2 => Kind::Switch,
            _ => Kind::Other,
        };
        NodeInfo { kind, ports: data[3], guid: Guid(word(data, 12)), local_port: data[36] }
    }
}

/// `NodeDescription` (IBTA 14.2.5.2): a text that ends with a zero byte or the attribute.
pub fn description(data: &Data) -> String {
    let text = data.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}

/// `SwitchInfo` (IBTA 14.2.5.4), as far as it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchInfo {
    /// The largest address that the linear forwarding table has a port for.
    pub linear_top: u16,
    /// Whether port 0 sends and receives as a host's does, and has lanes as other ports have.
    pub has_enhanced_port_0: bool,
}

impl SwitchInfo {
    /// Reads it.
    pub fn decode(data: &Data) -> Self {
        SwitchInfo { linear_top: half(data, 6), has_enhanced_port_0: data[16] & 0x08 != 0 }
    }
}

/// `PortInfo` (IBTA 14.2.5.6), as far as it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortInfo {
    /// Its first address; 0 for none.
    pub lid: u16,
    /// It has 2 to this many addresses.
    pub lmc: u8,
    /// Whether a link to a neighbour is there, in whatever state of being configured.
    pub is_linked: bool,
    /// Whether the subnet manager has taken the link into use.
    pub is_active: bool,
    /// The largest payload that a packet on this link has, in bytes.
    pub mtu: u16,
    /// Data lanes in use, VL0 and up (`OperationalVLs`).
    pub lanes: u8,
    /// Entries of the low-priority arbitration table.
    pub low: u8,
    /// Entries of the high-priority arbitration table.
    pub high: u8,
}

impl PortInfo {
    /// Reads it.
    pub fn decode(data: &Data) -> Self {
        let (state, physical) = (data[32] & 0x0f, data[33] >> 4);
        PortInfo {
            lid: half(data, 16),
            lmc: data[34] & 0x07,
            is_linked: physical == 5 && state >= 2,
            is_active: state == 4,
            // 1 is 256 bytes, 5 is 4096; a link that is not up has none.
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

/// An arbitration table has no more entries (IBTA 7.6.9.2).
const MOST_ENTRIES: u8 = 64;

fn half(data: &Data, at: usize) -> u16 {
    u16::from_be_bytes([data[at], data[at + 1]])
}

fn word(data: &Data, at: usize) -> u64 {
    data[at..at + 8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}
