//! [`Mark`]: the mark for packets of a connection.

use crate::Error;
use socket2::{Domain, SockRef};
use std::fmt;
use std::os::fd::AsFd;
use std::str::FromStr;

/// The mark for packets of a connection, by kind of network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Saba's priority level.
    pub level: u16,
    /// The differentiated services code point on Ethernet, 1 to 63.
    pub dscp: Option<u8>,
    /// The service level on InfiniBand, 0 to 15.
    pub service_level: Option<u8>,
}

impl Mark {
    /// Returns the byte of the IP header, also for the traffic class of an address vector, with the ECN bits at zero.
    pub fn traffic_class(&self) -> Option<u8> {
        self.dscp.map(|dscp| dscp << 2)
    }

    /// Marks the packets that a socket sends from now on. The two ECN bits are unchanged.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Socket`] if the system refuses the mark.
    pub fn set(&self, socket: impl AsFd) -> Result<(), Error> {
        let Some(class) = self.traffic_class() else { return Ok(()) };
        let socket = socket.as_fd();
        let socket = SockRef::from(&socket);
        let mark = || -> std::io::Result<()> {
            match socket.domain()? {
                Domain::IPV4 => socket.set_tos_v4(u32::from(class) | socket.tos_v4()? & 3),
                Domain::IPV6 => {
                    socket.set_tclass_v6(u32::from(class) | socket.tclass_v6()? & 3)?;
                    // A dual-stack socket sends IPv4 packets with the mark of IPv4.
                    if !socket.only_v6()? {
                        socket.set_tos_v4(u32::from(class) | socket.tos_v4()? & 3)?;
                    }
                    Ok(())
                }
                // Sockets of other families have no mark, and their packets pass no switch.
                _ => Ok(()),
            }
        };
        mark().map_err(|error| Error::Socket(error.to_string()))
    }
}

/// An invalid mark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the mark {0:?} (allowed: such as \"level=1,dscp=7,sl=2\"; dscp and sl are optional)")]
pub struct InvalidMark(String);

impl fmt::Display for Mark {
    /// Writes the mark in the form of the [environment variable](crate::environment::MARK).
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
    type Err = InvalidMark;

    fn from_str(text: &str) -> Result<Self, InvalidMark> {
        let invalid = || InvalidMark(text.to_owned());
        let (mut level, mut dscp, mut service_level) = (None, None, None);
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(invalid)?;
            let number: u16 = value.parse().map_err(|_| invalid())?;
            let below = |limit| u8::try_from(number).ok().filter(|n| *n < limit);
            match name {
                "level" if level.is_none() => level = Some(number),
                "dscp" if dscp.is_none() => dscp = Some(below(64).ok_or_else(invalid)?),
                "sl" if service_level.is_none() => {
                    service_level = Some(below(16).ok_or_else(invalid)?);
                }
                _ => return Err(invalid()),
            }
        }
        Ok(Mark { level: level.ok_or_else(invalid)?, dscp, service_level })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn marks_round_trip(
            level: u16,
            dscp in proptest::option::of(0..64u8),
            service_level in proptest::option::of(0..16u8),
        ) {
            let mark = Mark { level, dscp, service_level };
            prop_assert_eq!(mark.to_string().parse(), Ok(mark));
        }
    }

    #[test]
    fn invalid_marks_are_refused() {
        for wrong in
            ["", "7", "dscp=7", "level=1,dscp=64", "level=1,sl=16", "level=1,level=1", "level=1,"]
        {
            let message = wrong.parse::<Mark>().unwrap_err().to_string();
            assert!(message.contains("allowed"), "{message}");
        }
    }
}
