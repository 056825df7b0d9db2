//! [`devices`]: the RDMA devices of this host.

use super::{NoDevices, PortInfo, context};

/// An RDMA device of this host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The system's name, such as `mlx5_0` or `rxe0`.
    pub name: String,
    /// The firmware version; empty for a software device.
    pub firmware: String,
    /// The globally unique identifier (node GUID).
    pub guid: u64,
    /// The largest number of queue pairs.
    pub queue_pairs: u32,
    /// The largest number of work requests in a queue.
    pub queue_depth: u32,
    /// True if completions can have time stamps of the device's clock.
    pub has_timestamps: bool,
    /// The ports.
    pub ports: Vec<PortInfo>,
}

/// Returns all RDMA devices of this host; at least one.
///
/// # Errors
///
/// Returns [`NoDevices`] if there is none, or the list can't be read.
pub fn devices() -> Result<Vec<DeviceInfo>, NoDevices> {
    context::look()
}
