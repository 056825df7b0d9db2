//! [`connect`]: the requesting side.

use super::address::{own, theirs};
use super::channel::{Channel, Step};
use super::connections::{Connections, PATIENCE};
use super::ticket::Ticket;
use crate::ibverbs::{QueuePairs, VerbsError};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Path, Side};
use std::net::SocketAddr;
use std::time::Instant;

/// The timeout of address and route resolution in ms: half of the other side's patience.
const TO_FIND: i32 = 2000;

/// Connects the queue pairs of all threads with those of a listening side. Returns the largest payload of a packet too.
///
/// # Errors
///
/// Returns a [`VerbsError`] if a step of the connection fails or takes too long.
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
            next(Step::Address, "the other side's address was not resolved in time")?;
            id.route(TO_FIND)?;
            next(Step::Route, "the route to the other side was not resolved in time")?;
            let ticket = Ticket { number, secret: manager.secret };
            number += 1;
            id.connect(qp, &ticket.to_bytes())?;
            next(Step::Answer, "the other side did not answer by RDMA-CM")?;
            qp.connect_by_manager(|state| id.attributes(state), path)?;
            id.establish()?;
            ids.push(id);
            Ok(())
        })?;
    }
    Ok((Connections { _ids: ids, _channel: channel }, mtu))
}
