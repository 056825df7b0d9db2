//! Detection of PFC deadlocks: circular pause dependency among inputs.
//!
//! An input resumes its sender when enough of its packets have left. A packet for an output that is
//! paused by its far end can't leave before that input resumes it. If an input would hold too much
//! even after all its other packets left, it depends on those inputs.

use super::features::Features;
use super::switch::Switch;
use crate::base::circular_wait::circular_wait;
use bandwise_topology::{Fabric, Port};
use std::collections::BTreeMap;

/// An input that has paused its sender: its switch (by rank), port and class.
type Input = (usize, usize, usize);

/// Returns the outputs of one cycle, in the order in which they wait for each other.
pub(super) fn find<F: Features>(fabric: &Fabric, switches: &[&Switch<F>]) -> Option<Vec<Port>> {
    let paused = |(rank, switch): (usize, &&Switch<F>)| -> Vec<Input> {
        switch.paused_inputs().map(|(port, class)| (rank, port, class)).collect()
    };
    let inputs: Vec<Input> = switches.iter().enumerate().flat_map(paused).collect();
    let index: BTreeMap<Input, usize> = inputs.iter().copied().zip(0..).collect();
    // For each input, the bytes that wait for each other paused input.
    let waits: Vec<Vec<(usize, u32)>> = inputs
        .iter()
        .map(|&(rank, port, class)| {
            let behind = |output: usize| {
                let node = fabric.switches()[rank];
                let (far, _) = fabric.peer(Port { node, number: output as u16 + 1 })?;
                let far_port = usize::from(far.number) - 1;
                let is_switch = fabric.is_switch(far.node);
                is_switch.then(|| index.get(&(fabric.rank(far.node), far_port, class)).copied())?
            };
            // Packets for other outputs are not counted: they are the majority, and counting is
            // slow.
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
        if switches[rank].may_resume(port, class, bytes) {
            return None;
        }
        stay.map(|&(next, _)| next).next()
    })?;
    let output = |input: usize| {
        let (rank, port, _) = inputs[input];
        let here = Port { node: fabric.switches()[rank], number: port as u16 + 1 };
        fabric.peer(here).map(|(far, _)| far)
    };
    found.into_iter().map(output).collect()
}
