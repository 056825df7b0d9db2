//! Finding credit deadlocks: lanes of output ports that can't send until each other do.
//!
//! An output's lane is *blocked* if nothing that waits for it fits the credits it has or is about
//! to get. More come only when the input lane behind its link lets go of a packet. If that input
//! lane's own packets all wait for blocked lanes, and theirs again, nothing of this ever moves:
//! the blocked lanes that remain when all others are struck out are a deadlock, at once and for
//! certain.

use crate::cable::Net;
use crate::switch::Switch;

/// An output's lane: switch, output, lane.
type Lane = (usize, usize, usize);

/// The outputs (switch, port) of one loop, in the order in which they wait for each other. The
/// first nodes of a simulation are its switches, so that a link's far end is an index here.
pub(crate) fn find(switches: &[&Switch], net: &Net) -> Option<Vec<(usize, usize)>> {
    let mut stuck: Vec<Lane> = Vec::new();
    for (number, switch) in switches.iter().enumerate() {
        stuck.extend(switch.blocked(net).map(|(output, vl)| (number, output, vl)));
    }
    loop {
        let before = stuck.len();
        let still = stuck.clone();
        stuck.retain(|&lane| {
            waits_for(switches, net, lane).is_some_and(|next| {
                !next.is_empty() && next.iter().all(|lane| still.contains(lane))
            })
        });
        if stuck.len() == before {
            break;
        }
    }
    let mut path = vec![*stuck.first()?];
    loop {
        // Every lane that is left waits for one that is left, so a loop must come.
        let next = waits_for(switches, net, path[path.len() - 1])?[0];
        if let Some(start) = path.iter().position(|&lane| lane == next) {
            let mut ports: Vec<_> =
                path[start..].iter().map(|&(s, output, _)| (s, output)).collect();
            ports.dedup();
            return Some(ports);
        }
        path.push(next);
    }
}

/// What the packets in the buffer behind a lane wait for; `None` if that buffer is a host's, or
/// if a packet on the way to it may pass the others.
fn waits_for(switches: &[&Switch], net: &Net, (number, output, vl): Lane) -> Option<Vec<Lane>> {
    let cable = switches[number].cable_of(output);
    let behind = cable.to as usize;
    let switch = switches.get(behind)?;
    let lanes = switch.wanted_from(usize::from(cable.to_port), vl, net)?;
    Some(lanes.into_iter().map(|(output, vl)| (behind, output, vl)).collect())
}
