//! The buffer of a lane with which credits don't limit a link.

use super::check::lane_buffers;
use bandwise_rdma::wire::Mtu;
use bandwise_units::{BitRate, Bytes, Time};

/// The time between the release of a buffer and the departure of its credits.
pub(super) const CREDIT_DELAY: Time = Time::from_ns(50);

/// Returns the size of a buffer that covers the time from a packet's departure to the return of its
/// credits, on links of these rates and delays: `least`, doubled until it does, up to the largest that
/// credits can count. `latency` is the time of a packet in the buffer.
pub(super) fn covering(
    links: impl IntoIterator<Item = (BitRate, Time)>,
    latency: Time,
    least: Bytes,
) -> Bytes {
    let sizes = lane_buffers(Mtu::MAX);
    let packet = *sizes.start();
    let needed = links.into_iter().map(|(rate, delay)| {
        let round = delay * 2 + latency + rate.time_for(packet) + CREDIT_DELAY;
        let bits = u128::from(rate.as_bps()) * u128::from(round.as_ps()) / 1_000_000_000_000;
        // One packet more, since only whole ones are sent.
        u64::try_from(bits / 8).unwrap_or(u64::MAX).saturating_add(packet.get())
    });
    let needed = needed.max().unwrap_or(0).min(sizes.end().get());
    Bytes::new(needed.max(least.get()).next_power_of_two().min(sizes.end().get()))
}
