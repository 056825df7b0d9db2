//! [`NoDevices`]: why there is nothing to measure on.

use std::io;

/// Why there are no RDMA devices.
#[derive(Debug, thiserror::Error)]
pub enum NoDevices {
    /// The library isn't there.
    #[error("libibverbs is not installed. Debian: apt-get install libibverbs1 ibverbs-providers")]
    NoLibrary,
    /// The kernel has no verbs.
    #[error(
        "this kernel offers no RDMA: the module ib_uverbs is not loaded. As root: modprobe ib_uverbs"
    )]
    NoKernel,
    /// It has, but no device.
    #[error(
        "no RDMA device. `lspci` shows whether there is a card; without one, Soft-RoCE makes a device of a \
         network interface. As root: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0"
    )]
    None,
    /// One of them can't be asked.
    #[error("device {device}: {what}: {error}")]
    Device {
        /// Its name.
        device: String,
        /// What was tried.
        what: &'static str,
        /// What came of it.
        error: io::Error,
    },
    /// The list can't be had.
    #[error("RDMA devices can't be listed: {0}")]
    List(io::Error),
}

/// What `rdma-mummy-sys` sets when libibverbs isn't there (EOPNOTSUPP), and libibverbs when the kernel has no verbs
/// (ENOSYS).
const NO_LIBRARY: i32 = 95;
const NO_KERNEL: i32 = 38;

impl NoDevices {
    /// Why there is no list.
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
    fn says_what_to_do() {
        let said = |code| NoDevices::of_list(io::Error::from_raw_os_error(code)).to_string();
        assert!(said(NO_LIBRARY).contains("apt-get install libibverbs1"));
        assert!(said(NO_KERNEL).contains("modprobe ib_uverbs"));
        assert!(said(13).contains("Permission denied"));
    }
}
