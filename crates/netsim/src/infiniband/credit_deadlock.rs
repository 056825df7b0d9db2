//! Finding credit deadlocks: lanes of output ports that can't send until each other do.
//!
//! An output's lane is *blocked* if nothing that waits for it fits the credits it has or is about
//! to get. More come only when the input lane behind its link lets go of a packet. If that input
//! lane's own packets all wait for blocked lanes, and theirs again, nothing of this ever moves.

use crate::base::circular_wait::circular_wait;
use crate::engine::LinkEnd;
use crate::infiniband::cable::Net;
use crate::infiniband::switch::Switch;

/// An output's lane: switch, output, lane.
type Lane = (usize, usize, usize);

/// The outputs (switch, port) of one loop, in the order in which they wait for each other; `net` has
/// the links of an end. The first nodes of a simulation are its switches, so that a link's far end is an index here.
pub(crate) fn deadlock<'a>(
    switches: &'a [&Switch],
    net: &'a impl Fn(LinkEnd) -> &'a Net,
) -> Option<Vec<(usize, usize)>> {
    let mut blocked: Vec<Lane> = Vec::new();
    for (number, switch) in switches.iter().enumerate() {
        blocked.extend(switch.blocked(net).map(|(output, vl)| (number, output, vl)));
    }
    let place = |lane: &Lane, stuck: &[bool]| {
        blocked.iter().position(|other| other == lane).filter(|&place| stuck[place])
    };
    let found = circular_wait(blocked.len(), |lane, stuck| {
        let next = waits_for(switches, net, blocked[lane])?;
        let places: Option<Vec<usize>> = next.iter().map(|lane| place(lane, stuck)).collect();
        places?.first().copied()
    })?;
    let lanes = found.into_iter().map(|lane| blocked[lane]);
    let mut ports: Vec<_> = lanes.map(|(switch, output, _)| (switch, output)).collect();
    ports.dedup();
    Some(ports)
}

/// What the packets in the buffer behind a lane wait for; `None` if that buffer is a host's, or
/// if a packet on the way to it may pass the others.
fn waits_for<'a>(
    switches: &[&Switch],
    net: &impl Fn(LinkEnd) -> &'a Net,
    (number, output, vl): Lane,
) -> Option<Vec<Lane>> {
    let cable = switches[number].cable_of(output);
    let behind = cable.to as usize;
    let switch = switches.get(behind)?;
    let lanes = switch.wanted_from(usize::from(cable.to_port), vl, net)?;
    Some(lanes.into_iter().map(|(output, vl)| (behind, output, vl)).collect())
}
