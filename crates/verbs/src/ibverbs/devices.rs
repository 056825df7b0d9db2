//! [`devices`]: what there is to measure on.

use super::{NoDevices, PortInfo, context};

/// An RDMA device of this host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// What the system calls it: `mlx5_0`, `rxe0`.
    pub name: String,
    /// The version of its firmware; empty for one that is software.
    pub firmware: String,
    /// Its number in the world (node GUID).
    pub guid: u64,
    /// How many queue pairs it can have.
    pub queue_pairs: u32,
    /// How many work requests a queue can hold.
    pub queue_depth: u32,
    /// Whether it can say by its own clock when a request completed.
    pub has_timestamps: bool,
    /// Its ports.
    pub ports: Vec<PortInfo>,
}

/// All RDMA devices of this host; at least one.
pub fn devices() -> Result<Vec<DeviceInfo>, NoDevices> {
    context::look()
}
