//! [`PacketError`]: a reason for which jobs can't be run at packet level.

use crate::jobs::SharingPolicy;
use bandwise_topology::FabricError;

/// A reason for which jobs can't be run at packet level.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PacketError {
    /// The policy does not exist at packet level.
    #[error("{} does not exist at packet level: hosts and switches of InfiniBand can't do it", .0.as_str())]
    Policy(SharingPolicy),
    /// The policy needs a lane for each job, and there are too many jobs.
    #[error("{jobs} jobs: {} has a lane for each, and a link has 15 for data", policy.as_str())]
    Jobs {
        /// Policy.
        policy: SharingPolicy,
        /// Number of jobs.
        jobs: usize,
    },
    /// Ports have more queues than there are lanes.
    #[error("{0} queues a port: a link has 15 lanes for data")]
    Queues(u8),
    /// Jobs share a part of each link, which lanes can't enforce.
    #[error("part = {0}: lanes share all of a link")]
    Part(f64),
    /// A node has more ports than InfiniBand allows.
    #[error("{0} of InfiniBand")]
    Ports(FabricError),
    /// A path has more switches than an Ethernet packet can record.
    #[error("a path over {switches} switches: packets of homa have room for {most}")]
    Path {
        /// Switches on the path.
        switches: usize,
        /// Most switches of a path.
        most: usize,
    },
    /// A host has more connections than possible.
    #[error("{connections} connections of {host}: at most 65535 are possible")]
    Connections {
        /// Name of the host.
        host: String,
        /// Number of its connections.
        connections: usize,
    },
}

/// Policies that exist at packet level.
pub const PACKET_POLICIES: [SharingPolicy; 9] = [
    SharingPolicy::FairFlows,
    SharingPolicy::Blocking,
    SharingPolicy::FairJobs,
    SharingPolicy::Saba,
    SharingPolicy::SabaNoFloor,
    SharingPolicy::SabaDistributed,
    SharingPolicy::EqualWeights,
    SharingPolicy::GivenWeights,
    SharingPolicy::Homa,
];
