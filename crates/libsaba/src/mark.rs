//! [`Mark`]: what packets of a connection are to carry.

use crate::Error;
use socket2::{Domain, SockRef};
use std::fmt;
use std::os::fd::AsFd;
use std::str::FromStr;

/// What packets of a connection are to carry, as the network has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Saba's priority level.
    pub level: u16,
    /// At ports of Ethernet the differentiated services code point, 1 to 63.
    pub dscp: Option<u8>,
    /// At ports of InfiniBand the service level, 0 to 15.
    pub service_level: Option<u8>,
}

impl Mark {
    /// The byte that stands in a header of IP, for the traffic class of an address vector: no congestion seen.
    pub fn traffic_class(&self) -> Option<u8> {
        self.dscp.map(|dscp| dscp << 2)
    }

    /// Marks what a socket sends from now on. The two bits for congestion stay as they are.
    pub fn set(&self, socket: impl AsFd) -> Result<(), Error> {
        let Some(class) = self.traffic_class() else { return Ok(()) };
        let socket = socket.as_fd();
        let socket = SockRef::from(&socket);
        let mark = || -> std::io::Result<()> {
            match socket.domain()? {
                Domain::IPV4 => socket.set_tos_v4(u32::from(class) | socket.tos_v4()? & 3),
                Domain::IPV6 => {
                    socket.set_tclass_v6(u32::from(class) | socket.tclass_v6()? & 3)?;
                    // What goes to an IPv4 address from a socket for both has the mark of IPv4.
                    if !socket.only_v6()? {
                        socket.set_tos_v4(u32::from(class) | socket.tos_v4()? & 3)?;
                    }
                    Ok(())
                }
                // Others have no such mark, and pass no switch.
                _ => Ok(()),
            }
        };
        mark().map_err(|error| Error::Socket(error.to_string()))
    }
}

/// What is no mark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the mark {0:?} (allowed: such as \"level=1,dscp=7,sl=2\", without what there is not)")]
pub struct NoMark(String);

impl fmt::Display for Mark {
    /// As it stands in the [environment](crate::environment::MARK).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level={}", self.level)?;
        if let Some(dscp) = self.dscp {
            write!(f, ",dscp={dscp}")?;
        }
        if let Some(service_level) = self.service_level {
            write!(f, ",sl={service_level}")?;
        }
        Ok(())
    }
}

impl FromStr for Mark {
    type Err = NoMark;

    fn from_str(text: &str) -> Result<Self, NoMark> {
        let no_mark = || NoMark(text.to_owned());
        let (mut level, mut dscp, mut service_level) = (None, None, None);
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(no_mark)?;
            let number: u16 = value.parse().map_err(|_| no_mark())?;
            let below = |limit| u8::try_from(number).ok().filter(|n| *n < limit);
            match name {
                "level" if level.is_none() => level = Some(number),
                "dscp" if dscp.is_none() => dscp = Some(below(64).ok_or_else(no_mark)?),
                "sl" if service_level.is_none() => {
                    service_level = Some(below(16).ok_or_else(no_mark)?);
                }
                _ => return Err(no_mark()),
            }
        }
        Ok(Mark { level: level.ok_or_else(no_mark)?, dscp, service_level })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_printed_is_read(
            level: u16,
            dscp in proptest::option::of(0..64u8),
            service_level in proptest::option::of(0..16u8),
        ) {
            let mark = Mark { level, dscp, service_level };
            prop_assert_eq!(mark.to_string().parse(), Ok(mark));
        }
    }

    #[test]
    fn others_are_refused() {
        for wrong in
            ["", "7", "dscp=7", "level=1,dscp=64", "level=1,sl=16", "level=1,level=1", "level=1,"]
        {
            let said = wrong.parse::<Mark>().unwrap_err().to_string();
            assert!(said.contains("allowed"), "{said}");
        }
    }
}
