//! Packet-level simulators of InfiniBand and of RDMA over Ethernet.
//!
//! - [`engine`]: ordered events, links as the only channel between nodes, windows of time;
//! - [`infiniband`]: switches with credits and virtual lanes, hosts with cores, PCIe and RNIC;
//! - [`ethernet`]: switches with PFC or drops, hosts with RoCE, IRN, iWARP or Homa;
//! - `base`: the building blocks of both fabrics.
//!
//! A program posts one WRITE to another host through a switch, and waits for its completion:
//!
//! ```
//! use bandwise_netsim::infiniband::host::{DeviceModel, Notify};
//! use bandwise_netsim::infiniband::switch::SwitchModel;
//! use bandwise_netsim::infiniband::{Models, Outcome, Qos, Simulation};
//! use bandwise_rdma::qos::{Sl, Sl2Vl, Vl, VlArbTable};
//! use bandwise_rdma::verbs::{
//!     Completion, Next, Opcode, Posts, Program, Qp, Transport, WorkRequest,
//! };
//! use bandwise_topology::{Routes, builders};
//! use bandwise_units::{BitRate, Time};
//!
//! struct OneWrite(Qp);
//!
//! impl Program for OneWrite {
//!     fn step(&mut self, _: Time, seen: &[Completion], posts: &mut Posts) -> Next {
//!         if !seen.is_empty() {
//!             return Next::Done;
//!         }
//!         posts.post(WorkRequest {
//!             qp: self.0,
//!             id: 0,
//!             opcode: Opcode::Write,
//!             bytes: 4096,
//!             signaled: true,
//!             inline: false,
//!             ring: true,
//!         });
//!         Next::Completion
//!     }
//! }
//!
//! let fabric = builders::single_switch(2, BitRate::from_gbps(56), Time::from_ns(10))?;
//! let qos = Qos {
//!     sl2vl: Sl2Vl::default(),
//!     vlarb: VlArbTable::even([Vl::default()], 64),
//!     ports: Vec::new(),
//! };
//! let models = Models::alike(SwitchModel::default(), DeviceModel::connectx4_56g(), qos);
//! let mut simulation = Simulation::new(&fabric, &Routes::shortest(&fabric), &models, 1)?;
//! let (qp, _) = simulation.connect(0, 1, Transport::Rc, Sl::default());
//! let program = simulation.start(0, &[qp], OneWrite(qp), Notify::Poll, Time::ZERO);
//! assert_eq!(simulation.run(Time::from_ms(1)), Outcome::Quiet);
//! assert!(simulation.is_done(0, program));
//! assert_eq!(simulation.payload_delivered(1), 4096);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base;
pub mod engine;
pub mod ethernet;
pub mod infiniband;
