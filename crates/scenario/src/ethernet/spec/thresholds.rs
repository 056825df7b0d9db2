//! Thresholds of priority flow control (PFC) at an input with its own buffer.

use crate::reader::values::{Given, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::Pfc;
use bandwise_units::Bytes;

/// Composition of the headroom, for errors.
pub(super) const ASKS: &str = "the bytes on the link in both directions and until the sender obeys, three packets and a PFC frame";

/// The part of an input's buffer for one class.
pub(super) struct Share {
    /// Size.
    pub(super) buffer: Bytes,
    /// Most bytes that arrive after a PFC frame was sent.
    pub(super) headroom: Bytes,
}

/// Returns a warning if packets can be dropped.
pub(super) fn too_little(
    source: &Source,
    at: std::ops::Range<usize>,
    share: &Share,
    pfc: Pfc,
) -> Option<InputError> {
    let left = share.buffer - pfc.xoff;
    (left < share.headroom).then(|| {
        let message = format!(
            "packets can be dropped in spite of PFC: a buffer of {} B has {} B left when PFC pauses \
             the sender (X-OFF)",
            share.buffer.get(),
            left.get()
        );
        let allowed = format!("{} B: {ASKS}, or pfc = true", share.headroom.get());
        source.error(at, message).allowed(allowed)
    })
}

/// Returns given thresholds, or those with which no packet is dropped.
pub(super) fn thresholds(
    source: &Source,
    xoff: &Given<Bytes>,
    xon: &Given<Bytes>,
    share: &Share,
) -> Result<Pfc, InputError> {
    let Share { buffer, headroom } = *share;
    let xoff = match xoff {
        Some(given) if *given.get_ref() > buffer => {
            let message = format!(
                "PFC pauses (X-OFF) at {} B in a buffer of {} B: packets are dropped before that",
                given.get_ref().get(),
                buffer.get()
            );
            let most = buffer.get().saturating_sub(headroom.get());
            let error = source.error(given.span(), message);
            return Err(error.allowed(match most {
                0 => "a buffer larger than the headroom".to_owned(),
                most => format!("up to {most} B, so that nothing is dropped"),
            }));
        }
        Some(given) => *given.get_ref(),
        None => Bytes::new(buffer.get().saturating_sub(headroom.get())),
    };
    let xon = match xon {
        Some(given) => within(source, "xon", given, Bytes::ZERO..=xoff)?,
        None => xoff,
    };
    Ok(Pfc { xoff, xon })
}
