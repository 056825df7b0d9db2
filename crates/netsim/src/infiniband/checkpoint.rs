//! [`FabricCheckpoint`]: a simulation between two steps, in which programs and ports are told what to do.

use crate::engine::Checkpoint;
use crate::infiniband::cable::Net;
use crate::infiniband::host::Host;
use crate::infiniband::models::{PortTables, PortTablesError};
use crate::infiniband::simulation::Node;
use bandwise_rdma::qos::VlArbiter;
use bandwise_rdma::verbs::Program;
use bandwise_topology::Port;
use bandwise_units::Time;

/// A simulation whose time stands still: all that is due before now is done, and nothing else.
#[derive(Debug)]
pub struct FabricCheckpoint<'a, 'b, 'c, P: Program> {
    pub(crate) checkpoint: &'a mut Checkpoint<'b, 'c, Node<P>>,
    pub(crate) switches: usize,
    pub(crate) lanes: usize,
    /// The simulation's nodes, by those of the fabric.
    pub(crate) places: &'a [u32],
}

impl<P: Program> FabricCheckpoint<'_, '_, '_, P> {
    /// Simulated time so far.
    pub fn now(&self) -> Time {
        self.checkpoint.now()
    }

    /// Whether nothing will happen any more: nobody posts and nothing moves.
    pub fn is_quiet(&self) -> bool {
        self.checkpoint.next_at().is_none()
    }

    fn host_mut(&mut self, host: usize) -> (&mut Host<P>, &mut Net) {
        let (node, net) = self.checkpoint.node_mut(self.switches + host);
        (node.as_host_mut().expect("hosts come after switches"), net)
    }

    /// A program, by its host and its number there.
    pub fn program_mut(&mut self, host: usize, number: usize) -> &mut P {
        &mut self.host_mut(host).0.cores[number].program
    }

    /// Has a program stepped now, or as soon as its core can.
    pub fn wake(&mut self, host: usize, number: usize) {
        let now = self.now();
        let (host, net) = self.host_mut(host);
        host.wake_program(number, now, net);
    }

    /// Gives a port other tables. Packets that wait in a switch for the port take their new lanes;
    /// those that a host has given a lane, and those on links, keep it as far as the next port. So
    /// packets of one connection may overtake each other; those that come early wait at the other end
    /// for what they have overtaken, where a real connection would have them sent again.
    pub fn set_tables(&mut self, port: Port, tables: &PortTables) -> Result<(), PortTablesError> {
        tables.check(self.lanes)?;
        let arbiter = VlArbiter::new(&tables.vlarb)?;
        let now = self.now();
        let place = self.places[port.node.index()] as usize;
        if place < self.switches {
            let output = usize::from(port.number) - 1;
            let (node, net) = self.checkpoint.node_mut(place);
            let switch = node.as_switch_mut().expect("switches come first");
            switch.set_tables(output, tables.sl2vl, arbiter, now, net);
        } else {
            self.host_mut(place - self.switches).0.set_tables(tables.sl2vl, arbiter);
        }
        Ok(())
    }
}
