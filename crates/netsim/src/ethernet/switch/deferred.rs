//! Deferred service: without PFC, departures are computed lazily.
//!
//! Without PFC, an output's next departure and its time are known once no packet can arrive for it
//! before that time. Outputs are therefore served when a packet for them arrives, or at the end of
//! a window of the engine, for all departures that were possible since. Waiting packets need no
//! events. Until then an input's accounting may be too high; it is brought up to date where that
//! matters.

use super::super::features::Features;
use super::super::output::Net;
use super::{PortClass, Switch};
use bandwise_units::Time;

impl<F: Features> Switch<F> {
    /// Sends all packets that may leave before `horizon`. Returns when the next one may.
    #[inline]
    pub(super) fn serve_all(&mut self, horizon: Time, net: &mut Net<F::Frame>) -> Time {
        // Times are integers.
        let last = horizon.saturating_sub(Time::from_ps(1));
        let mut next = Time::MAX;
        for word in 0..self.busy_outputs.words() {
            for output in self.busy_outputs.of_word(word) {
                self.serve_until(last, output, net);
                let port = &self.ports[output];
                if port.waiting == 0 {
                    self.busy_outputs.remove(output);
                } else {
                    next = next.min(port.output.free_at);
                }
            }
        }
        next
    }

    /// Sends the packets of a class from an input that may leave by `now`, and those ahead of them.
    #[cold]
    pub(super) fn serve_source(
        &mut self,
        now: Time,
        input: usize,
        class: usize,
        net: &mut Net<F::Frame>,
    ) {
        let source = self.source(input);
        for word in 0..self.busy_outputs.words() {
            for output in self.busy_outputs.of_word(word) {
                let PortClass { waiting, queues, .. } = self.ports[output].port_classes[class];
                if self.sources.contains(waiting, queues, source) {
                    self.serve_until(now, output, net);
                }
            }
        }
    }

    /// Sends the packets of an output that may leave by `last`. Departures precede arrivals at one
    /// instant.
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
