//! [`Fabric`]: the paper's fabric and those of today, on which the main claims are tried.

use super::setup::{BSG_BUFFER, base, bulk, flow};
use super::variant::variant;
use bandwise_netsim::infiniband::host::DevicePreset;
use bandwise_scenario::infiniband::{Flow, InfinibandScenario};
use bandwise_units::{BitRate, Bytes, Time};

/// A generation of links, adapters and switches.
#[derive(Debug)]
pub(super) struct Fabric {
    /// Name, as in tables.
    pub name: &'static str,
    rate: BitRate,
    device: &'static str,
    /// Switch preset; `None` for the paper's switch.
    switch: Option<&'static str>,
    /// Queue pairs of a bulk sender: enough to fill its link with 4096 B.
    pub qps: u16,
}

/// Fabrics of today.
pub(super) const TODAY: [Fabric; 2] = [
    Fabric {
        name: "100 Gbps",
        rate: BitRate::from_gbps(100),
        device: "connectx5-edr",
        switch: Some("sb7800-edr"),
        qps: 1,
    },
    Fabric {
        name: "400 Gbps",
        rate: BitRate::from_gbps(400),
        device: "connectx7-ndr",
        switch: Some("qm9700-ndr"),
        qps: 2,
    },
];

impl Fabric {
    /// The paper's fabric.
    pub(super) const PAPER: Fabric = Fabric {
        name: "56 Gbps",
        rate: super::link::LINK,
        device: "connectx4-56g",
        switch: None,
        qps: 1,
    };

    /// Returns whether this is the paper's fabric.
    pub(super) fn is_paper(&self) -> bool {
        self.switch.is_none()
    }

    /// Returns the name of a case on this fabric; those of the paper's have no prefix.
    pub(super) fn called(&self, case: &str) -> String {
        if self.is_paper() { case.to_owned() } else { format!("{}, {case}", self.name) }
    }

    /// Returns one of the paper's topologies with this fabric's links, adapters and switches.
    pub(super) fn scenario(&self, name: &str, text: &str) -> InfinibandScenario {
        let Some(switch) = self.switch else { return base(name, text) };
        let rate = format!("rate = \"{}\"", self.name);
        let changes = [
            ("rate = \"54.545454545 Gbps\"", &*rate),
            ("latency = \"200 ns\"", &*format!("preset = \"{switch}\"")),
            ("preset = \"connectx4-56g\"", &*format!("preset = \"{}\"", self.device)),
        ];
        base(name, &variant(text, &changes))
    }

    /// Returns the buffer of a bulk sender: as much as the RNIC holds.
    pub(super) fn buffer(&self) -> Bytes {
        let device = DevicePreset::named(self.device).expect("a preset").model();
        if self.is_paper() { BSG_BUFFER } else { device.bulk_buffer() }
    }

    /// Returns `n` bulk senders on hosts 1 to n, on SL0.
    pub(super) fn senders(&self, n: usize, bytes: u32) -> Vec<Flow> {
        let method = || bulk(bytes, self.qps, self.buffer());
        (1..=n).map(|i| flow(format!("BSG {i}"), i, 0, method())).collect()
    }

    /// Returns the largest pause after a sample: 40 packets of 4096 B, as in the paper's setups.
    pub(super) fn think(&self) -> Time {
        self.rate.time_for(Bytes::from_kib(4 * 40))
    }
}
