//! [`Mark`]: what packets of a connection are to carry.

use crate::Error;
use socket2::{Domain, SockRef};
use std::os::fd::AsFd;

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
