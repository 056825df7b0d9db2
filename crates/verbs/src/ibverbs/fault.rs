//! [`VerbsError`]: why queue pairs can't be had, or can't go on.

use super::{NoDevices, Status};
use bandwise_rdma::wire::Mtu;
use bandwise_units::Bytes;
use std::io;

/// What went wrong on a device.
#[derive(Debug, thiserror::Error)]
pub enum VerbsError {
    /// It can't be opened.
    #[error(transparent)]
    Device(#[from] NoDevices),
    /// Something of it can't be had.
    #[error("device {device}: {what}: {error}")]
    Call {
        /// Its name.
        device: String,
        /// What was tried.
        what: String,
        /// What came of it.
        error: io::Error,
    },
    /// Memory can't be registered.
    #[error(
        "device {device}: {bytes} of memory can't be registered: {error}. It has to stay in memory (be locked), and \
         this process may lock {}. Needed: `ulimit -l {kib}` or more, or `unlimited` (KiB; as root, or by \
         /etc/security/limits.conf)",
        limit.as_deref().unwrap_or("an amount that is not known")
    )]
    Memory {
        /// The device's name.
        device: String,
        /// How much.
        bytes: Bytes,
        /// The least limit that would do.
        kib: u64,
        /// The limit on locked memory, as the kernel says it.
        limit: Option<String>,
        /// What came of it.
        error: io::Error,
    },
    /// Huge pages were wanted, and no others.
    #[error("device {device}: huge pages can't be had: {why}")]
    HugePages {
        /// The device's name.
        device: String,
        /// What is missing, and what would help.
        why: String,
    },
    /// RDMA's connection manager can't do it.
    #[error("{what}: {error}")]
    Manager {
        /// What was tried, or is missing.
        what: String,
        /// What came of it.
        error: io::Error,
    },
    /// The other side is on a network of another kind, or has other queue pairs.
    #[error("the other side can't be connected with: {0}")]
    Peer(String),
    /// The device has fewer READs or atomics on their way.
    #[error(
        "device {device} has {most} READs or atomics of a connection on their way at a time, not {wanted}: a `depth` \
         (-t) of up to {most} would do"
    )]
    Reads {
        /// Its name.
        device: String,
        /// How many were to be.
        wanted: u8,
        /// How many can be.
        most: u32,
    },
    /// A request is longer than the memory that was registered.
    #[error("a message of {bytes} B was posted, and memory for {room} B is registered")]
    TooLong {
        /// The message.
        bytes: u32,
        /// The memory.
        room: u32,
    },
    /// A datagram is one packet.
    #[error("a datagram of {bytes} B does not fit packets of {mtu}, which is what both ports take")]
    Datagram {
        /// The largest message.
        bytes: u32,
        /// The largest payload of a packet.
        mtu: Mtu,
    },
    /// More was posted than a send queue holds.
    #[error("queue pair {qp} takes no more requests ({depth} at a time): {error}")]
    Post {
        /// Its number.
        qp: u32,
        /// What it was made for.
        depth: u32,
        /// What came of it.
        error: io::Error,
    },
    /// A request failed.
    #[error("queue pair {qp}: {what}: {status}")]
    Failed {
        /// Its number.
        qp: u32,
        /// What was asked.
        what: &'static str,
        /// Why it failed.
        status: Status,
    },
    /// The device has told of something that no completion tells of.
    #[error("device {device}: {what}")]
    Event {
        /// Its name.
        device: String,
        /// What it is, and what it may come from.
        what: &'static str,
    },
    /// A message does not hold what it must.
    #[error("{0}")]
    Contents(String),
    /// The completion queue can't be read.
    #[error("the completion queue can't be read: it has overrun, or the device is gone")]
    Poll,
}

impl VerbsError {
    /// What the last call of the library came to.
    pub(super) fn last(device: &str, what: impl Into<String>) -> VerbsError {
        VerbsError::of(device, what, io::Error::last_os_error())
    }

    pub(super) fn of(device: &str, what: impl Into<String>, error: io::Error) -> VerbsError {
        VerbsError::Call { device: device.to_owned(), what: what.into(), error }
    }

    pub(super) fn manager(what: impl Into<String>, error: io::Error) -> VerbsError {
        VerbsError::Manager { what: what.into(), error }
    }

    /// Memory could not be registered; `limits` is what the kernel says of this process, if it does.
    pub(super) fn memory(
        device: &str,
        bytes: usize,
        error: io::Error,
        limits: Option<&str>,
    ) -> VerbsError {
        // What the driver locks for its queues comes on top; the kernel counts in pages.
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
    fn says_what_the_limit_must_be() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\n\
                      Max locked memory         65536                65536                bytes\n";
        let error = || io::Error::from_raw_os_error(12);
        let said = VerbsError::memory("rxe0", 2 << 20, error(), Some(limits)).to_string();
        for words in ["rxe0: 2 MiB", "may lock 64 KiB", "`ulimit -l 3072`"] {
            assert!(said.contains(words), "{said}");
        }
        let said = VerbsError::memory("rxe0", 1, error(), None).to_string();
        assert!(said.contains("`ulimit -l 1025`") && said.contains("not known"), "{said}");
    }
}
