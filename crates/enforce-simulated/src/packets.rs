//! Packet by packet: hosts that keep sending over an InfiniBand fabric whose ports have the arbitration tables that
//! the same weights would be at real ones.

use crate::traffic::{Traffic, Uncarried, Way};
use bandwise_netsim::infiniband::cable::on_the_wire;
use bandwise_netsim::infiniband::host::{DeviceModel, Notify};
use bandwise_netsim::infiniband::{Models, PortQos, Qos, Simulation};
use bandwise_rdma::qos::{Sl, Sl2Vl, Vl, VlArbTable};
use bandwise_rdma::verbs::{Opcode, Qp, Transport};
use bandwise_rdma::wire::{PacketKind, Segment, packet_bytes};
use bandwise_rperf::{Bulk, BulkSettings, Window};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_units::{BitRate, Bytes, Time};

/// When packets are counted, in simulated time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Before: queues fill.
    pub warm_up: Time,
    /// Then: what arrives counts. Above 0.
    pub measured: Time,
}

/// Full packets that the slowest link in use carries while they are counted, if nobody says how long: enough for some
/// turns of the longest table of weights.
const PACKETS: u64 = 4096;

/// Payload of a message, so long that a completion costs no bandwidth.
const MESSAGE: Bytes = Bytes::from_kib(64);

/// What a connection has posted and not seen completed: more than any path holds.
const POSTED: Bytes = Bytes::from_kib(8 << 10);

impl Traffic {
    /// Times that are long enough for the slowest link that somebody sends over, in whole microseconds: half of what is
    /// counted before.
    pub fn times(&self) -> Times {
        let used = self.ways.iter().flat_map(|way| &way.links);
        let slowest = used.map(|&link| self.rate(link)).min();
        let measured = slowest.map_or(Time::from_ms(1), |rate| {
            rate.time_for(Bytes::new(wire_of_message() / packets_of_message() * PACKETS))
        });
        let warm_up = Time::from_us(measured.as_ps().div_ceil(2 * Time::from_us(1).as_ps()));
        Times { warm_up, measured: warm_up * 2 }
    }

    /// What each connection gets packet by packet, with all headers. Every host sends WRITEs of 64 KiB over
    /// reliable connections, as fast as it can.
    pub fn packets(&self, times: Times) -> Result<Vec<BitRate>, Uncarried> {
        let fabric = &self.shape.fabric;
        let models = Models::ample(fabric, self.tables()?);
        // Nothing here is by chance but hiccups, and there are none.
        let built = Simulation::new(fabric, &self.shape.routes, &models, 0);
        let mut simulation = built.expect("arbitration tables that every port can have");
        self.check_connections()?;
        let connect = |way: &Way| connect(&mut simulation, way);
        let arriving: Vec<(usize, Qp)> = self.ways.iter().map(connect).collect();
        let arrived = |simulation: &Simulation<Bulk>| -> Vec<u64> {
            arriving.iter().map(|&(host, qp)| simulation.payload_arrived(host, qp)).collect()
        };
        simulation.run(times.warm_up);
        let before = arrived(&simulation);
        simulation.run(times.warm_up + times.measured);
        if let Some(ports) = simulation.deadlock() {
            let name = |&port| fabric.describe(port);
            return Err(Uncarried::Deadlock(ports.iter().map(name).collect()));
        }
        let rate = |(after, before): (u64, u64)| {
            let wire = u128::from(after - before) * u128::from(wire_of_message());
            let bytes = Bytes::new((wire / u128::from(MESSAGE.get())) as u64);
            BitRate::over(bytes, times.measured)
        };
        Ok(arrived(&simulation).into_iter().zip(before).map(rate).collect())
    }

