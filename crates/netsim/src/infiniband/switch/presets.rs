//! [`SwitchPreset`]: the known switches, and the model of a switch that nobody names.

use super::{Queueing, SwitchModel};
use crate::infiniband::egress::Scheduling;
use crate::infiniband::lane_buffer::{self, CREDIT_DELAY};
use bandwise_units::{BitRate, Bytes, Time};

/// A switch by name.
///
/// Data sheets state the latency from port to port of some generations; buffers per lane are stated
/// by none. Those here hold a packet's round trip over its link, as for any switch.
#[derive(Debug, Clone, Copy)]
pub struct SwitchPreset {
    /// The name in files.
    pub name: &'static str,
    /// The system and its chip, for output.
    pub title: &'static str,
    /// The rate of the fastest link, line coding included.
    pub link: BitRate,
    /// The port-to-port latency, first bit in to first bit out.
    pub latency: Time,
    /// The origin of the latency, for output.
    pub source: &'static str,
    /// The number of lanes for data: VL0 to this one less one.
    pub lanes: u8,
}

/// The lanes of InfiniBand: VL0 to VL14 carry data (IBTA 7.6.3).
const ALL_LANES: u8 = 15;

impl SwitchPreset {
    /// The model of a switch that no file names. Its latency is the longest that data sheets of
    /// single-chip switches state for FDR to HDR.
    pub const GENERIC: SwitchPreset = SwitchPreset {
        name: "generic",
        title: "not named",
        link: BitRate::from_gbps(800),
        latency: Time::from_ns(200),
        source: "data sheets state 90 to 200 ns; `[switch] preset` names yours",
        lanes: ALL_LANES,
    };

    /// All presets, the slowest first.
    pub const ALL: [SwitchPreset; 6] = [
        SwitchPreset::GENERIC,
        SwitchPreset {
            name: "sx6036-fdr",
            title: "SX6012 and SX6036, SwitchX-2",
            link: BitRate::from_bps(56_250_000_000),
            latency: Time::from_ns(200),
            source: "SX6012 data sheet: up to 200 ns",
            lanes: 8,
        },
        SwitchPreset {
            name: "sb7800-edr",
            title: "SB7800, Switch-IB 2",
            link: BitRate::from_gbps(100),
            latency: Time::from_ns(90),
            source: "90 ns as reported, not checked against a data sheet",
            lanes: 8,
        },
        SwitchPreset {
            name: "qm8700-hdr",
            title: "QM8700, Quantum",
            link: BitRate::from_gbps(200),
            latency: Time::from_ns(130),
            source: "QM8790 product brief: less than 130 ns",
            lanes: 8,
        },
        SwitchPreset {
            name: "qm9700-ndr",
            title: "QM9700, Quantum-2",
            link: BitRate::from_gbps(400),
            latency: Time::from_ns(200),
            source: "assumed, its data sheet states none",
            lanes: 8,
        },
        SwitchPreset {
            name: "q3400-xdr",
            title: "Q3400, Quantum-X800",
            link: BitRate::from_gbps(800),
            latency: Time::from_ns(200),
            source: "assumed, its data sheet states none",
            lanes: 8,
        },
    ];

    /// Returns the preset with a name.
    pub fn named(name: &str) -> Option<SwitchPreset> {
        Self::ALL.into_iter().find(|preset| preset.name == name)
    }

    /// Returns the model of a switch with links of these rates and delays.
    ///
    /// A lane's buffer covers the time from a packet's departure to the return of its credits: 32 KiB
    /// (RPerf paper, section VIII-B) do so on links of up to 400 Gbps and some metres, and are
    /// doubled until they do. Switches with cables of a hundred metres are sold, though no data
    /// sheet states the buffers with which they fill them.
    pub fn model_on(self, links: impl IntoIterator<Item = (BitRate, Time)>) -> SwitchModel {
        SwitchModel {
            preset: self.name,
            latency: self.latency,
            buffer: lane_buffer::covering(links, self.latency, Bytes::from_kib(32)),
            scheduling: Scheduling::Fcfs,
            queueing: Queueing::Fifo,
            hiccup: None,
            credit_delay: CREDIT_DELAY,
            marking: None,
        }
    }
}

impl SwitchModel {
    /// Returns the preset from which the model comes.
    pub fn of_preset(&self) -> SwitchPreset {
        SwitchPreset::named(self.preset).expect("models come from presets")
    }

    /// Returns whether the model has another latency than its preset.
    pub fn has_own_latency(&self) -> bool {
        self.latency != self.of_preset().latency
    }
}

impl Default for SwitchModel {
    /// Returns the model of a switch that nobody names, with links of up to 400 Gbps and some metres.
    fn default() -> Self {
        SwitchPreset::GENERIC.model_on([])
    }
}
