//! [`NoDevices`]: the reason for which there are no RDMA devices.

use std::io;

/// The reason for which there are no RDMA devices.
#[derive(Debug, thiserror::Error)]
pub enum NoDevices {
    /// The library is missing.
    #[error("libibverbs is not installed. Debian: apt-get install libibverbs1 ibverbs-providers")]
    NoLibrary,
    /// The kernel has no verbs.
    #[error(
        "this kernel offers no RDMA: the module ib_uverbs is not loaded. As root: modprobe ib_uverbs"
    )]
    NoKernel,
    /// There is no device.
    #[error(
        "no RDMA device. `lspci` shows whether there is a card; without one, Soft-RoCE makes a device of a \
         network interface. As root: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0"
    )]
    None,
    /// A device can't be queried.
    #[error("device {device}: {what}: {error}")]
    Device {
        /// The device's name.
        device: String,
        /// The failed action.
        what: &'static str,
        /// The error.
        error: io::Error,
    },
    /// The list can't be read.
    #[error("RDMA devices can't be listed: {0}")]
    List(io::Error),
}

/// The error codes of `rdma-mummy-sys` without libibverbs (EOPNOTSUPP), and of libibverbs if the kernel has no verbs
/// (ENOSYS).
const NO_LIBRARY: i32 = 95;
const NO_KERNEL: i32 = 38;

impl NoDevices {
    /// Returns the reason for which the list can't be read.
    pub(super) fn of_list(error: io::Error) -> NoDevices {
        match error.raw_os_error() {
            Some(NO_LIBRARY) => NoDevices::NoLibrary,
            Some(NO_KERNEL) => NoDevices::NoKernel,
            _ => NoDevices::List(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_or_module_names_the_remedy() {
        let message = |code| NoDevices::of_list(io::Error::from_raw_os_error(code)).to_string();
        assert!(message(NO_LIBRARY).contains("apt-get install libibverbs1"));
        assert!(message(NO_KERNEL).contains("modprobe ib_uverbs"));
        assert!(message(13).contains("Permission denied"));
    }
}
