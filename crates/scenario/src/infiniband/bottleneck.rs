//! [`Bottleneck`]: the part that limits the bandwidth of a flow alone.

use super::{Flow, InfinibandScenario};
use bandwise_rdma::wire::{PacketKind, Segment, packet_bytes};
use bandwise_topology::{NodeId, Port};
use bandwise_units::BitRate;

/// The part that limits the bandwidth of a flow alone in the fabric, for messages of many packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bottleneck {
    /// The part.
    pub part: LimitingPart,
    /// The payload rate that the part allows.
    pub payload: BitRate,
    /// The data rate of the slowest link on the path.
    pub link: BitRate,
}

/// A part that can limit a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitingPart {
    /// The slowest link on the path, at its first port.
    Link(Port),
    /// PCIe of both hosts, or of the one that has less of it.
    Pcie(Option<NodeId>),
}

impl InfinibandScenario {
    /// Returns the bottleneck of a flow.
    pub fn bottleneck(&self, flow: &Flow) -> Bottleneck {
        let hosts = self.fabric.hosts();
        let path = self.routes.path(&self.fabric, hosts[flow.from], hosts[flow.to]);
        let rate = |&port: &Port| self.fabric.peer(port).map(|(_, link)| (link.rate, port));
        let slowest = path.iter().filter_map(rate).min_by_key(|(rate, _)| *rate);
        let (link, port) = slowest.expect("hosts are cabled");
        let mtu = self.mtu(flow).get();
        let middle = Segment { payload: mtu, first: false, last: false };
        let wire = packet_bytes(PacketKind::Write, middle);
        let goodput = u128::from(link.as_bps()) * u128::from(mtu) / u128::from(wire);
        let goodput = BitRate::from_bps(goodput as u64);
        let [from, to] = [flow.from, flow.to].map(|host| self.device_of(host).pcie_goodput());
        let pcie = from.min(to);
        let slower = (from != to).then(|| hosts[if from < to { flow.from } else { flow.to }]);
        match pcie < goodput {
            true => Bottleneck { part: LimitingPart::Pcie(slower), payload: pcie, link },
            false => Bottleneck { part: LimitingPart::Link(port), payload: goodput, link },
        }
    }
}
