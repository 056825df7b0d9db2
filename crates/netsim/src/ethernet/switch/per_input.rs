//! A buffer per input, with drops if it is full.

use super::ingress::{Admission, Ingress};

/// Admits a packet to its input's buffer of size `buffer`, if there is room.
#[inline]
pub(super) fn admit(buffer: u32, ingress: &mut Ingress, bytes: u32) -> Admission {
    let after = ingress.held + bytes;
    if after > buffer {
        return Admission::Drop;
    }
    ingress.add(bytes);
    if after > ingress.xoff { Admission::AcceptAndPause } else { Admission::Accept }
}

/// Removes a packet. Returns whether the sender may be resumed.
#[inline]
pub(super) fn release(ingress: &mut Ingress, bytes: u32) -> bool {
    ingress.held -= bytes;
    ingress.held <= ingress.xon
}

/// Returns whether the sender could be resumed if `remaining` bytes remained forever.
pub(super) fn may_resume(ingress: &Ingress, remaining: u32) -> bool {
    remaining <= ingress.xon
}
