//! End-to-end congestion control of RoCE (RDMA over Converged Ethernet) senders: how fast a flow
//! may send, from what comes back to it.
//!
//! | | signal | limits | source |
//! |---|---|---|---|
//! | [`Dcqcn`] | ECN marks, as CNPs | rate | Zhu et al., SIGCOMM 2015 |
//! | [`Timely`] | round-trip time | rate | Mittal et al., SIGCOMM 2015 |
//! | [`Aimd`] | loss | window | RFC 5681; IRN 4.4.4 |
//! | [`Dctcp`] | ECN marks on ACKs, loss | window | Alizadeh et al., SIGCOMM 2010; IRN 4.4.4 |
//! | [`Hpcc`] | telemetry of each hop (INT) | window, rate | Li et al., SIGCOMM 2019 |
//! | [`Swift`] | round-trip time, loss | window; rate below a packet | Kumar et al., SIGCOMM 2020 |
//!
//! Section numbers beside an algorithm are those of its paper: "Congestion Control for Large-Scale
//! RDMA Deployments" (DCQCN), "TIMELY: RTT-based Congestion Control for the Datacenter", "Data
//! Center TCP (DCTCP)", "HPCC: High Precision Congestion Control", "Swift: Delay is Simple and
//! Effective for Congestion Control in the Datacenter". IRN is "Revisiting Network Support for
//! RDMA" (SIGCOMM 2018).
//!
//! A sender has one [`Congestion`] per flow, tells it what happens, and asks for [the
//! rate](Congestion::rate) and [the window](Congestion::window); both bind. All flows share one
//! [`Settings`]. Every flow starts at line rate, or with the window that fills its path at line
//! rate, as in IRN 4.1.
//!
//! The switch's part is [`RedMarker`] (ECN marks) and filling [`IntHop`]s; the receiver's is
//! [`NotificationPoint`] (CNPs) and echoing marks and telemetry on ACKs.
//!
//! Nothing here needs a timer: periods of DCQCN's two timers that have ended are counted when the
//! flow is looked at, and the result is exact, since between two events of a flow nobody sees its
//! rate. Numbers are integers, or `f64` with the four operations and square root alone, which
//! IEEE 754 defines to the last bit: the same on every machine.
//!
//! InfiniBand has another congestion control (FECN and BECN), which is in [`cc`](crate::cc).

mod aimd;
mod dcqcn;
mod dctcp;
mod hpcc;
mod notification;
mod red;
mod round;
mod swift;
#[cfg(test)]
mod testbed;
#[cfg(test)]
mod tests;
mod timely;

pub use aimd::{Aimd, AimdSettings};
pub use dcqcn::{Dcqcn, DcqcnSettings};
pub use dctcp::{Dctcp, DctcpSettings};
pub use hpcc::{Hpcc, HpccSettings, IntHop};
pub use notification::{NotificationPoint, NotificationSettings};
pub use red::{RedError, RedMarker};
pub use swift::{Swift, SwiftSettings};
pub use timely::{Timely, TimelySettings};

use bandwise_units::{BitRate, Bytes, Time};

/// Which congestion control senders use.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Senders send as fast as the link, the transport and PFC let them.
    #[default]
    None,
    /// [`Dcqcn`].
    Dcqcn,
    /// [`Timely`].
    Timely,
    /// [`Aimd`].
    Aimd,
    /// [`Dctcp`].
    Dctcp,
    /// [`Hpcc`].
    Hpcc,
    /// [`Swift`].
    Swift,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 7] = [
        Algorithm::None,
        Algorithm::Dcqcn,
        Algorithm::Timely,
        Algorithm::Aimd,
        Algorithm::Dctcp,
        Algorithm::Hpcc,
        Algorithm::Swift,
    ];

    /// Whether switches have to mark packets (ECN) for it to work.
    pub const fn needs_marks(self) -> bool {
        matches!(self, Algorithm::Dcqcn | Algorithm::Dctcp)
    }

    /// Whether receivers have to send CNPs ([`NotificationPoint`]) for it to work.
    pub const fn needs_notifications(self) -> bool {
        matches!(self, Algorithm::Dcqcn)
    }

    /// Whether switches have to add telemetry to packets for it to work.
    pub const fn needs_telemetry(self) -> bool {
        matches!(self, Algorithm::Hpcc)
    }
}

