//! [`Marking`]: the mark that packets of a priority level carry.

use bandwise_enforce::htb::Marks;
use bandwise_rdma::qos::Sl;
use bandwise_saba::mapping::PriorityLevel;
use std::num::NonZeroU16;

/// The mark that packets of each priority level carry, by the kind of network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marking {
    /// A DSCP in the IP header.
    Dscp(Marks),
    /// An InfiniBand service level; the index is the priority level.
    ServiceLevels(Vec<Sl>),
}

impl Marking {
    /// Returns the mark of a priority level, or `None` if the level has none.
    pub fn of(&self, level: PriorityLevel) -> Option<u8> {
        match self {
            Marking::Dscp(marks) => marks.of(level).map(|mark| mark.get()),
            Marking::ServiceLevels(sls) => sls.get(usize::from(level.0)).map(|sl| sl.get()),
        }
    }

    /// Returns the mark's name in answers to clients: `dscp` or `sl`.
    pub fn name(&self) -> &'static str {
        match self {
            Marking::Dscp(_) => "dscp",
            Marking::ServiceLevels(_) => "sl",
        }
    }

    /// Returns the number of priority levels with a mark, counted from level 0 without a gap.
    pub fn levels(&self) -> NonZeroU16 {
        let levels = (0..).take_while(|&level| self.of(PriorityLevel(level)).is_some()).count();
        u16::try_from(levels).ok().and_then(NonZeroU16::new).unwrap_or(NonZeroU16::MIN)
    }
}
