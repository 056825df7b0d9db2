//! A buffer for each input: a packet has room, or it is dropped.

use super::ingress::{Ingress, Verdict};

/// Whether a packet goes into its input's buffer, which is that large.
#[inline]
pub(super) fn admit(buffer: u32, ingress: &mut Ingress, bytes: u32) -> Verdict {
    let after = ingress.held + bytes;
    if after > buffer {
        return Verdict::Drop;
    }
    ingress.keep(bytes);
    if after > ingress.stop { Verdict::KeepAndStop } else { Verdict::Keep }
}

/// A packet leaves; whether the sender may go on.
#[inline]
pub(super) fn release(ingress: &mut Ingress, bytes: u32) -> bool {
    ingress.held -= bytes;
    ingress.held <= ingress.go
}

/// Whether the sender may go on some day if that much stays for ever.
pub(super) fn may_go(ingress: &Ingress, stays: u32) -> bool {
    stays <= ingress.go
}
