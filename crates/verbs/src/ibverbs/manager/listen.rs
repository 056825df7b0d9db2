//! [`Listener`]: the listening side.

use super::address::own;
use super::channel::{Channel, Id};
use super::connections::{Connections, PATIENCE};
use super::ticket::Ticket;
use crate::ibverbs::{Chosen, QueuePairs, VerbsError};
use bandwise_session::{ManagerPort, Path, Side};
use std::collections::BTreeMap;
use std::time::Instant;

/// A listener for the connections of one other side.
pub struct Listener {
    // Fields are dropped in this order.
    _listens: Id,
    channel: Channel,
    at: ManagerPort,
    device: String,
}

/// The length of the queue of connection requests.
const BACKLOG: u32 = 1024;

impl Listener {
    /// Listens at the chosen address, at a port of the system's choice. `secret` has to be random.
    ///
    /// # Errors
    ///
    /// Returns a [`VerbsError`] if RDMA-CM can't listen there.
    pub fn open(chosen: &Chosen, secret: u32) -> Result<Listener, VerbsError> {
        let channel = Channel::open()?;
        let listens = channel.id()?;
        let port = listens.listen(own(chosen)?, BACKLOG)?;
        let at = ManagerPort { port, secret };
        Ok(Listener { _listens: listens, channel, at, device: chosen.device.clone() })
    }

    /// Returns the port and the secret.
    pub fn at(&self) -> ManagerPort {
        self.at
    }

    /// Accepts a connection for each queue pair of all threads, in any order. Connections with another secret are
    /// rejected.
    ///
    /// # Errors
    ///
    /// Returns a [`VerbsError`] if a connection fails, or not all arrive in time.
    pub fn accept(
        self,
        threads: &mut [QueuePairs],
        side: &Side,
        path: Path,
    ) -> Result<Connections, VerbsError> {
        let until = Instant::now() + PATIENCE;
        let wanted = side.queue_pairs.len() as u32;
        let mut came = BTreeMap::new();
        let (count, mut number, mut ids) = (threads.len(), 0, Vec::new());
        for (thread, pairs) in threads.iter_mut().enumerate() {
            pairs.connect_by(&side.of_thread(thread, count), path, |qp, path| {
                let id = loop {
                    if let Some(id) = came.remove(&number) {
                        break id;
                    }
                    let waits_for = "the other side has not connected all queue pairs by RDMA-CM";
                    let event = self.channel.next(until, waits_for)?;
                    // Other events concern accepted connections. A dropped connection is rejected.
                    let Some(id) = event.requested else { continue };
                    let ticket = Ticket::of(&event.private_data);
                    let ours = ticket.filter(|ticket| {
                        ticket.secret == self.at.secret && (number..wanted).contains(&ticket.number)
                    });
                    if let Some(ticket) =
                        ours.filter(|_| id.device().as_ref() == Some(&self.device))
                    {
                        came.insert(ticket.number, id);
                    }
                };
                number += 1;
                qp.connect_by_manager(|state| id.attributes(state), path)?;
                id.accept(qp)?;
                ids.push(id);
                Ok(())
            })?;
        }
        let Listener { channel, _listens, .. } = self;
        drop(_listens);
        Ok(Connections { _ids: ids, _channel: channel })
    }
}
