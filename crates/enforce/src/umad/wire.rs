//! [`Wire`]: where datagrams go and come from.

use crate::infiniband::LENGTH;
use bandwise_units::Time;
use std::io;

/// Carries datagrams of subnet management, and has a clock.
pub trait Wire {
    /// What the clock says.
    fn now(&self) -> Time;

    /// Sends a datagram. Its answer may come for so long.
    fn send(&mut self, datagram: &[u8; LENGTH], timeout: Time) -> io::Result<()>;

    /// The next that came; none if nothing did for so long, or only what is no datagram.
    fn receive(&mut self, at_most: Time) -> io::Result<Option<[u8; LENGTH]>>;
}
