//! Warnings about settings that do not fit the rates and delays of a fabric.

use bandwise_input::InputError;
use bandwise_netsim::ethernet::{NetworkModel, longest_round_trip};
use bandwise_rdma::transport::Timeout;
use bandwise_topology::{Fabric, NodeId};
use bandwise_units::BitRate;

/// Parts of the warnings about a load, which does not count with a list of flows.
const OF_LOADS: [&str; 2] = ["the load is that of a link", "queues grow without limit"];

/// Returns whether a warning is about the load of generated flows.
pub fn is_of_load(warning: &InputError) -> bool {
    OF_LOADS.iter().any(|part| warning.message().contains(part))
}

/// Returns the rates of the slowest and of the fastest link of a host, if they differ.
pub(super) fn differing_hosts(fabric: &Fabric) -> Option<(BitRate, BitRate)> {
    let rates = fabric.hosts().iter().filter_map(|&host| fabric.peer(fabric.host_port(host)));
    let rates = || rates.clone().map(|(_, link)| link.rate);
    let (slowest, fastest) = (rates().min()?, rates().max()?);
    (slowest < fastest).then_some((slowest, fastest))
}

/// Returns a warning about a load, which is of the slowest link of a host.
pub(super) fn load(fabric: &Fabric) -> Option<String> {
    let (slowest, fastest) = differing_hosts(fabric)?;
    Some(format!(
        "hosts have links of {slowest} to {fastest}, and all send alike: the load is that of a link of \
         {slowest}"
    ))
}

/// Returns a warning about a cap for all flows, which is right for those of the longest path.
pub(super) fn cap(fabric: &Fabric, model: &NetworkModel) -> Option<String> {
    let (slowest, fastest) = differing_hosts(fabric)?;
    let packets = model.host.transport.window?;
    Some(format!(
        "hosts have links of {slowest} to {fastest}, and each flow has the cap of the longest path, {packets} \
         packets in flight: with it a flow between faster hosts may not fill its link, and one to a slower \
         host may overflow a buffer"
    ))
}

/// Returns a warning about Homa's packets without a grant, which are those of the longest path.
pub(super) fn grants(fabric: &Fabric) -> Option<String> {
    let (slowest, fastest) = differing_hosts(fabric)?;
    Some(format!(
        "hosts have links of {slowest} to {fastest}, and each message may send the packets of the longest \
         path without a grant: between faster hosts these may not fill a link"
    ))
}

/// Returns the key of a timeout that is less than the round trip of the longest path, and a warning.
pub(super) fn timeout(fabric: &Fabric, model: &NetworkModel) -> Option<(&'static str, String)> {
    let least = longest_round_trip(fabric, &model.host);
    let timeouts = match model.host.transport.timeout {
        Timeout::None => vec![],
        Timeout::Fixed(time) | Timeout::Dynamic { min: time, .. } => vec![("rto-high", time)],
        Timeout::LowHigh { low, high, .. } => vec![("rto-high", high), ("rto-low", low)],
    };
    let (key, time) = timeouts.into_iter().find(|(_, time)| *time < least)?;
    Some((
        key,
        format!(
            "a timeout of {time} (`{key}`) is less than the round trip of the longest path, {least}: \
             packets that arrive are retransmitted"
        ),
    ))
}

/// Returns a warning about the links between switches if hosts send more over them than they carry.
/// `load` is the part of the slowest host's link that each host sends, headers included, to all others
/// alike.
pub(super) fn uplinks(fabric: &Fabric, load: f64) -> Option<String> {
    let hosts = fabric.hosts().len() as f64;
    let links = fabric.hosts().iter().filter_map(|&host| fabric.peer(fabric.host_port(host)));
    let slowest = links.map(|(_, link)| link.rate).min()?.as_bps() as f64;
    let of_switch = |&switch: &NodeId| {
        let links = || fabric.ports(switch).filter_map(|port| fabric.peer(port));
        let own = links().filter(|(peer, _)| !fabric.is_switch(peer.node)).count() as f64;
        let up = links().filter(|(peer, _)| fabric.is_switch(peer.node));
        let up: f64 = up.map(|(_, link)| link.rate.as_bps() as f64).sum();
        let leaves = load * slowest * own * (hosts - own) / (hosts - 1.0);
        (leaves > 0.0 && up > 0.0).then(|| (leaves / up, switch))
    };
    let loads = fabric.switches().iter().filter_map(of_switch);
    let (most, switch) = loads.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (most >= 1.0).then(|| {
        format!(
            "{} sends {:.0}% of what its links to other switches carry, headers included: queues grow \
             without limit, and completion times depend on the duration",
            fabric.node(switch).name,
            most * 100.0
        )
    })
}
