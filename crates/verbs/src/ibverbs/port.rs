//! [`PortInfo`]: a port of a device.

use super::GidInfo;
use bandwise_units::BitRate;

/// The link layer of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkLayer {
    /// InfiniBand.
    InfiniBand,
    /// Ethernet: RoCE or iWARP.
    Ethernet,
}

impl LinkLayer {
    pub(super) fn from_code(code: u8) -> Option<LinkLayer> {
        match code {
            // A device without a value has InfiniBand, as in libibverbs' own programs.
            0 | 1 => Some(LinkLayer::InfiniBand),
            2 => Some(LinkLayer::Ethernet),
            _ => None,
        }
    }

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            LinkLayer::InfiniBand => "InfiniBand",
            LinkLayer::Ethernet => "Ethernet",
        }
    }
}

/// The state of a port (IBTA 14.2.5.6, PortState).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortState {
    /// There is no link.
    Down,
    /// The link is up, and no subnet manager has configured it.
    Init,
    /// A subnet manager has configured it.
    Armed,
    /// The port carries data.
    Active,
    /// The port carries data, and its link has an error from which it may recover.
    ActiveDefer,
}

impl PortState {
    pub(super) fn from_code(code: u32) -> Option<PortState> {
        [Self::Down, Self::Init, Self::Armed, Self::Active, Self::ActiveDefer]
            .get(code.checked_sub(1)? as usize)
            .copied()
    }

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            PortState::Down => "down",
            PortState::Init => "init",
            PortState::Armed => "armed",
            PortState::Active => "active",
            PortState::ActiveDefer => "active-defer",
        }
    }
}

/// A port. Unknown codes of the device are `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortInfo {
    /// The number, from 1.
    pub number: u8,
    /// The state.
    pub state: Option<PortState>,
    /// The link layer.
    pub link_layer: Option<LinkLayer>,
    /// The current largest payload of a packet, in bytes.
    pub active_mtu: Option<u32>,
    /// The largest possible payload, in bytes.
    pub max_mtu: Option<u32>,
    /// The number of lanes times the data rate of a lane, as the port reports them.
    pub rate: Option<BitRate>,
    /// The local identifier (LID); 0 on Ethernet.
    pub lid: u16,
    /// The global identifiers that are set.
    pub gids: Vec<GidInfo>,
}

/// Returns the bytes of a path MTU (IBTA 14.2.5.6, MTUCap): 1 is 256, up to 5 for 4096.
pub(super) fn mtu(code: u32) -> Option<u32> {
    (1..=5).contains(&code).then(|| 128 << code)
}

/// Returns the nominal rate: lanes by LinkWidthActive times a lane's rate by LinkSpeedActive (IBTA 14.2.5.6). QDR is 10
/// Gbps and FDR 14 Gbps, a few percent of which is coding.
pub(super) fn rate(width: u8, speed: u32) -> Option<BitRate> {
    let lanes = match width {
        1 => 1,
        2 => 4,
        4 => 8,
        8 => 12,
        16 => 2,
        _ => return None,
    };
    let lane_mbps = match speed {
        1 => 2_500,
        2 => 5_000,
        4 | 8 => 10_000,
        16 => 14_000,
        32 => 25_000,
        64 => 50_000,
        128 => 100_000,
        256 => 200_000,
        _ => return None,
    };
    Some(BitRate::from_bps(lanes * lane_mbps * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_codes_are_decoded() {
        let mtus: Vec<_> = (0..7).map(mtu).collect();
        let expected = [None, Some(256), Some(512), Some(1024), Some(2048), Some(4096), None];
        assert_eq!(mtus, expected);
        let gbps = |width, speed| rate(width, speed).map(|rate| rate.to_string());
        assert_eq!(gbps(2, 16).as_deref(), Some("56 Gbps"));
        assert_eq!(gbps(2, 32).as_deref(), Some("100 Gbps"));
        assert_eq!(gbps(1, 1).as_deref(), Some("2.5 Gbps"));
        assert_eq!((gbps(3, 1), gbps(1, 3)), (None, None));
        assert_eq!(PortState::from_code(4), Some(PortState::Active));
        assert_eq!((PortState::from_code(0), PortState::from_code(6)), (None, None));
        assert_eq!(LinkLayer::from_code(2), Some(LinkLayer::Ethernet));
    }
}
