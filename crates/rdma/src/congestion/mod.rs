//! End-to-end congestion control of RoCE (RDMA over Converged Ethernet) senders: limits of a flow's
//! rate and window, based on feedback.
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
//! A sender has one [`Congestion`] per flow, reports events to it, and reads [the
//! rate](Congestion::rate) and [the window](Congestion::window); both apply. All flows share one
//! [`CongestionSettings`]. Every flow starts at line rate, or with the window that fills its path
//! at line rate, as in IRN 4.1.
//!
//! Switches contribute [`RedMarker`] (ECN marks) and [`IntHop`]s, receivers [`NotificationPoint`]
//! (CNPs) and echoes of marks and telemetry on ACKs.
//!
//! No timers are needed: expirations of DCQCN's two timers are counted when the flow is accessed.
//! The result is exact, since the rate is not read between two events of a flow. Numbers are
//! integers, or `f64` with the four basic operations and square root only, which IEEE 754 defines
//! to the last bit: results are equal on all machines.
//!
//! InfiniBand has another congestion control (FECN and BECN), which is in [`ib_congestion`](crate::ib_congestion).

mod ack;
mod aimd;
mod dcqcn;
mod dctcp;
mod hpcc;
mod notification;
mod path;
mod red;
mod round;
mod swift;
#[cfg(test)]
mod testbed;
#[cfg(test)]
mod tests;
mod timely;

pub use ack::{AckInfo, IntHop};
pub use aimd::{Aimd, AimdSettings};
pub use dcqcn::{Dcqcn, DcqcnSettings};
pub use dctcp::{Dctcp, DctcpSettings};
pub use hpcc::{Hpcc, HpccSettings};
pub use notification::{NotificationPoint, NotificationSettings};
pub use path::Path;
pub use red::{RedError, RedMarker};
pub use swift::{Swift, SwiftSettings};
pub use timely::{Timely, TimelySettings};

use bandwise_units::{BitRate, Time};

/// Congestion control algorithm of the senders.
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
    /// No congestion control: senders use the full rate of link, transport and PFC.
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
    /// All algorithms.
    pub const ALL: [Algorithm; 7] = [
        Algorithm::None,
        Algorithm::Dcqcn,
        Algorithm::Timely,
        Algorithm::Aimd,
        Algorithm::Dctcp,
        Algorithm::Hpcc,
        Algorithm::Swift,
    ];

    /// Returns whether the algorithm needs ECN marks of switches.
    pub const fn needs_marks(self) -> bool {
        matches!(self, Algorithm::Dcqcn | Algorithm::Dctcp)
    }

    /// Returns whether the algorithm needs CNPs of receivers ([`NotificationPoint`]).
    pub const fn needs_notifications(self) -> bool {
        matches!(self, Algorithm::Dcqcn)
    }

    /// Returns whether the algorithm needs telemetry of switches.
    pub const fn needs_telemetry(self) -> bool {
        matches!(self, Algorithm::Hpcc)
    }
}

/// Parameters of all algorithms, and the algorithm in use, for all flows of a network.
///
/// A struct with all of them instead of an enum: a flow's state can't meet the settings of another
/// algorithm, so ACKs need no check.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CongestionSettings {
    /// Algorithm of new flows.
    pub algorithm: Algorithm,
    /// Parameters of DCQCN senders.
    pub dcqcn: DcqcnSettings,
    /// Parameters of Timely.
    pub timely: TimelySettings,
    /// Parameters of AIMD.
    pub aimd: AimdSettings,
    /// Parameters of DCTCP.
    pub dctcp: DctcpSettings,
    /// Parameters of HPCC.
    pub hpcc: HpccSettings,
    /// Parameters of Swift.
    pub swift: SwiftSettings,
}

/// Congestion control of one flow.
///
/// Times must not decrease from call to call.
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
    /// See [`Hpcc`]. Boxed, because its state of every hop would enlarge all flows. Allocated once
    /// per flow.
    Hpcc(Box<Hpcc>),
    /// See [`Swift`].
    Swift(Swift),
}

