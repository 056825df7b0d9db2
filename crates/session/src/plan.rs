//! [`Plan`], [`WantedPages`] and [`Path`]: what queue pairs are made for.

use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;

/// Queue pairs of one side, and the memory behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Their transport service.
    pub transport: Transport,
    /// How many are connected with the other side.
    pub queue_pairs: u16,
    /// How many more there are for datagrams (UD), after those.
    pub datagrams: u16,
    /// Whether there is one more, connected with itself.
    pub loopback: bool,
    /// The largest message, bytes.
    pub bytes: u32,
    /// Requests that a queue pair holds posted.
    pub send_depth: u32,
    /// RECVs that a queue pair keeps posted; 0 where none arrive that need one.
    pub recv_depth: u32,
    /// READs and atomics of a queue pair that are on their way at a time, 1 or more; the others that are posted wait.
    pub reads: u8,
    /// Completions that wait to be seen at most. It overruns if there can be more: every request and every RECV
    /// of every queue pair can become one.
    pub completions: u32,
    /// The largest payload inside a WQE, bytes.
    pub inline: u32,
    /// Whether messages hold something. Then each queue pair has as many places in memory as RECVs, for what it sends
    /// and for what arrives, and uses them in turn; if not, all share one.
    pub has_contents: bool,
    /// Whether WRITEs of the largest size are seen to arrive, by their last byte, and told of as received: on the
    /// first queue pair, one at a time.
    pub sees_writes: bool,
    /// Of which pages the memory is.
    pub pages: WantedPages,
    /// Whether the device says by its clock when a request ended, if it can.
    pub stamps: bool,
}

impl Plan {
    /// How many queue pairs are connected with the other side.
    pub fn wired(&self) -> usize {
        usize::from(self.queue_pairs) + usize::from(self.datagrams)
    }

    /// How many queue pairs there are.
    pub fn count(&self) -> u32 {
        self.wired() as u32 + u32::from(self.loopback)
    }

    /// The transport service of one of them.
    pub fn transport_of(&self, number: u32) -> Transport {
        let datagrams = usize::from(self.queue_pairs)..self.wired();
        if datagrams.contains(&(number as usize)) { Transport::Ud } else { self.transport }
    }

    /// How many places in memory each has to itself.
    pub fn places(&self) -> usize {
        // As many as RECVs are posted, which is in two halves.
        if self.has_contents { self.recv_depth as usize / 2 * 2 } else { 0 }
    }
}

/// Kind of memory pages that messages are to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedPages {
    /// The usual ones.
    Ordinary,
    /// Huge ones if they can be had: a device that has to translate fewer addresses misses fewer.
    HugeIfThere,
    /// Huge ones, or nothing is measured.
    Huge,
}

/// How packets go, by agreement of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// The largest payload of a packet, where both ports take it.
    pub mtu: Mtu,
    /// Service level, 0 to 15; on Ethernet the priority.
    pub sl: u8,
    /// The traffic class of packets with a global identifier: on IP, its byte of that name.
    pub traffic_class: u8,
}
