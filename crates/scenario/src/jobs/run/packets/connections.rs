//! [`Connections`]: the queue pairs of a job.

use super::error::PacketError;
use crate::jobs::JobsScenario;
use bandwise_rdma::verbs::Qp;
use bandwise_workload::job::{Job, Part, Stage, Transfer};

/// The queue pairs of a job. Each pair of instances that send to each other has a connection for
/// each part of stages: over a single connection, a part would wait for the other.
pub(super) struct Connections {
    instances: u32,
    /// Queue pairs by part, sender and receiver.
    pub(super) qps: Vec<Option<Qp>>,
}

impl Connections {
    pub(super) fn new(instances: u32) -> Self {
        Connections { instances, qps: vec![None; 2 * (instances * instances) as usize] }
    }

    pub(super) fn of(&self, part: Part, from: u32, to: u32) -> usize {
        ((part as u32 * self.instances + from) * self.instances + to) as usize
    }

    /// Calls `connect` once for each part and pair of instances with data to send.
    pub(super) fn pairs(&mut self, job: &Job, mut connect: impl FnMut([u32; 2]) -> (Qp, Qp)) {
        for Stage { pattern, overlapped, exposed, .. } in &job.stages {
            let parts = [(Part::Overlapped, overlapped), (Part::Exposed, exposed)];
            let phases = (0..pattern.phases()).flat_map(|phase| parts.map(|part| (phase, part)));
            for (phase, (part, bytes)) in phases {
                pattern.transfers(phase, job.instances, *bytes, |Transfer { from, to, .. }| {
                    let [there, back] = [self.of(part, from, to), self.of(part, to, from)];
                    if self.qps[there].is_none() {
                        let (near, far) = connect([from, to]);
                        (self.qps[there], self.qps[back]) = (Some(near), Some(far));
                    }
                });
            }
        }
    }
}

/// Checks that no host has too many queue pairs.
pub(super) fn check(scenario: &JobsScenario) -> Result<(), PacketError> {
    let fabric = &scenario.fabric;
    let mut connections = vec![0usize; fabric.hosts().len()];
    for job in &scenario.jobs {
        Connections::new(job.job.instances).pairs(&job.job, |ends| {
            for instance in ends {
                connections[job.hosts[instance as usize] as usize] += 1;
            }
            // The numbers are not used; pairs are only counted.
            (Qp(0), Qp(0))
        });
    }
    match connections.iter().position(|&count| count > usize::from(u16::MAX)) {
        None => Ok(()),
        Some(host) => Err(PacketError::Connections {
            host: fabric.node(fabric.hosts()[host]).name.clone(),
            connections: connections[host],
        }),
    }
}
