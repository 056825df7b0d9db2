//! Finding deadlocks of priority flow control: inputs whose senders are told to stop until each
//! other's go on.
//!
//! An input lets its sender go on when enough of what it holds has left. What waits for an output
//! whose far end told it to stop does not leave before that input lets it go on. Where an input
//! would still hold too much if all of the rest left, it waits for those.

use super::features::Features;
use super::switch::Switch;
use crate::base::circular_wait::circular_wait;
use bandwise_topology::{Fabric, Port};
use std::collections::BTreeMap;

/// An input that told its sender to stop: its switch (by rank), port and class.
type Input = (usize, usize, usize);

/// The outputs of one loop, in the order in which they wait for each other.
pub(super) fn find<F: Features>(fabric: &Fabric, switches: &[&Switch<F>]) -> Option<Vec<Port>> {
    let stopped = |(rank, switch): (usize, &&Switch<F>)| -> Vec<Input> {
        switch.stopped().map(|(port, class)| (rank, port, class)).collect()
    };
    let inputs: Vec<Input> = switches.iter().enumerate().flat_map(stopped).collect();
    let place: BTreeMap<Input, usize> = inputs.iter().copied().zip(0..).collect();
    // For each, the bytes that wait for others of them.
    let waits: Vec<Vec<(usize, u32)>> = inputs
        .iter()
        .map(|&(rank, port, class)| {
            let behind = |output: usize| {
                let node = fabric.switches()[rank];
                let (far, _) = fabric.peer(Port { node, number: output as u8 + 1 })?;
                let far_port = usize::from(far.number) - 1;
                let is_switch = fabric.is_switch(far.node);
                is_switch.then(|| place.get(&(fabric.rank(far.node), far_port, class)).copied())?
            };
            // What waits for others is not looked at: that are most, and it takes long.
            let held = |output| {
                let next = behind(output)?;
                let bytes = switches[rank].held_for(port, class, output);
                (bytes > 0).then_some((next, bytes))
            };
            let outputs = usize::from(fabric.port_count(fabric.switches()[rank]));
            (0..outputs).filter_map(held).collect()
        })
        .collect();
    let found = circular_wait(inputs.len(), |input, stuck| {
        let (rank, port, class) = inputs[input];
        let stay = waits[input].iter().filter(|&&(next, _)| stuck[next]);
        let bytes = stay.clone().map(|&(_, bytes)| bytes).sum();
        if switches[rank].may_go(port, class, bytes) {
            return None;
        }
        stay.map(|&(next, _)| next).next()
    })?;
    let output = |input: usize| {
        let (rank, port, _) = inputs[input];
        let here = Port { node: fabric.switches()[rank], number: port as u8 + 1 };
        fabric.peer(here).map(|(far, _)| far)
    };
    found.into_iter().map(output).collect()
}
