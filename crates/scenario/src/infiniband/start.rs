//! What the start of a bulk flow does to its bandwidth.

use super::{Flow, FlowResult, InfinibandScenario, Method};
use bandwise_units::{Bytes, Time};

/// The part of a measurement from which on a time is told.
const NOTICEABLE: f64 = 0.01;
/// The messages at a given rate from which on their number makes no difference.
const MANY: u64 = 10;

impl InfinibandScenario {
    /// Returns a sentence about a measurement that holds the start of a bulk flow, or only a few of the
    /// messages that its `rate` spreads.
    pub fn start_of(&self, flow: &Flow, result: &FlowResult) -> Option<String> {
        let Method::Bulk(traffic) = &flow.method else { return None };
        let bandwidth = result.bandwidth?;
        let window = bandwidth.to.saturating_sub(bandwidth.from);
        if window == Time::ZERO {
            return None;
        }
        if let Some(rate) = traffic.rate {
            let each = rate.time_for(Bytes::new(traffic.bytes.into()));
            if window < each * MANY {
                return Some(format!(
                    "{}: `rate` starts a message each {each}, and {window} are measured: a message more or \
                     less counts.",
                    flow.name
                ));
            }
        }
        let round = self.least_round_trip(flow);
        let since = bandwidth.from.saturating_sub(traffic.start);
        let part = round.as_s_f64() / window.as_s_f64();
        (since < round && part > NOTICEABLE).then(|| {
            format!(
                "{} counts from {since} after its start, before its path is full: a round trip takes {round} \
                 of the {window} measured.",
                flow.name
            )
        })
    }
}
