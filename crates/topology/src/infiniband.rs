//! Limits of InfiniBand, and its names for link speeds: `4xFDR` is four lanes of 14.0625 Gbaud, of
//! which 64 bits in 66 are data.

use crate::{Fabric, FabricError};
use bandwise_units::{BitRate, Time};
use std::fmt;
use std::str::FromStr;

/// The maximum number of ports of a node. Port numbers have 8 bits and are 1 to 254; 0 is the
/// switch itself, and 255 stands for no port (IBTA 1.5, 3.5.3 and 14.2.1.2).
pub const MAX_PORTS: u16 = 254;

/// Checks that each node has a port count of InfiniBand.
///
/// # Errors
///
/// Returns [`FabricError::PortCount`] for the first node with more than [`MAX_PORTS`] ports.
pub fn check_ports(fabric: &Fabric) -> Result<(), FabricError> {
    fabric.check_ports(MAX_PORTS)
}

/// The default delay of a cable: 2 m of copper or fibre at 5 ns/m.
pub const CABLE_DELAY: Time = Time::from_ns(10);

/// The speed of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneSpeed {
    /// Single data rate.
    Sdr,
    /// Double data rate.
    Ddr,
    /// Quad data rate.
    Qdr,
    /// Mellanox's step between QDR and FDR: the speed class of QDR with 64b/66b coding.
    Fdr10,
    /// Fourteen data rate.
    Fdr,
    /// Enhanced data rate.
    Edr,
    /// High data rate.
    Hdr,
    /// Next data rate.
    Ndr,
    /// Extended data rate.
    Xdr,
}

/// The speeds: name, line rate of a lane in bits per second, data bits and coded bits.
///
/// Coding is 8b/10b up to QDR and 64b/66b from FDR10 on. From HDR on it is 256b/257b under the
/// RS(544,514) error correction: 256/257 · 514/544 = 16/17.
const LANES: [(LaneSpeed, &str, u64, u64, u64); 9] = [
    // speed          name     line rate        data, coded     data rate of a lane
    (LaneSpeed::Sdr, "SDR", 2_500_000_000, 8, 10), //   2 Gbps
    (LaneSpeed::Ddr, "DDR", 5_000_000_000, 8, 10), //   4 Gbps
    (LaneSpeed::Qdr, "QDR", 10_000_000_000, 8, 10), //   8 Gbps
    (LaneSpeed::Fdr10, "FDR10", 10_312_500_000, 64, 66), //  10 Gbps
    (LaneSpeed::Fdr, "FDR", 14_062_500_000, 64, 66), //  13.6363636 Gbps
    (LaneSpeed::Edr, "EDR", 25_781_250_000, 64, 66), //  25 Gbps
    (LaneSpeed::Hdr, "HDR", 53_125_000_000, 16, 17), //  50 Gbps
    (LaneSpeed::Ndr, "NDR", 106_250_000_000, 16, 17), // 100 Gbps
    (LaneSpeed::Xdr, "XDR", 212_500_000_000, 16, 17), // 200 Gbps
];

/// The possible numbers of lanes of a link.
const WIDTHS: [u8; 5] = [1, 2, 4, 8, 12];

/// The texts that [`LinkSpeed::from_str`] accepts, for error messages.
pub const ALLOWED_SPEEDS: &str =
    "1x, 2x, 4x, 8x or 12x of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, such as 4xFDR";

/// The width and speed of a link, such as `4xFDR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkSpeed {
    /// The number of lanes: 1, 2, 4, 8 or 12.
    lanes: u8,
    /// The speed of each lane.
    speed: LaneSpeed,
}

impl LinkSpeed {
    /// Returns a link of 1, 2, 4, 8 or 12 lanes of this speed, or `None` for another number of
    /// lanes.
    pub fn new(lanes: u8, speed: LaneSpeed) -> Option<Self> {
        WIDTHS.contains(&lanes).then_some(LinkSpeed { lanes, speed })
    }

    /// Returns the number of lanes.
    pub fn lanes(self) -> u8 {
        self.lanes
    }

    /// Returns the speed of a lane.
    pub fn speed(self) -> LaneSpeed {
        self.speed
    }

    /// Returns the rate after line coding, rounded down to whole bits per second.
    pub fn rate(self) -> BitRate {
        let &(_, _, line_bps, data, coded) = self.row();
        BitRate::from_bps(u64::from(self.lanes) * line_bps * data / coded)
    }

    /// Returns the width and speed with exactly this rate. It prefers four lanes, as nearly all
    /// cables have, and then the slowest lanes.
    pub fn of_rate(rate: BitRate) -> Option<Self> {
        let speeds = |lanes| LANES.iter().map(move |row| LinkSpeed { lanes, speed: row.0 });
        [4, 1, 2, 8, 12].into_iter().flat_map(speeds).find(|s| s.rate() == rate)
    }

    fn row(self) -> &'static (LaneSpeed, &'static str, u64, u64, u64) {
        &LANES[self.speed as usize]
    }
}

impl fmt::Display for LinkSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.lanes, self.row().1)
    }
}

/// The error for a text that names no link speed; see [`ALLOWED_SPEEDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an InfiniBand link speed")]
pub struct ParseSpeedError;

impl FromStr for LinkSpeed {
    type Err = ParseSpeedError;
    /// Reads `4xFDR` and `4x FDR`.
    fn from_str(text: &str) -> Result<Self, ParseSpeedError> {
        let (lanes, speed) = text.split_once('x').ok_or(ParseSpeedError)?;
        let lanes = WIDTHS.into_iter().find(|w| w.to_string() == lanes).ok_or(ParseSpeedError)?;
        let speed = speed.trim_start();
        let row = LANES.iter().find(|row| row.1 == speed).ok_or(ParseSpeedError)?;
        Ok(LinkSpeed { lanes, speed: row.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_rates_match_the_data_sheets() {
        let bps = |text: &str| text.parse::<LinkSpeed>().unwrap().rate().as_bps();
        assert_eq!(bps("4xSDR"), 8_000_000_000);
        assert_eq!(bps("1xDDR"), 4_000_000_000);
        assert_eq!(bps("4xQDR"), 32_000_000_000);
        assert_eq!(bps("4xFDR10"), 40_000_000_000);
        assert_eq!(bps("4xFDR"), 54_545_454_545);
        assert_eq!(bps("4x EDR"), 100_000_000_000);
        assert_eq!(bps("2xHDR"), 100_000_000_000);
        assert_eq!(bps("4xNDR"), 400_000_000_000);
        assert_eq!(bps("12xXDR"), 2_400_000_000_000);
    }

    #[test]
    fn link_speeds_round_trip_in_enum_order() {
        for (i, row) in LANES.iter().enumerate() {
            assert_eq!(row.0 as usize, i);
            let speed = LinkSpeed::new(4, row.0).unwrap();
            assert_eq!(speed.to_string().parse(), Ok(speed));
        }
        for bad in ["", "x", "4x", "3xFDR", "4xfdr", "FDR", "4x???", "04xFDR", "+4xFDR"] {
            assert_eq!(bad.parse::<LinkSpeed>(), Err(ParseSpeedError), "{bad:?}");
        }
    }

    #[test]
    fn link_speed_is_found_by_rate() {
        let fdr = BitRate::from_bps(54_545_454_545);
        assert_eq!(LinkSpeed::of_rate(fdr).unwrap().to_string(), "4xFDR");
        assert_eq!(LinkSpeed::of_rate(BitRate::from_gbps(56)), None);
    }
}
