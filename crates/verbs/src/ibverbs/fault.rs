//! [`VerbsError`]: an error of queue pairs.

use super::{NoDevices, Status};
use bandwise_rdma::wire::Mtu;
use bandwise_units::Bytes;
use std::io;

/// An error of a device.
#[derive(Debug, thiserror::Error)]
pub enum VerbsError {
    /// The device can't be opened.
    #[error(transparent)]
    Device(#[from] NoDevices),
    /// A call has failed.
    #[error("device {device}: {what}: {error}")]
    Call {
        /// The device's name.
        device: String,
        /// The failed action.
        what: String,
        /// The error.
        error: io::Error,
    },
    /// Memory can't be registered.
    #[error(
        "device {device}: {bytes} of memory can't be registered: {error}. It has to stay in memory (be locked), and \
         this process may lock {}. Needed: `ulimit -l {kib}` or more, or `unlimited` (KiB; as root, or by \
         /etc/security/limits.conf)",
        limit.as_deref().unwrap_or("an unknown amount")
    )]
    Memory {
        /// The device's name.
        device: String,
        /// The size.
        bytes: Bytes,
        /// The least sufficient limit.
        kib: u64,
        /// The limit on locked memory, as the kernel reports it.
        limit: Option<String>,
        /// The error.
        error: io::Error,
    },
    /// Huge pages are missing, and no others were allowed.
    #[error("device {device}: huge pages are not available: {why}")]
    HugePages {
        /// The device's name.
        device: String,
        /// The reason, and a remedy.
        why: String,
    },
    /// RDMA-CM has failed.
    #[error("{what}: {error}")]
    Manager {
        /// The failed action, or the missing part.
        what: String,
        /// The error.
        error: io::Error,
    },
    /// The other side has another kind of network, or other queue pairs.
    #[error("the other side can't be connected: {0}")]
    Peer(String),
    /// The device supports fewer outstanding READs or atomics.
    #[error(
        "device {device} supports {most} outstanding READs or atomics of a connection, not {wanted}: a `depth` \
         (-t) of up to {most} would do"
    )]
    Reads {
        /// The device's name.
        device: String,
        /// The wanted number.
        wanted: u8,
        /// The largest number.
        most: u32,
    },
    /// A request is longer than the registered memory.
    #[error("a message of {bytes} B was posted, and memory for {room} B is registered")]
    TooLong {
        /// The message.
        bytes: u32,
        /// The memory.
        room: u32,
    },
    /// A datagram is longer than a packet.
    #[error("a datagram of {bytes} B does not fit packets of {mtu}, the MTU of both ports")]
    Datagram {
        /// The largest message.
        bytes: u32,
        /// The largest payload of a packet.
        mtu: Mtu,
    },
    /// More requests were posted than the send queue holds.
    #[error("queue pair {qp} takes no more requests ({depth} at a time): {error}")]
    Post {
        /// The queue pair number.
        qp: u32,
        /// The length of the send queue.
        depth: u32,
        /// The error.
        error: io::Error,
    },
    /// A request has failed.
    #[error("queue pair {qp}: {what}: {status}")]
    Failed {
        /// The queue pair number.
        qp: u32,
        /// The request.
        what: &'static str,
        /// The status.
        status: Status,
    },
    /// The device has reported a fault outside of completions.
    #[error("device {device}: {what}")]
    Event {
        /// The device's name.
        device: String,
        /// The fault and its likely causes.
        what: &'static str,
    },
    /// A message has wrong contents.
    #[error("{0}")]
    Contents(String),
    /// The completion queue can't be polled.
    #[error("the completion queue can't be read: it has overrun, or the device is gone")]
    Poll,
}

impl VerbsError {
    /// Returns the error of the library's last call.
    pub(super) fn last(device: &str, what: impl Into<String>) -> VerbsError {
        VerbsError::of(device, what, io::Error::last_os_error())
    }

    pub(super) fn of(device: &str, what: impl Into<String>, error: io::Error) -> VerbsError {
        VerbsError::Call { device: device.to_owned(), what: what.into(), error }
    }

    pub(super) fn manager(what: impl Into<String>, error: io::Error) -> VerbsError {
        VerbsError::Manager { what: what.into(), error }
    }

    /// Returns the error of a failed registration. `limits` is the kernel's list of this process's limits.
    pub(super) fn memory(
        device: &str,
        bytes: usize,
        error: io::Error,
        limits: Option<&str>,
    ) -> VerbsError {
        // The driver locks memory for its queues too; the kernel counts pages.
        const QUEUES: u64 = 1 << 20;
        let bytes = bytes as u64;
        let limit = limits.and_then(|limits| {
            let line = limits.lines().find_map(|line| line.strip_prefix("Max locked memory"))?;
            let soft = line.split_whitespace().next()?;
            Some(soft.parse().map_or_else(|_| soft.to_owned(), |b| Bytes::new(b).to_string()))
        });
        VerbsError::Memory {
            device: device.to_owned(),
            bytes: Bytes::new(bytes),
            kib: (bytes + QUEUES).div_ceil(1024),
            limit,
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_error_names_the_needed_ulimit() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\n\
                      Max locked memory         65536                65536                bytes\n";
        let error = || io::Error::from_raw_os_error(12);
        let message = VerbsError::memory("rxe0", 2 << 20, error(), Some(limits)).to_string();
        for words in ["rxe0: 2 MiB", "may lock 64 KiB", "`ulimit -l 3072`"] {
            assert!(message.contains(words), "{message}");
        }
        let message = VerbsError::memory("rxe0", 1, error(), None).to_string();
        assert!(
            message.contains("`ulimit -l 1025`") && message.contains("unknown amount"),
            "{message}"
        );
    }
}
