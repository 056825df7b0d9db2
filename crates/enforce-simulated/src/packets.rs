//! [`Traffic::packets`]: a packet-level simulation over an InfiniBand fabric. Its ports have the
//! arbitration tables of real ones.

use crate::traffic::{Path, Traffic, Uncarried};
use bandwise_netsim::infiniband::cable::on_the_wire;
use bandwise_netsim::infiniband::host::{DeviceModel, Notify};
use bandwise_netsim::infiniband::{Models, PortQos, Qos, Simulation};
use bandwise_rdma::qos::{Sl, Sl2Vl, Vl, VlArbTable};
use bandwise_rdma::verbs::{Opcode, Qp, Transport};
use bandwise_rdma::wire::{PacketKind, Segment, packet_bytes};
use bandwise_rperf::{Bulk, BulkSettings, Window};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_topology::infiniband::check_ports;
use bandwise_units::{BitRate, Bytes, Time};

/// The times of a measurement, in simulated time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// The time before the measurement, in which queues fill.
    pub warmup: Time,
    /// The time in which arriving payload counts; above 0.
    pub measured: Time,
}

/// The number of full packets on the slowest link in the default measuring time: several rounds of the longest
/// arbitration table.
const PACKETS: u64 = 4096;

/// The payload of a message, at which completions cost no bandwidth.
const MESSAGE: Bytes = Bytes::from_kib(64);

/// The outstanding data of a connection, which exceeds the capacity of any path.
const POSTED: Bytes = Bytes::from_kib(8 << 10);

impl Traffic {
    /// Returns times that suit the slowest used link, in whole microseconds. The warm-up is half of the measuring time.
    pub fn times(&self) -> Times {
        let used = self.paths.iter().flat_map(|path| &path.links);
        let slowest = used.map(|&link| self.rate(link)).min();
        let measured = slowest.map_or(Time::from_ms(1), |rate| {
            rate.time_for(Bytes::new(wire_of_message() / packets_of_message() * PACKETS))
        });
        let warmup = Time::from_us(measured.as_ps().div_ceil(2 * Time::from_us(1).as_ps()));
        Times { warmup, measured: warmup * 2 }
    }

    /// Returns the rate of each connection, headers included. Each host sends WRITEs of 64 KiB over reliable
    /// connections as fast as possible.
    ///
    /// # Errors
    ///
    /// Returns [`Uncarried`] if the fabric has larger switches than InfiniBand, lacks lanes or
    /// connections, or deadlocks.
    pub fn packets(&self, times: Times) -> Result<Vec<BitRate>, Uncarried> {
        let fabric = &self.shape.fabric;
        check_ports(fabric).map_err(Uncarried::Ports)?;
        let models = Models::ample(fabric, self.tables()?);
        // Only hiccups are random, and these devices have none.
        let built = Simulation::new(fabric, &self.shape.routes, &models, 0);
        let mut simulation = built.expect("arbitration tables that every port can have");
        self.check_connections()?;
        let connect = |path: &Path| connect(&mut simulation, path);
        let arriving: Vec<(usize, Qp)> = self.paths.iter().map(connect).collect();
        let arrived = |simulation: &Simulation<Bulk>| -> Vec<u64> {
            arriving.iter().map(|&(host, qp)| simulation.payload_arrived(host, qp)).collect()
        };
        simulation.run(times.warmup);
        let before = arrived(&simulation);
        simulation.run(times.warmup + times.measured);
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
        for path in &self.paths {
            [path.from, path.to].into_iter().for_each(|host| ends[host as usize] += 1);
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

    /// Returns the tables of all ports: queues become lanes, levels become service levels.
    fn tables(&self) -> Result<Qos, Uncarried> {
        let used = |config: &PortConfig| config.weights.len();
        let lanes = self.configs.iter().map(used).max().unwrap_or(0).max(1);
        if let Some(link) = self.configs.iter().position(|config| used(config) > Vl::COUNT) {
            let (port, queues) = (self.port(link as u32), used(&self.configs[link]));
            return Err(Uncarried::Queues { port, queues, most: Vl::COUNT });
        }
        let lanes: Vec<Vl> =
            (0..lanes as u8).map(|vl| Vl::try_from(vl).expect("there are as many")).collect();
        let ports = self.links.ports().iter().zip(&self.configs);
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

/// Connects two hosts and starts to send. Returns the receiving host and its queue pair.
fn connect(simulation: &mut Simulation<Bulk>, path: &Path) -> (usize, Qp) {
    let level = Sl::try_from(path.level).expect("there are as many");
    let [from, to] = [path.from, path.to].map(|host| host as usize);
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
        // The simulation counts arrivals, not completions.
        window: Window { from: Time::ZERO, to: Time::MAX },
    };
    let bulk = Bulk::new(settings).expect("several messages fit what may be posted");
    simulation.start(from, &[near], bulk, Notify::Poll, Time::ZERO);
    (to, far)
}

/// Returns the lane of each service level.
fn mapping(config: &PortConfig) -> Sl2Vl {
    let lane = |sl| config.table.of(PriorityLevel(sl)).unwrap_or(0);
    Sl2Vl::new(std::array::from_fn(|sl| lane(sl as u16))).expect("queues are lanes that there are")
}

/// Returns the arbitration table of an InfiniBand port with these weights.
fn arbitration(lanes: &[Vl], weights: &[u8]) -> VlArbTable {
    VlArbTable::by_weight(lanes, weights, DeviceModel::connectx4_56g().mtu.get() as u16)
}

/// Returns the number of packets in a message.
fn packets_of_message() -> u64 {
    MESSAGE.get() / u64::from(DeviceModel::connectx4_56g().mtu.get())
}

/// Returns the bytes of a message on a link.
fn wire_of_message() -> u64 {
    let payload = DeviceModel::connectx4_56g().mtu.get();
    let last = packets_of_message() - 1;
    let packet = |n| {
        let segment = Segment { payload, first: n == 0, last: n == last };
        on_the_wire(packet_bytes(PacketKind::Write, segment)).get()
    };
    (0..=last).map(packet).sum()
}