    fn check_connections(&self) -> Result<(), Uncarried> {
        let fabric = &self.shape.fabric;
        let mut ends = vec![0; fabric.hosts().len()];
        for way in &self.ways {
            [way.from, way.to].into_iter().for_each(|host| ends[host as usize] += 1);
        }
        let is_beyond = |&connections: &usize| connections > usize::from(u16::MAX);
        match ends.iter().position(is_beyond) {
            None => Ok(()),
            Some(host) => {
                let name = fabric.node(fabric.hosts()[host]).name.clone();
                Err(Uncarried::Connections { host: name, connections: ends[host] })
            }
        }
    }

    /// Tables of all ports: a queue is a lane, a level a service level.
    fn tables(&self) -> Result<Qos, Uncarried> {
        let used = |config: &PortConfig| config.weights.len();
        let lanes = self.stands.iter().map(used).max().unwrap_or(0).max(1);
        if let Some(link) = self.stands.iter().position(|config| used(config) > Vl::COUNT) {
            let (port, queues) = (self.port(link as u32), used(&self.stands[link]));
            return Err(Uncarried::Queues { port, queues, most: Vl::COUNT });
        }
        let lanes: Vec<Vl> =
            (0..lanes as u8).map(|vl| Vl::try_from(vl).expect("there are as many")).collect();
        let ports = self.links.ports().iter().zip(&self.stands);
        let written = ports.filter(|(_, config)| !config.weights.is_empty());
        let of_port = written.map(|(port, config)| PortQos {
            node: port.node,
            input: None,
            output: Some(port.number),
            sl2vl: Some(mapping(config)),
            vlarb: Some(arbitration(&lanes, &config.weights)),
        });
        Ok(Qos {
            sl2vl: Sl2Vl::modulo(1),
            vlarb: arbitration(&lanes, &[1]),
            ports: of_port.collect(),
        })
    }
}

/// Queue pairs of a connection, of which one keeps sending; the other, and its host.
fn connect(simulation: &mut Simulation<Bulk>, way: &Way) -> (usize, Qp) {
    let level = Sl::try_from(way.level).expect("there are as many");
    let [from, to] = [way.from, way.to].map(|host| host as usize);
    let (near, far) = simulation.connect(from, to, Transport::Rc, level);
    let settings = BulkSettings {
        qps: vec![near],
        opcode: Opcode::Write,
        bytes: MESSAGE.get() as u32,
        buffer: POSTED,
        depth: u32::MAX,
        batch: 1,
        signal_every: 1,
        inline_max: 0,
        start: Time::ZERO,
        until: None,
        messages: None,
        rate: None,
        // What arrives counts here, not what completes.
        window: Window { from: Time::ZERO, to: Time::MAX },
    };
    let bulk = Bulk::new(settings).expect("several messages fit what may be posted");
    simulation.start(from, &[near], bulk, Notify::Poll, Time::ZERO);
    (to, far)
}

/// The lane of each service level.
fn mapping(config: &PortConfig) -> Sl2Vl {
    let lane = |sl| config.table.of(PriorityLevel(sl)).unwrap_or(0);
    Sl2Vl::new(std::array::from_fn(|sl| lane(sl as u16))).expect("queues are lanes that there are")
}

/// Turns as an InfiniBand port would get them.
fn arbitration(lanes: &[Vl], weights: &[u8]) -> VlArbTable {
    VlArbTable::by_weight(lanes, weights, DeviceModel::connectx4_56g().mtu.get() as u16)
}

/// Packets of a message.
fn packets_of_message() -> u64 {
    MESSAGE.get() / u64::from(DeviceModel::connectx4_56g().mtu.get())
}

/// What a message takes on a link, bytes.
fn wire_of_message() -> u64 {
    let payload = DeviceModel::connectx4_56g().mtu.get();
    let last = packets_of_message() - 1;
    let packet = |n| {
        let segment = Segment { payload, first: n == 0, last: n == last };
        on_the_wire(packet_bytes(PacketKind::Write, segment)).get()
    };
    (0..=last).map(packet).sum()
}
