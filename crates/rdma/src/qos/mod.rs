//! Quality of service on a link: service levels ([`Sl`]), virtual lanes ([`Vl`]), the mapping from
//! levels to lanes ([`Sl2Vl`]), and arbitration between the lanes of a port ([`VlArbTable`],
//! [`VlArbiter`]).

mod arbiter;
mod shares;
mod table;

pub use arbiter::VlArbiter;
pub use shares::entries_by_weight;
pub use table::{VlArbEntry, VlArbEntryError, VlArbError, VlArbTable};

/// A service level (SL), 0 to 15, which a packet keeps along its path (IBTA 7.6.5).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(try_from = "u8", into = "u8")]
pub struct Sl(u8);

/// A virtual lane (VL) for data, 0 to 14: a buffer with its own credits on one link (IBTA 7.6).
/// Lane 15 carries subnet management only, outside of credits and arbitration.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(try_from = "u8", into = "u8")]
pub struct Vl(u8);

/// A number that is not a service level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("service level {0} does not exist: it is 0 to 15")]
pub struct SlError(pub u8);

/// A number that is not a data lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("virtual lane {0} does not carry data: it is 0 to 14 (15 is for subnet management)")]
pub struct VlError(pub u8);

impl Sl {
    /// Returns the level as a number, 0 to 15.
    #[inline]
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Vl {
    /// Number of lanes that can carry data.
    pub const COUNT: usize = 15;

    /// Returns the lane as a number, 0 to 14.
    #[inline]
    pub const fn get(self) -> u8 {
        self.0
    }
    /// Returns the lane as one bit of a set of lanes.
    #[inline]
    pub const fn bit(self) -> u16 {
        1 << self.0
    }
}

impl TryFrom<u8> for Sl {
    type Error = SlError;
    fn try_from(n: u8) -> Result<Self, SlError> {
        if n <= 15 { Ok(Sl(n)) } else { Err(SlError(n)) }
    }
}

impl TryFrom<u8> for Vl {
    type Error = VlError;
    fn try_from(n: u8) -> Result<Self, VlError> {
        if n <= 14 { Ok(Vl(n)) } else { Err(VlError(n)) }
    }
}

impl From<Sl> for u8 {
    fn from(sl: Sl) -> u8 {
        sl.0
    }
}

impl From<Vl> for u8 {
    fn from(vl: Vl) -> u8 {
        vl.0
    }
}

impl std::fmt::Display for Sl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SL{}", self.0)
    }
}

impl std::fmt::Display for Vl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VL{}", self.0)
    }
}

/// Mapping of service levels to lanes on the next link (IBTA 7.6.6). A switch has one table for
/// each pair of input and output port, an RNIC one for its port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct Sl2Vl([u8; 16]);

/// The entry of an [`Sl2Vl`] table that discards packets of its level.
const DROP: u8 = 15;

/// A list that is not a mapping from service levels to lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Sl2VlError {
    /// The number of entries is not 16.
    #[error("{0} entries map service levels to lanes: there must be 16, one for each level")]
    Length(usize),
    /// An entry is neither a lane nor 15.
    #[error("SL{sl} is mapped to {vl}: it must be a lane from 0 to 14, or 15 to drop its packets")]
    Lane {
        /// Level of the wrong entry.
        sl: u8,
        /// Value of the entry.
        vl: u8,
    },
}

impl Sl2Vl {
    /// Creates the table with these lanes for levels 0 to 15; 15 drops the packets of its level.
    ///
    /// # Errors
    ///
    /// An entry above 15.
    pub fn new(lanes: [u8; 16]) -> Result<Self, Sl2VlError> {
        match lanes.iter().position(|&vl| vl > DROP) {
            Some(sl) => Err(Sl2VlError::Lane { sl: sl as u8, vl: lanes[sl] }),
            None => Ok(Sl2Vl(lanes)),
        }
    }

    /// Returns the table with every level on one lane: a link without quality of service.
    pub const fn all_to(vl: Vl) -> Self {
        Sl2Vl([vl.get(); 16])
    }

    /// Returns the table with level n on lane n modulo `lanes`, OpenSM's default.
    ///
    /// # Panics
    ///
    /// If `lanes` is not 1 to 15.
    pub fn modulo(lanes: u8) -> Self {
        assert!((1..=15).contains(&lanes), "{lanes} data lanes: there are 1 to 15");
        Sl2Vl(std::array::from_fn(|sl| sl as u8 % lanes))
    }

    /// Returns the lane for packets of a level, or `None` if they are dropped.
    #[inline]
    pub const fn vl(&self, sl: Sl) -> Option<Vl> {
        match self.0[sl.0 as usize & 15] {
            DROP => None,
            vl => Some(Vl(vl)),
        }
    }

    /// Returns the set of lanes that some level is mapped to, as bits.
    pub fn vls(&self) -> u16 {
        self.0.iter().filter(|&&vl| vl != DROP).fold(0, |set, &vl| set | 1 << vl)
    }
}

impl Default for Sl2Vl {
    /// Returns the table with every level on lane 0.
    fn default() -> Self {
        Sl2Vl::all_to(Vl(0))
    }
}

impl TryFrom<Vec<u8>> for Sl2Vl {
    type Error = Sl2VlError;
    fn try_from(lanes: Vec<u8>) -> Result<Self, Sl2VlError> {
        let lanes = lanes.try_into().map_err(|v: Vec<u8>| Sl2VlError::Length(v.len()))?;
        Sl2Vl::new(lanes)
    }
}

impl From<Sl2Vl> for Vec<u8> {
    fn from(table: Sl2Vl) -> Vec<u8> {
        table.0.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_lanes_have_their_ranges() {
        assert_eq!(Sl::try_from(15).unwrap().get(), 15);
        assert!(Sl::try_from(16).is_err());
        assert_eq!(Vl::try_from(14).unwrap().bit(), 1 << 14);
        let error = Vl::try_from(15).unwrap_err().to_string();
        assert_eq!(
            error,
            "virtual lane 15 does not carry data: it is 0 to 14 (15 is for subnet management)"
        );
    }

    #[test]
    fn entry_fifteen_drops_packets() {
        let mut lanes = [0; 16];
        (lanes[1], lanes[2]) = (1, 15);
        let table = Sl2Vl::new(lanes).unwrap();
        assert_eq!(table.vl(Sl(1)), Some(Vl(1)));
        assert_eq!(table.vl(Sl(2)), None);
        assert_eq!(table.vls(), 0b11);
        lanes[3] = 16;
        assert_eq!(
            Sl2Vl::new(lanes).unwrap_err().to_string(),
            "SL3 is mapped to 16: it must be a lane from 0 to 14, or 15 to drop its packets"
        );
        assert_eq!(Sl2Vl::try_from(vec![0; 3]), Err(Sl2VlError::Length(3)));
        assert_eq!(Sl2Vl::modulo(4).vl(Sl(7)), Some(Vl(3)));
    }
}
