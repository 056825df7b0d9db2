//! Thresholds of marks that no queue reaches: where marks begin, and where each packet has one.

use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::{Buffering, Marking, NetworkModel};
use bandwise_topology::{Fabric, NodeId, Port};
use bandwise_units::Bytes;
use std::ops::Range;

/// The most bytes that wait for an output, and the reason.
struct Limit {
    bytes: u64,
    why: &'static str,
}

/// Returns a warning if a port's queue ends before marks begin, or if given marks reach their full
/// probability beyond the switch's buffer. `given` is the place of thresholds in the document, `kind` that
/// of the congestion control.
///
/// # Errors
///
/// Given thresholds are beyond the buffer.
pub(super) fn check(
    source: &Source,
    given: Option<Range<usize>>,
    kind: Range<usize>,
    fabric: &Fabric,
    model: &NetworkModel,
) -> Result<Option<InputError>, InputError> {
    let Some(marking) = model.switch.ecn else { return Ok(None) };
    let mut found: Option<(Port, Bytes, Limit)> = None;
    let mut ports_found = 0;
    for &switch in fabric.switches() {
        // Marks are never reached only if no class has a longer queue.
        let limits = (0..model.classes.count).map(|class| limit(fabric, model, switch, class));
        let Some(limit) = limits.max_by_key(|limit| limit.bytes) else { continue };
        for port in fabric.ports(switch) {
            let Some((_, link)) = fabric.peer(port) else { continue };
            let kmin = marking.of_port(link.rate).kmin();
            if kmin.get() >= limit.bytes {
                ports_found += 1;
                let Limit { bytes, why } = limit;
                found.get_or_insert((port, kmin, Limit { bytes, why }));
            }
        }
    }
    let Some((port, kmin, Limit { bytes, why })) = found else {
        return Ok(given.and_then(|at| never_full(source, at, fabric, model, marking)));
    };
    let (begin, name) = (kmin.get(), fabric.describe(port));
    let allowed = format!("Kmin below {bytes} B, or a larger buffer");
    if let Some(at) = given.clone()
        && kmin > whole(fabric, model, port.node)
    {
        let message = format!("marks begin at {begin} B at {name}, beyond the switch's buffer");
        return Err(source.error(at, message).allowed(allowed));
    }
    let places = match ports_found {
        1 => format!("at {name}"),
        ports => format!("at {ports} ports, such as {name}"),
    };
    let message = format!(
        "marks begin at {begin} B and {why} at {bytes} B, {places}: congestion control acts too \
         late or never"
    );
    Ok(Some(source.error(given.unwrap_or(kind), message).allowed(allowed)))
}

/// Returns a warning at the given thresholds if Kmax is beyond all buffers of a port's switch together.
fn never_full(
    source: &Source,
    at: Range<usize>,
    fabric: &Fabric,
    model: &NetworkModel,
    marking: Marking,
) -> Option<InputError> {
    let kmax = |port: Port| {
        fabric.peer(port).map_or(Bytes::ZERO, |(_, link)| marking.of_port(link.rate).kmax())
    };
    let beyond = |port: &Port| kmax(*port) > whole(fabric, model, port.node);
    let mut ports = fabric.switches().iter().flat_map(|&switch| fabric.ports(switch));
    let port = ports.find(beyond)?;
    let (end, buffer) = (kmax(port).get(), whole(fabric, model, port.node).get());
    let message = format!(
        "marks reach their full probability at {end} B at {}, beyond the switch's buffer of \
         {buffer} B: they never do",
        fabric.describe(port)
    );
    let allowed = format!("Kmax up to {buffer} B, or a larger buffer");
    Some(source.error(at, message).allowed(allowed))
}

/// Returns the number of ports of a switch from which packets can come to one of its outputs.
fn inputs(fabric: &Fabric, switch: NodeId) -> u64 {
    (fabric.ports(switch).count() as u64).saturating_sub(1)
}

/// Returns all buffers of a switch together.
fn whole(fabric: &Fabric, model: &NetworkModel, switch: NodeId) -> Bytes {
    match &model.switch.buffering {
        Buffering::PerInput(own) => Bytes::new(own.buffer.get() * inputs(fabric, switch).max(1)),
        Buffering::Shared(shared) => shared.buffer,
    }
}

/// Returns the most bytes of a class that wait for one output while all other ports send to it and no
/// other output has a queue.
fn limit(fabric: &Fabric, model: &NetworkModel, switch: NodeId, class: u8) -> Limit {
    let inputs = inputs(fabric, switch);
    let is_lossless = model.classes.is_lossless(class);
    match &model.switch.buffering {
        Buffering::PerInput(own) => {
            let each = |port: Port| match own.pfc.filter(|_| is_lossless) {
                None => own.buffer,
                Some(usual) => {
                    let other = model.thresholds.iter().find(|(at, _)| *at == port);
                    other.map_or(usual, |&(_, pfc)| pfc).xoff
                }
            };
            let all: u64 = fabric.ports(switch).map(|port| each(port).get()).sum();
            let bytes = all / (inputs + 1) * inputs;
            Limit { bytes, why: why(own.pfc.is_some() && is_lossless) }
        }
        Buffering::Shared(shared) => {
            let pauses = shared.pfc.is_some() && is_lossless;
            let queues = if pauses { inputs.max(1) } else { 1 };
            let pool = shared.pool(fabric, switch, model.after_pause(), &model.classes);
            let pool = pool.map_or(0, Bytes::get) as f64;
            // Each of n full queues holds alpha B / (1 + n alpha) of the pool.
            let all = queues as f64 * shared.alpha;
            let bytes = (pool * all / (1.0 + all)) as u64 + queues * shared.reserve.get();
            Limit { bytes, why: why(pauses) }
        }
    }
}

fn why(pauses: bool) -> &'static str {
    if pauses { "PFC stops all inputs of an output" } else { "packets are dropped" }
}