/// The parameters of every algorithm, and which one is used. One for all flows of a network.
///
/// A structure with all of them, not an enumeration: a flow's state then can't meet the settings
/// of another algorithm, so nothing has to be checked per ACK.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// The one that new flows use.
    pub algorithm: Algorithm,
    /// Of DCQCN senders.
    pub dcqcn: DcqcnSettings,
    /// Of Timely.
    pub timely: TimelySettings,
    /// Of AIMD.
    pub aimd: AimdSettings,
    /// Of DCTCP.
    pub dctcp: DctcpSettings,
    /// Of HPCC.
    pub hpcc: HpccSettings,
    /// Of Swift.
    pub swift: SwiftSettings,
}

/// What a flow knows of its path when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// Rate of the sender's link, not zero. No flow is faster.
    pub line_rate: BitRate,
    /// From the start of a packet of full size to its ACK where nothing queues, not zero.
    pub base_rtt: Time,
    /// A packet of full size on the wire with all its headers, not zero.
    pub packet: Bytes,
}

impl Path {
    /// The packets that fill the path at line rate (the bandwidth-delay product), at least one.
    pub fn packets_in_flight(&self) -> f64 {
        (self.bits_in(self.base_rtt) / self.packet.bits() as f64).max(1.0)
    }

    /// The bits that the link carries in a time.
    fn bits_in(&self, time: Time) -> f64 {
        self.line_rate.as_bps() as f64 * seconds(time)
    }
}

/// What an acknowledgement says.
#[derive(Debug, Clone, Copy)]
pub struct AckInfo<'a> {
    /// When it arrived.
    pub now: Time,
    /// Since the packet that it answers began to leave. Retransmitted packets have no sample
    /// that can be told apart from the original's: leave their ACKs out.
    pub rtt: Time,
    /// Packets that are newly acknowledged, also selectively.
    pub acked: u32,
    /// Their bytes on the wire.
    pub bytes: u32,
    /// The packet that it answers carried an ECN mark.
    pub marked: bool,
    /// Packets still unacknowledged after it, lost ones not counted.
    pub in_flight: u32,
    /// The telemetry that the packet collected, first hop first; empty where switches add none.
    pub int: &'a [IntHop],
}

/// The congestion control of one flow.
///
/// Times must not go back from call to call.
#[derive(Debug, Clone)]
pub enum Congestion {
    /// No limit.
    None,
    /// See [`Dcqcn`].
    Dcqcn(Dcqcn),
    /// See [`Timely`].
    Timely(Timely),
    /// See [`Aimd`].
    Aimd(Aimd),
    /// See [`Dctcp`].
    Dctcp(Dctcp),
    /// See [`Hpcc`]. Boxed, because it remembers every hop: all other flows would pay for that
    /// in cache. It is allocated once a flow.
    Hpcc(Box<Hpcc>),
    /// See [`Swift`].
    Swift(Swift),
}

impl Congestion {
    /// A flow that starts now, at line rate.
    pub fn new(settings: &Settings, path: &Path, now: Time) -> Self {
        match settings.algorithm {
            Algorithm::None => Congestion::None,
            Algorithm::Dcqcn => Congestion::Dcqcn(Dcqcn::new(path, now)),
            Algorithm::Timely => Congestion::Timely(Timely::new(path)),
            Algorithm::Aimd => Congestion::Aimd(Aimd::new(path)),
            Algorithm::Dctcp => Congestion::Dctcp(Dctcp::new(path)),
            Algorithm::Hpcc => Congestion::Hpcc(Box::new(Hpcc::new(path))),
            Algorithm::Swift => Congestion::Swift(Swift::new(&settings.swift, path)),
        }
    }

