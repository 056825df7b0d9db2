//! [`GidInfo`]: an entry of a port's table of global identifiers (GIDs).

use bandwise_session::Gid;

/// What packets look like that are sent from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GidKind {
    /// InfiniBand.
    Ib,
    /// RoCE in frames of its own.
    RoceV1,
    /// RoCE over UDP and IP.
    RoceV2,
}

impl GidKind {
    pub(super) fn from_code(code: u32) -> Option<GidKind> {
        [GidKind::Ib, GidKind::RoceV1, GidKind::RoceV2].get(code as usize).copied()
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            GidKind::Ib => "InfiniBand",
            GidKind::RoceV1 => "RoCE v1",
            GidKind::RoceV2 => "RoCE v2",
        }
    }
}

/// An entry of a port's table of identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GidInfo {
    /// Its place in the table: what `-x` takes.
    pub index: u32,
    /// The identifier.
    pub gid: Gid,
    /// What packets look like; none for a code that is not known here.
    pub kind: Option<GidKind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_codes_of_libibverbs() {
        assert_eq!(GidKind::from_code(2), Some(GidKind::RoceV2));
        assert_eq!(GidKind::from_code(3), None);
    }
}
