//! [`driven`]: a program over queue pairs, busy or woken.

use bandwise_rdma::verbs::Program;
use bandwise_verbs::ibverbs::{QueuePairs, VerbsError};
use bandwise_verbs::{ByEvents, Clock, End, drive};

/// Runs a program until it is done, its device fails or `stop` says so: woken by completions, or looking for them all
/// the time.
pub fn driven<P: Program + ?Sized>(
    program: &mut P,
    device: &mut QueuePairs,
    clock: &impl Clock,
    by_events: bool,
    stop: &mut dyn FnMut() -> bool,
) -> Result<End, VerbsError> {
    match by_events {
        true => drive(program, &mut ByEvents::of(device), clock, stop),
        false => drive(program, device, clock, stop),
    }
}