    /// An acknowledgement of new packets arrived.
    #[inline]
    pub fn on_ack(&mut self, settings: &Settings, ack: &AckInfo) {
        match self {
            // DCQCN hears of congestion by CNPs alone.
            Congestion::None | Congestion::Dcqcn(_) => {}
            Congestion::Timely(flow) => flow.on_ack(&settings.timely, ack),
            Congestion::Aimd(flow) => flow.on_ack(&settings.aimd, ack),
            Congestion::Dctcp(flow) => flow.on_ack(&settings.dctcp, ack),
            Congestion::Hpcc(flow) => flow.on_ack(&settings.hpcc, ack),
            Congestion::Swift(flow) => flow.on_ack(&settings.swift, ack),
        }
    }

    /// A congestion notification packet (CNP) of DCQCN arrived.
    pub fn on_cnp(&mut self, settings: &Settings, now: Time) {
        if let Congestion::Dcqcn(flow) = self {
            flow.on_cnp(&settings.dcqcn, now);
        }
    }

    /// The flow learned by a NACK that packets are lost. To be called once a recovery, however
    /// many packets it sends again.
    pub fn on_loss(&mut self, settings: &Settings, now: Time) {
        match self {
            Congestion::Aimd(flow) => flow.on_loss(&settings.aimd),
            Congestion::Dctcp(flow) => flow.on_loss(&settings.dctcp),
            Congestion::Swift(flow) => flow.on_loss(&settings.swift, now),
            // The papers of these expect a lossless network; IRN 4.3 has them back off.
            Congestion::Dcqcn(flow) => flow.on_loss(&settings.dcqcn, now),
            Congestion::Timely(flow) => flow.on_loss(&settings.timely),
            // HPCC's expects one too.
            Congestion::None | Congestion::Hpcc(_) => {}
        }
    }

    /// The retransmission timer ended: nothing came back for long.
    pub fn on_timeout(&mut self, settings: &Settings, now: Time) {
        match self {
            Congestion::Aimd(flow) => flow.on_timeout(&settings.aimd),
            Congestion::Dctcp(flow) => flow.on_timeout(&settings.dctcp),
            Congestion::Swift(flow) => flow.on_timeout(&settings.swift, now),
            Congestion::Dcqcn(flow) => flow.on_loss(&settings.dcqcn, now),
            Congestion::Timely(flow) => flow.on_loss(&settings.timely),
            Congestion::None | Congestion::Hpcc(_) => {}
        }
    }

    /// A packet of `bytes` on the wire left, sent for the first time or again.
    #[inline]
    pub fn on_sent(&mut self, settings: &Settings, now: Time, bytes: u32) {
        if let Congestion::Dcqcn(flow) = self {
            flow.on_sent(&settings.dcqcn, now, bytes);
        }
    }

    /// The rate at which the flow's packets may leave: after one of `n` bytes on the wire, the
    /// next waits for `rate.time_for(n)`. `None` is line rate.
    #[inline]
    pub fn rate(&mut self, settings: &Settings, now: Time) -> Option<BitRate> {
        match self {
            Congestion::None | Congestion::Aimd(_) | Congestion::Dctcp(_) => None,
            Congestion::Dcqcn(flow) => flow.rate(&settings.dcqcn, now),
            Congestion::Timely(flow) => flow.rate(),
            Congestion::Hpcc(flow) => flow.rate(),
            Congestion::Swift(flow) => flow.rate(),
        }
    }

    /// How many packets may be in flight: at least one; `u32::MAX` where nothing but the rate
    /// limits the flow.
    #[inline]
    pub fn window(&self) -> u32 {
        match self {
            Congestion::None | Congestion::Dcqcn(_) | Congestion::Timely(_) => u32::MAX,
            Congestion::Aimd(flow) => flow.window(),
            Congestion::Dctcp(flow) => flow.window(),
            Congestion::Hpcc(flow) => flow.window(),
            Congestion::Swift(flow) => flow.window(),
        }
    }
}

/// A time in seconds, for products with a rate.
#[inline]
fn seconds(time: Time) -> f64 {
    time.as_ps() as f64 / 1e12
}

/// A rate in bits per second as a type, at least 1 bps: a packet must leave some day.
#[inline]
fn bit_rate(bps: f64) -> BitRate {
    BitRate::from_bps((bps as u64).max(1))
}

/// A window in whole packets: rounded down, at least one.
#[inline]
fn whole_packets(window: f64) -> u32 {
    (window as u32).max(1)
}
