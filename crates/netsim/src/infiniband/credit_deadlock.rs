//! Detection of credit deadlocks: lanes of output ports that wait for each other's credits.
//!
//! An output's lane is *blocked* if none of its waiting packets fits the credits that it has or is
//! about to get. More credits arrive only when the input lane behind its link releases a packet. If
//! all packets of that input lane wait for blocked lanes, and so on, none of them ever moves.

use crate::base::circular_wait::circular_wait;
use crate::engine::LinkEnd;
use crate::infiniband::cable::Net;
use crate::infiniband::switch::Switch;

/// A lane of an output: switch, output, lane.
type Lane = (usize, usize, usize);

/// Returns the outputs (switch, port) of one cycle, in the order in which they wait for each other.
/// `net` returns the links of an end. Switches are the first nodes of a simulation, so a link's far
/// end is an index into `switches`.
pub(crate) fn deadlock<'a>(
    switches: &'a [&Switch],
    net: &'a impl Fn(LinkEnd) -> &'a Net,
) -> Option<Vec<(usize, usize)>> {
    let mut blocked: Vec<Lane> = Vec::new();
    for (number, switch) in switches.iter().enumerate() {
        blocked.extend(switch.blocked(net).map(|(output, vl)| (number, output, vl)));
    }
    let index = |lane: &Lane, stuck: &[bool]| {
        blocked.iter().position(|other| other == lane).filter(|&index| stuck[index])
    };
    let found = circular_wait(blocked.len(), |lane, stuck| {
        let next = waits_for(switches, net, blocked[lane])?;
        let indices: Option<Vec<usize>> = next.iter().map(|lane| index(lane, stuck)).collect();
        indices?.first().copied()
    })?;
    let lanes = found.into_iter().map(|lane| blocked[lane]);
    let mut ports: Vec<_> = lanes.map(|(switch, output, _)| (switch, output)).collect();
    ports.dedup();
    Some(ports)
}

/// Returns the lanes that the packets in the buffer behind a lane wait for. Returns `None` if that
/// buffer belongs to a host, or if an arriving packet might pass the waiting ones.
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
