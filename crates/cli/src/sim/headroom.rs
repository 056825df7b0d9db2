//! The headroom of a network's ports, and its limit.

use bandwise_netsim::ethernet::{Buffering, Headroom, SharedBuffer, SharedPfc};
use bandwise_scenario::ethernet::EthernetScenario;
use bandwise_units::{Bytes, Time};

/// The limit of a computed headroom without a response to pauses.
const LIMIT: &str = "headroom of this model's switch and hosts, which obey a pause at once; real ones need \
                     several times as much (pfc.response)";

/// Returns the least and the most headroom of a port with a cable, if the network has a shared buffer
/// with PFC.
pub(super) fn range(scenario: &EthernetScenario) -> Option<(Bytes, Bytes)> {
    let model = scenario.model();
    let Buffering::Shared(shared @ SharedBuffer { pfc: Some(_), .. }) = &model.switch.buffering
    else {
        return None;
    };
    let fabric = scenario.fabric();
    let of_switch = |&node: &_| shared.headrooms(fabric, node, model.after_pause());
    let all = || {
        let ports = fabric.switches().iter().flat_map(of_switch);
        ports.filter(|&headroom| headroom > Bytes::ZERO)
    };
    Some((all().min().unwrap_or(Bytes::ZERO), all().max().unwrap_or(Bytes::ZERO)))
}

/// Returns the limit of the headroom, if the network has one that assumes no response time.
pub(super) fn limit(scenario: &EthernetScenario) -> Option<&'static str> {
    let model = scenario.model();
    let by_link = Some(Headroom::ByLink);
    match &model.switch.buffering {
        Buffering::Shared(SharedBuffer { pfc, .. })
            if pfc.map(|SharedPfc { headroom, .. }| headroom) == by_link
                && model.pause_response == Time::ZERO =>
        {
            Some(LIMIT)
        }
        _ => None,
    }
}
