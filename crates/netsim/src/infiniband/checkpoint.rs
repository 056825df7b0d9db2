//! [`FabricCheckpoint`]: access to a simulation between two steps, for control of programs and
//! ports.

use crate::engine::Checkpoint;
use crate::infiniband::cable::Net;
use crate::infiniband::host::Host;
use crate::infiniband::models::{PortTables, PortTablesError};
use crate::infiniband::simulation::Node;
use bandwise_rdma::qos::VlArbiter;
use bandwise_rdma::verbs::Program;
use bandwise_topology::Port;
use bandwise_units::Time;

/// A paused simulation: all events before the current time have been handled, and no others.
#[derive(Debug)]
pub struct FabricCheckpoint<'a, 'b, 'c, P: Program> {
    pub(crate) checkpoint: &'a mut Checkpoint<'b, 'c, Node<P>>,
    pub(crate) switches: usize,
    pub(crate) lanes: usize,
    /// Simulation node of each fabric node.
    pub(crate) node_of: &'a [u32],
}

impl<P: Program> FabricCheckpoint<'_, '_, '_, P> {
    /// Returns the simulated time.
    pub fn now(&self) -> Time {
        self.checkpoint.now()
    }

    /// Returns whether nothing remains due: no program posts and no packet moves.
    pub fn is_quiet(&self) -> bool {
        self.checkpoint.next_at().is_none()
    }

    fn host_mut(&mut self, host: usize) -> (&mut Host<P>, &mut Net) {
        let (node, net) = self.checkpoint.node_mut(self.switches + host);
        (node.as_host_mut().expect("hosts come after switches"), net)
    }

    /// Returns a program by its host and its number there.
    ///
    /// # Panics
    ///
    /// If the host has no such program.
    pub fn program_mut(&mut self, host: usize, number: usize) -> &mut P {
        &mut self.host_mut(host).0.cores[number].program
    }

    /// Steps a program now, or as soon as its core is free.
    ///
    /// # Panics
    ///
    /// If the host has no such program.
    pub fn wake(&mut self, host: usize, number: usize) {
        let now = self.now();
        let (host, net) = self.host_mut(host);
        host.wake_program(number, now, net);
    }

    /// Replaces the tables of a port.
    ///
    /// Packets that wait in a switch for the port take their new lanes. Packets with a lane
    /// assigned by a host, and packets on links, keep theirs up to the next port. Packets of one
    /// connection may therefore overtake each other. The receiver holds early ones until the
    /// missing ones arrive, where a real connection would have them retransmitted.
    ///
    /// # Errors
    ///
    /// Returns a [`PortTablesError`] for a service level without one of the simulation's lanes, or an unusable
    /// arbitration table.
    ///
    /// # Panics
    ///
    /// Panics if the fabric has no such port.
    pub fn set_tables(&mut self, port: Port, tables: &PortTables) -> Result<(), PortTablesError> {
        tables.check(self.lanes)?;
        let arbiter = VlArbiter::new(&tables.vlarb)?;
        let now = self.now();
        let node = self.node_of[port.node.index()] as usize;
        if node < self.switches {
            let output = usize::from(port.number) - 1;
            let (node, net) = self.checkpoint.node_mut(node);
            let switch = node.as_switch_mut().expect("switches come first");
            switch.set_tables(output, tables.sl2vl, arbiter, now, net);
        } else {
            self.host_mut(node - self.switches).0.set_tables(tables.sl2vl, arbiter);
        }
        Ok(())
    }
}
