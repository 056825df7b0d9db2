//! [`ModelError`]: reasons for which a fabric and a model are not a network.

use super::classes::Schedule;
use super::network::NetworkModel;
use super::packet::{CLASSES, PortBits};
use super::switch::{Buffering, Headroom, Pfc};
use crate::base::range::{OutOfRange, within};
use bandwise_rdma::transport::TransportSettingsError;
use bandwise_topology::routes::{EqualPaths, farthest_hosts};
use bandwise_topology::{Fabric, Port};
use bandwise_units::{Bytes, Time};
use std::ops::RangeInclusive;

/// Payload of a full packet, in bytes. A flow of 2^40 bytes has 2^31 packets of the smallest.
pub const MTUS: RangeInclusive<u64> = 512..=9_000;
/// Bytes in a data packet besides the headers of RoCEv2.
pub const EXTRA_HEADERS: RangeInclusive<u64> = 0..=256;
/// Intervals at which flows may poll their link. With a longer one, a flow alone would leave most
/// of its link idle.
pub const POLLS: RangeInclusive<Time> = Time::from_ns(1)..=Time::from_us(1);
/// Largest buffer of an input or a switch; buffers are counted in 32 bits.
pub const LARGEST_BUFFER: Bytes = Bytes::new(1_000_000_000);
/// Times until hosts and switches obey a PFC frame.
pub const RESPONSES: RangeInclusive<Time> = Time::ZERO..=Time::from_ms(1);
/// Multiples of a shared buffer's free space that a queue may hold (`alpha`).
pub const ALPHAS: RangeInclusive<f64> = 0.001..=1_000.0;

/// Reason why a fabric and a model are not a network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A path crosses more switches than a packet can name.
    #[error("the path from {from} to {to} crosses {switches} switches (allowed: at most {most})")]
    PathTooLong {
        /// Name of the first host.
        from: String,
        /// Name of the last host.
        to: String,
        /// Switches on the path.
        switches: usize,
        /// Most switches of a path ([`PortBits::max_switches`]).
        most: usize,
    },
    /// A number is out of its range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// The transport's settings contradict each other.
    #[error(transparent)]
    Transport(#[from] TransportSettingsError),
    /// Thresholds belong to a port that is not a switch port with a cable.
    #[error("thresholds of {0}, which is not a switch port with a cable")]
    NoSuchPort(String),
    /// Ports have thresholds of their own, and inputs have no buffers of their own.
    #[error("thresholds of ports need a buffer for each input")]
    SharedThresholds,
    /// The reserved parts of a shared buffer exceed it.
    #[error("the parts reserved at {0} exceed its buffer")]
    Reserved(String),
    /// Homa has more priorities than the network has traffic classes.
    #[error("Homa's {priorities} priorities need as many traffic classes (there are {classes})")]
    Priorities {
        /// Priorities of Homa.
        priorities: u8,
        /// Traffic classes.
        classes: u8,
    },
}

impl NetworkModel {
    /// Checks that [`Network::new`](super::Network::new) can build this network.
    ///
    /// # Errors
    ///
    /// The first reason why it can't.
    pub fn check(&self, fabric: &Fabric) -> Result<(), ModelError> {
        check_paths(fabric)?;
        self.check_host()?;
        self.check_classes()?;
        self.check_switch(fabric)?;
        Ok(())
    }

    fn check_host(&self) -> Result<(), ModelError> {
        let host = &self.host;
        within("the MTU", host.mtu.into(), MTUS, "B")?;
        within("the extra header", host.extra_header.into(), EXTRA_HEADERS, "B")?;
        if let Some(poll) = host.poll {
            within("the poll interval", poll, POLLS, "")?;
        }
        host.transport.validate()?;
        let Some(homa) = &host.homa else { return Ok(()) };
        let least = Time::from_ps(1);
        within("the time until a RESEND", homa.resend_after, least..=Time::MAX, "")?;
        let (priorities, classes) = (homa.priorities.count(), self.classes.count);
        match priorities <= classes {
            true => Ok(()),
            false => Err(ModelError::Priorities { priorities, classes }),
        }
    }

    fn check_classes(&self) -> Result<(), ModelError> {
        within("the number of traffic classes", self.classes.count, 1..=CLASSES as u8, "")?;
        let classes = 0..=self.classes.count - 1;
        for class in [self.host.ack_class, self.host.cnp_class].into_iter().flatten() {
            within("the class of acknowledgements or CNPs", class, classes.clone(), "")?;
        }
        if let Schedule::Weighted { weights, .. } = &self.classes.schedule {
            for &weight in &weights[..usize::from(self.classes.count)] {
                within("the weight of a class", weight, 1..=u16::MAX, "")?;
            }
        }
        Ok(())
    }

    fn check_switch(&self, fabric: &Fabric) -> Result<(), ModelError> {
        let buffering = &self.switch.buffering;
        within("the response to a pause", self.pause_response, RESPONSES, "")?;
        let least = Bytes::new(u64::from(self.host.full_frame()));
        within("the buffer", buffering.buffer(), least..=LARGEST_BUFFER, "")?;
        match buffering {
            Buffering::PerInput(inputs) => {
                for pfc in inputs.pfc.iter().chain(self.thresholds.iter().map(|(_, pfc)| pfc)) {
                    check_thresholds(pfc, inputs.buffer)?;
                }
                self.thresholds.iter().try_for_each(|(port, _)| check_port(fabric, *port))
            }
            Buffering::Shared(_) if !self.thresholds.is_empty() => {
                Err(ModelError::SharedThresholds)
            }
            Buffering::Shared(shared) => {
                within("alpha", shared.alpha, ALPHAS, "")?;
                let most = LARGEST_BUFFER;
                within("the space reserved for a queue", shared.reserve, Bytes::ZERO..=most, "")?;
                if let Some(pfc) = shared.pfc {
                    if let Headroom::Fixed(headroom) = pfc.headroom {
                        within("the headroom", headroom, Bytes::ZERO..=most, "")?;
                    }
                    within("the slack", pfc.slack, Bytes::ZERO..=most, "")?;
                }
                let none = |node: &&_| {
                    shared.pool(fabric, **node, self.after_pause(), &self.classes).is_none()
                };
                match fabric.switches().iter().find(none) {
                    Some(&node) => Err(ModelError::Reserved(fabric.node(node).name.clone())),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Checks that a packet can name the longest path.
fn check_paths(fabric: &Fabric) -> Result<(), ModelError> {
    let Some(ends) = farthest_hosts(fabric) else { return Ok(()) };
    let [from, to] = ends.map(|host| fabric.rank(host));
    let switches = EqualPaths::new(fabric).path(from, to, 0).count();
    let most = PortBits::of(fabric).max_switches();
    if switches <= most {
        return Ok(());
    }
    let [from, to] = ends.map(|host| fabric.node(host).name.clone());
    Err(ModelError::PathTooLong { from, to, switches, most })
}

fn check_port(fabric: &Fabric, port: Port) -> Result<(), ModelError> {
    if port.node.index() >= fabric.nodes().len() {
        return Err(ModelError::NoSuchPort(format!("node {}", port.node.0)));
    }
    match fabric.is_switch(port.node) && fabric.peer(port).is_some() {
        true => Ok(()),
        false => Err(ModelError::NoSuchPort(fabric.describe(port))),
    }
}

fn check_thresholds(pfc: &Pfc, buffer: Bytes) -> Result<(), ModelError> {
    within("X-OFF", pfc.xoff, Bytes::ZERO..=buffer, "")?;
    Ok(within("X-ON", pfc.xon, Bytes::ZERO..=pfc.xoff, "")?)
}
