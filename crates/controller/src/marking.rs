//! [`Marking`]: what packets of a priority level carry, by which ports know them.

use bandwise_enforce::htb::Marks;
use bandwise_rdma::qos::Sl;
use bandwise_saba::mapping::PriorityLevel;
use std::num::NonZeroU16;

/// What packets of a priority level carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marking {
    /// A mark in the header of IP.
    Dscp(Marks),
    /// A service level of InfiniBand, by level.
    ServiceLevels(Vec<Sl>),
}

impl Marking {
    /// The number that packets of a level carry, if any.
    pub fn of(&self, level: PriorityLevel) -> Option<u8> {
        match self {
            Marking::Dscp(marks) => marks.of(level).map(|mark| mark.get()),
            Marking::ServiceLevels(sls) => sls.get(usize::from(level.0)).map(|sl| sl.get()),
        }
    }

    /// What the number is called where it is said to clients.
    pub fn name(&self) -> &'static str {
        match self {
            Marking::Dscp(_) => "dscp",
            Marking::ServiceLevels(_) => "sl",
        }
    }

    /// How many levels can be told apart: the first ones, without a gap.
    pub fn levels(&self) -> NonZeroU16 {
        let levels = (0..).take_while(|&level| self.of(PriorityLevel(level)).is_some()).count();
        u16::try_from(levels).ok().and_then(NonZeroU16::new).unwrap_or(NonZeroU16::MIN)
    }
}