impl Congestion {
    /// Creates a flow that starts now, at line rate.
    pub fn new(settings: &CongestionSettings, path: &Path, now: Time) -> Self {
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

    /// Processes an acknowledgement of new packets.
    #[inline]
    pub fn on_ack(&mut self, settings: &CongestionSettings, ack: &AckInfo) {
        match self {
            // DCQCN reacts to CNPs only.
            Congestion::None | Congestion::Dcqcn(_) => {}
            Congestion::Timely(flow) => flow.on_ack(&settings.timely, ack),
            Congestion::Aimd(flow) => flow.on_ack(&settings.aimd, ack),
            Congestion::Dctcp(flow) => flow.on_ack(&settings.dctcp, ack),
            Congestion::Hpcc(flow) => flow.on_ack(&settings.hpcc, ack),
            Congestion::Swift(flow) => flow.on_ack(&settings.swift, ack),
        }
    }

    /// Processes a congestion notification packet (CNP) of DCQCN.
    pub fn on_cnp(&mut self, settings: &CongestionSettings, now: Time) {
        if let Congestion::Dcqcn(flow) = self {
            flow.on_cnp(&settings.dcqcn, now);
        }
    }

    /// Processes a loss reported by a NACK. Called once per recovery, for any number of
    /// retransmissions.
    pub fn on_loss(&mut self, settings: &CongestionSettings, now: Time) {
        match self {
            Congestion::Aimd(flow) => flow.on_loss(&settings.aimd),
            Congestion::Dctcp(flow) => flow.on_loss(&settings.dctcp),
            Congestion::Swift(flow) => flow.on_loss(&settings.swift, now),
            // The papers of these assume a lossless network; IRN 4.3 makes them back off.
            Congestion::Dcqcn(flow) => flow.on_loss(&settings.dcqcn, now),
            Congestion::Timely(flow) => flow.on_loss(&settings.timely),
            // HPCC's paper also assumes one.
            Congestion::None | Congestion::Hpcc(_) => {}
        }
    }

    /// Processes an expired retransmission timer.
    pub fn on_timeout(&mut self, settings: &CongestionSettings, now: Time) {
        match self {
            Congestion::Aimd(flow) => flow.on_timeout(&settings.aimd),
            Congestion::Dctcp(flow) => flow.on_timeout(&settings.dctcp),
            Congestion::Swift(flow) => flow.on_timeout(&settings.swift, now),
            Congestion::Dcqcn(flow) => flow.on_loss(&settings.dcqcn, now),
            Congestion::Timely(flow) => flow.on_loss(&settings.timely),
            Congestion::None | Congestion::Hpcc(_) => {}
        }
    }

    /// Records a sent packet of `bytes` on the wire, new or retransmitted.
    #[inline]
    pub fn on_sent(&mut self, settings: &CongestionSettings, now: Time, bytes: u32) {
        if let Congestion::Dcqcn(flow) = self {
            flow.on_sent(&settings.dcqcn, now, bytes);
        }
    }

    /// Returns the rate of the flow's packets: after a packet of `n` bytes on the wire, the next
    /// waits for `rate.time_for(n)`. `None` is line rate.
    #[inline]
    pub fn rate(&mut self, settings: &CongestionSettings, now: Time) -> Option<BitRate> {
        match self {
            Congestion::None | Congestion::Aimd(_) | Congestion::Dctcp(_) => None,
            Congestion::Dcqcn(flow) => flow.rate(&settings.dcqcn, now),
            Congestion::Timely(flow) => flow.rate(),
            Congestion::Hpcc(flow) => flow.rate(),
            Congestion::Swift(flow) => flow.rate(),
        }
    }

    /// Returns the number of packets that may be in flight: at least one, or `u32::MAX` without a
    /// window.
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
