//! [`Plan`], [`WantedPages`] and [`Path`]: the parameters of queue pairs.

use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;
use bandwise_units::Bytes;

/// The queue pairs of one side, and their memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The transport service.
    pub transport: Transport,
    /// The number of queue pairs that are connected with the other side.
    pub queue_pairs: u16,
    /// The number of further queue pairs for datagrams (UD).
    pub datagrams: u16,
    /// True if there is another queue pair that is connected with itself.
    pub loopback: bool,
    /// The largest message in bytes.
    pub bytes: u32,
    /// The length of a send queue.
    pub send_depth: u32,
    /// The number of posted RECVs of a queue pair; 0 if no message needs one.
    pub recv_depth: u32,
    /// The number of outstanding READs and atomics of a queue pair, from 1; further posted ones wait.
    pub reads: u8,
    /// The length of the completion queue. The queue needs room for a completion of every request
    /// and every RECV of all queue pairs.
    pub completions: u32,
    /// The largest payload inside a WQE, in bytes.
    pub inline: u32,
    /// True if messages have contents. Then each queue pair has as many slots as RECVs for each
    /// direction, and uses them cyclically. Otherwise all queue pairs share one slot.
    pub has_contents: bool,
    /// True if the arrival of WRITEs of the largest size is detected by their last byte, and reported as a reception:
    /// on the first queue pair, one at a time.
    pub sees_writes: bool,
    /// The pages of the memory.
    pub pages: WantedPages,
    /// True if completions have time stamps of the device, if it supports them.
    pub stamps: bool,
}

impl Plan {
    /// Returns the number of queue pairs that are connected with the other side.
    pub fn wired(&self) -> usize {
        usize::from(self.queue_pairs) + usize::from(self.datagrams)
    }

    /// Returns the number of all queue pairs.
    pub fn count(&self) -> u32 {
        self.wired() as u32 + u32::from(self.loopback)
    }

    /// Returns the transport service of a queue pair.
    pub fn transport_of(&self, number: u32) -> Transport {
        let datagrams = usize::from(self.queue_pairs)..self.wired();
        if datagrams.contains(&(number as usize)) { Transport::Ud } else { self.transport }
    }

    /// Returns about how much memory the queue pairs of several threads take: registered buffers, and queues.
    pub fn memory(&self, threads: u32) -> Bytes {
        /// The largest entry of a queue, of usual devices, and what a buffer is rounded up by.
        const ENTRY: u64 = 128;
        const ROUNDING: u64 = 4096 + ENTRY;
        let (threads, count) = (u64::from(threads), u64::from(self.count()));
        let slots = (threads * count * self.places() as u64).max(1);
        let buffers = 2 * (slots * u64::from(self.bytes) + ROUNDING);
        let requests = count * (u64::from(self.send_depth) + u64::from(self.recv_depth));
        let entries = threads * (requests + u64::from(self.completions));
        Bytes::new(buffers + entries * ENTRY)
    }

    /// Returns the number of slots of each queue pair.
    pub fn places(&self) -> usize {
        // The number of slots equals that of posted RECVs, which are in two halves.
        if self.has_contents { self.recv_depth as usize / 2 * 2 } else { 0 }
    }
}

/// The wanted memory pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedPages {
    /// Ordinary pages.
    Ordinary,
    /// Huge pages if available: the device then misses fewer address translations.
    HugeIfThere,
    /// Huge pages. Without them the measurement fails.
    Huge,
}

/// The path parameters that both sides agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// The largest payload of a packet, if both ports take it.
    pub mtu: Mtu,
    /// The service level, 0 to 15; on Ethernet the priority.
    pub sl: u8,
    /// The traffic class of packets with a GID; on IP, the byte of that name.
    pub traffic_class: u8,
}
