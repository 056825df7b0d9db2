//! [`connect`]: the side that asks.

use super::address::{own, theirs};
use super::channel::{Channel, Step};
use super::connections::{Connections, PATIENCE};
use super::ticket::Ticket;
use crate::ibverbs::{QueuePairs, VerbsError};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Path, Side};
use std::net::SocketAddr;
use std::time::Instant;

/// Looking for an address or a way may take that long, ms: half of the other side's patience.
const TO_FIND: i32 = 2000;

/// Connects the queue pairs of all threads with those of a side that waits for it.
pub fn connect(
    threads: &mut [QueuePairs],
    side: &Side,
    path: Path,
) -> Result<(Connections, Mtu), VerbsError> {
    let until = Instant::now() + PATIENCE;
    let (address, manager) = theirs(side)?;
    let channel = Channel::open()?;
    let (mut ids, mut mtu, mut number) = (Vec::new(), path.mtu, 0);
    let count = threads.len();
    for (thread, pairs) in threads.iter_mut().enumerate() {
        let own = own(pairs.chosen())?;
        let next = |step, waits_for| channel.next(until, waits_for)?.is(step);
        mtu = pairs.connect_by(&side.of_thread(thread, count), path, |qp, path| {
            let id = channel.id()?;
            id.resolve(own, SocketAddr::new(address, manager.port), TO_FIND)?;
            next(Step::Address, "the other side's address was not found")?;
            id.route(TO_FIND)?;
            next(Step::Route, "no way to the other side was found")?;
            let ticket = Ticket { number, secret: manager.secret };
            number += 1;
            id.connect(qp, &ticket.to_bytes())?;
            next(Step::Answer, "the other side gave no answer by RDMA-CM")?;
            qp.connect_by_manager(|state| id.attributes(state), path)?;
            id.establish()?;
            ids.push(id);
            Ok(())
        })?;
    }
    Ok((Connections { _ids: ids, _channel: channel }, mtu))
}
