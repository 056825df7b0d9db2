//! Service that is put off.
//!
//! Where nobody is ever told to stop, it is known which packet leaves an output next, and when, once nothing can come
//! for it before that. So outputs are served when something comes for them, or at the end of a window of the engine, as
//! often as they could have been since: what waits takes no events of its own. Until then inputs seem to hold more than
//! they do, and where that would matter it is looked at again.

use super::super::features::Features;
use super::super::output::Net;
use super::Switch;
use crate::base::bits::ones;
use bandwise_units::Time;

impl<F: Features> Switch<F> {
    /// Everything leaves that may before `horizon`; returns when the next may.
    #[inline]
    pub(super) fn serve_all(&mut self, horizon: Time, net: &mut Net<F::Frame>) -> Time {
        // Times are whole.
        let last = horizon.saturating_sub(Time::from_ps(1));
        let mut next = Time::MAX;
        for output in ones(self.busy) {
            self.serve_until(last, output, net);
            let port = &self.ports[output];
            if port.waiting == 0 {
                self.busy &= !(1 << output);
            } else {
                next = next.min(port.output.free_at);
            }
        }
        next
    }

    /// Whatever of a class came in by a port leaves that may by `now`, and what is before it in turn.
    #[cold]
    pub(super) fn serve_source(
        &mut self,
        now: Time,
        input: usize,
        class: usize,
        net: &mut Net<F::Frame>,
    ) {
        for output in ones(self.busy) {
            if self.ports[output].lanes[class].waiting >> input & 1 == 1 {
                self.serve_until(now, output, net);
            }
        }
    }

    /// What waits for an output leaves that may by `last`: at an instant what leaves goes before what comes.
    #[inline]
    pub(super) fn serve_until(&mut self, last: Time, output: usize, net: &mut Net<F::Frame>) {
        loop {
            let port = &self.ports[output];
            let (now, ready) = (port.output.free_at, port.waiting);
            if ready == 0 || now > last {
                return;
            }
            self.leave(now, output, ready, net);
        }
    }
}
