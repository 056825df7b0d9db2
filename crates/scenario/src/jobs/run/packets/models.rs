//! Models of an InfiniBand fabric under a policy.

use super::error::PacketError;
use crate::infiniband::congestion;
use crate::jobs::{JobsScenario, SharingPolicy};
use bandwise_netsim::infiniband::host::DeviceModel;
use bandwise_netsim::infiniband::{Models, PortTables, Qos};
use bandwise_rdma::qos::{Sl2Vl, Vl, VlArbTable};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::{MAX_WEIGHT, arbitration};
use bandwise_topology::Fabric;
use bandwise_topology::infiniband::check_ports;

/// The use of data lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lanes {
    /// One lane for all jobs.
    One,
    /// A lane for each job, with constant weights.
    PerJob(Vec<u8>),
    /// A number of lanes, which the controller configures.
    Controlled(u8),
}

impl Lanes {
    /// Returns the lanes of a policy.
    pub(super) fn of(scenario: &JobsScenario, policy: SharingPolicy) -> Result<Lanes, PacketError> {
        if scenario.queues.part < 1.0 {
            return Err(PacketError::Part(scenario.queues.part));
        }
        check_ports(&scenario.fabric).map_err(PacketError::Ports)?;
        let jobs = scenario.jobs.len();
        let per_job = |shares: Vec<f64>| match jobs <= Vl::COUNT {
            true => Ok(Lanes::PerJob(arbitration(&shares, MAX_WEIGHT))),
            false => Err(PacketError::Jobs { policy, jobs }),
        };
        match policy {
            SharingPolicy::FairFlows | SharingPolicy::Blocking => Ok(Lanes::One),
            SharingPolicy::FairJobs => per_job(vec![1.0; jobs]),
            SharingPolicy::GivenWeights => {
                per_job(scenario.jobs.iter().map(|job| job.weight).collect())
            }
            SharingPolicy::Saba
            | SharingPolicy::SabaNoFloor
            | SharingPolicy::SabaDistributed
            | SharingPolicy::EqualWeights => {
                let queues = scenario.queues.queues;
                match usize::from(queues) <= Vl::COUNT {
                    true => Ok(Lanes::Controlled(queues)),
                    false => Err(PacketError::Queues(queues)),
                }
            }
            _ => Err(PacketError::Policy(policy)),
        }
    }

    /// Returns the number of lanes.
    fn count(&self) -> u8 {
        match self {
            Lanes::One => 1,
            Lanes::PerJob(weights) => weights.len().max(1) as u8,
            Lanes::Controlled(lanes) => *lanes,
        }
    }

    /// Returns the first tables of every port.
    fn tables(&self) -> PortTables {
        let vlarb = match self {
            Lanes::PerJob(weights) if !weights.is_empty() => self.arbitration(weights),
            _ => self.arbitration(&vec![1; self.count().into()]),
        };
        PortTables { sl2vl: Sl2Vl::modulo(self.count()), vlarb }
    }

    /// Returns the tables of a port for the controller's configuration.
    pub(super) fn configured(&self, config: &PortConfig) -> PortTables {
        let mut vls = [0; 16];
        for (level, queue) in config.table.iter() {
            vls[usize::from(level.0)] = queue;
        }
        PortTables {
            sl2vl: Sl2Vl::new(vls).expect("queues are lanes that there are"),
            vlarb: self.arbitration(&config.weights),
        }
    }

    /// Returns the arbitration table for weights of lanes. A lane without a queue has the smallest
    /// weight, because packets may still wait in it.
    fn arbitration(&self, weights: &[u8]) -> VlArbTable {
        let lane = |vl| Vl::try_from(vl).expect("there are as many");
        let lanes: Vec<Vl> = (0..self.count()).map(lane).collect();
        VlArbTable::by_weight(&lanes, weights, DeviceModel::connectx4_56g().mtu.get() as u16)
    }
}

/// Returns the models of a fabric under a policy.
pub(super) fn models(fabric: &Fabric, lanes: &Lanes, policy: SharingPolicy) -> Models {
    let PortTables { sl2vl, vlarb } = lanes.tables();
    let mut models = Models::ample(fabric, Qos { sl2vl, vlarb, ports: Vec::new() });
    if policy == SharingPolicy::FairFlows {
        let (marking, reaction) = congestion::defaults(models.switch.buffer);
        models.change_switches(|switch| switch.marking = Some(marking));
        models.change_devices(|device| device.congestion_control = Some(reaction.clone()));
    }
    models
}
