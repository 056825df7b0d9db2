//! [`Routes`]: the egress port of each switch for each destination, as in the linear forwarding
//! tables (LFT) of InfiniBand switches.

mod credit_loop;
mod equal;
mod farthest;
mod forwarding;
mod set;
mod shortest;
mod switches;
mod tables;

pub use credit_loop::credit_loop;
pub use equal::EqualPaths;
pub use farthest::farthest_hosts;
pub use forwarding::{NO_ROUTE, Routes};
pub use tables::RoutesError;

use crate::Fabric;

impl Routes {
    /// Computes routes with the fewest hops. If several ports are equally near to a destination,
    /// the destinations are spread over them, so that the ports carry equal numbers of host pairs
    /// as far as the topology allows. The minhop engine of OpenSM balances entries instead. In a
    /// fat tree the entries of an upper switch can balance while all destinations that a lower
    /// switch sends to it use one port.
    ///
    /// Destinations are processed by switch, in the order of the first host of each switch, then in
    /// the order of hosts. For each destination every switch selects, among its equally near ports,
    /// the one with the fewest host pairs so far, and of those the lowest. Farther switches select
    /// before nearer ones.
    pub fn shortest(fabric: &Fabric) -> Routes {
        shortest::routes(fabric)
    }

    /// Returns routes with given tables. Index `s * hosts + h` of `table` has the egress port of
    /// switch `s` (its index in [`Fabric::switches`]) for host `h` (its index in
    /// [`Fabric::hosts`]), or [`NO_ROUTE`] if no packet for this host arrives there.
    ///
    /// # Errors
    ///
    /// Returns a [`RoutesError`] if the size is wrong, or a packet would not reach its destination.
    pub fn from_tables(fabric: &Fabric, table: Vec<u16>) -> Result<Routes, RoutesError> {
        tables::routes(fabric, table)
    }
}
