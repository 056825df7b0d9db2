//! The text form of a [`InfinibandScenario`]: [`Spec`] is what a document says, a scenario what it means.
//!
//! `kind` and `[fabric]` are required. Every other key has the default that is shown here.
//!
//! ```toml
//! kind = "infiniband"
//! title = "Five bulk senders and a latency-sensitive flow"   # or the file's name
//!
//! [fabric]                     # see bandwise_topology::read::toml
//! build = { single-switch = 7 }
//! link = { rate = "54.545454545 Gbps", delay = "10 ns" }
//!
//! [switch]                     # every switch
//! latency = "200 ns"           # port to port
//! buffer = "32 KiB"            # for each input port and lane
//! scheduling = "fcfs"          # or "round-robin", among the inputs of a lane
//! queueing = "fifo"            # or "voq": virtual output queues
//! credit-delay = "50 ns"
//! hiccup = false               # or { one-in = 256, up-to = "200 ns" }
//!
//! [device]                     # every host
//! preset = "connectx4-56g"     # or "connectx3-fdr"
//! mtu = 4096                   # this and every other stage of DeviceModel by its name
//! interrupt = "4 us"           # from a completion to a program that sleeps for it
//! idle-states = []             # or [{ after = "80 us", exit = "10 us" }], of programs that sleep
//! os-tick = { period = "2 ms", steal = "3.1 us" }   # or false
//!
//! [qos]                        # every port
//! sl2vl = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]   # lane by service level; 15 drops
//! high = []                    # turns as VL:WEIGHT, such as "1:64"
//! low = ["0:64"]               # "VL:64" for every lane of any sl2vl that `high` doesn't serve
//! high-limit = 0
//!
//! [[qos.port]]                 # ports with tables of their own, each table a whole one; later
//! node = "switch"              # ones win
//! input = 3                    # any, if not given; for sl2vl of a switch alone
//! output = 7                   # all, if not given
//! sl2vl = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]   # and without `input`, or instead
//!                              # of sl2vl: high, low and high-limit as above
//!
//! [congestion-control]         # off where this table is missing
//! threshold = "16 KiB"         # of what waits for a lane of an output port; half of switch.buffer
//! marking-rate = 10            # packets that pass between two marks, on average
//! packet-size = 512            # smaller ones are never marked, in bytes
//! mark-victims = "hosts"       # ports that mark though they wait for credits; or "none", "all"
//! ccti-increase = 1
//! ccti-timer = 150             # in units of 1.024 us
//! ccti-min = 0
//! table = { quadratic = 128, longest = 57.385, shift = 0 }   # entries, the last one's wait in
//!                              # packet times, rounded to 2^-shift; or 128: entry n waits n
//!
//! [run]
//! warmup = "100 us"
//! duration = "50 ms"           # at most: it ends when all latency flows have their samples
//! seed = 1
//! allow-credit-loops = false
//!
//! [[flow]]                     # as many as you like; see FlowSpec
//! from = "h1"
//! to = "h0"
//! method = "bulk"
//! ```

mod cct;
pub(crate) mod congestion;
mod device;
pub(crate) mod fabric;
mod flow;
mod lanes;
mod method;
pub(crate) mod ports;
mod qos;
mod resolve;
mod run;
pub(crate) mod switch;

pub use flow::{FlowSpec, MethodName, OpcodeName, Senders, unplaced};

use crate::infiniband::InfinibandScenario;
use crate::reader::files::fabric_span;
use crate::reader::kind::{Kind, is_fabric_file};
use crate::reader::tables::{placed, table};
use crate::reader::text;
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::Models;
use bandwise_netsim::infiniband::switch::SwitchModel;
use bandwise_topology::read::{self, FabricSpec, Format};
use bandwise_topology::{Fabric, Routes};
use congestion::CongestionSpec;
use device::DeviceSpec;
use qos::QosSpec;
use resolve::Ledger;
use run::RunSpec;
use serde::Deserialize;
use std::ops::Range;
use switch::SwitchSpec;
use toml::Spanned;
use toml::de::DeTable;

/// A scenario as a TOML document says it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    title: Option<String>,
    #[serde(default, deserialize_with = "placed")]
    fabric: Option<Spanned<FabricSpec>>,
    #[serde(default, deserialize_with = "table")]
    switch: SwitchSpec,
    #[serde(default, deserialize_with = "table")]
    device: DeviceSpec,
    #[serde(default, deserialize_with = "table")]
    qos: QosSpec,
    #[serde(default, rename = "congestion-control", deserialize_with = "placed")]
    congestion_control: Option<Spanned<CongestionSpec>>,
    #[serde(default, deserialize_with = "table")]
    run: RunSpec,
    #[serde(default)]
    flow: Vec<FlowSpec>,
}

/// What a scenario must at least have.
const FABRIC_KEYS: &str = "a [fabric] table with keys such as build = { single-switch = 7 } and \
                           link = { rate = \"100 Gbps\" }";

impl InfinibandScenario {
    /// Reads a TOML scenario, or a fabric file, which becomes a scenario without flows: output of
    /// `ibnetdiscover`, a netlist of `ibsim`, or TOML with a `[fabric]` table and nothing else.
    ///
    /// # Errors
    ///
    /// The text has none of these formats, or describes an impossible scenario.
    pub fn from_text(source: &Source) -> Result<InfinibandScenario, InputError> {
        text::check_text(source)?;
        let fabric = match read::detect(source) {
            Format::Toml => {
                let document = text::document(source)?;
                return match is_fabric_file(document.get_ref()) {
                    true => InfinibandScenario::from_document(source, document),
                    false => InfinibandScenario::from_toml(source),
                };
            }
            Format::Ibnetdiscover => read::ibnetdiscover(source)?,
            Format::Ibsim => read::ibsim(source)?,
        };
        let at = |name: &str| read::node_line(source, name).unwrap_or(0..0);
        let scenario = InfinibandScenario {
            title: source.name.to_owned(),
            ..InfinibandScenario::on_fabric(fabric)
        };
        let loops_allowed = "the fabric in a TOML scenario with run.allow-credit-loops = true";
        fabric::check_credits(source, at, loops_allowed, &scenario)?;
        Ok(scenario)
    }

    /// Reads a TOML scenario.
    ///
    /// # Errors
    ///
    /// The text is not TOML, states another kind, or describes an impossible scenario.
    pub fn from_toml(source: &Source) -> Result<InfinibandScenario, InputError> {
        text::check_text(source)?;
        let mut document = text::document(source)?;
        Kind::Infiniband.take(source, &mut document)?;
        InfinibandScenario::from_document(source, document)
    }

    /// Reads a document whose kind has been taken out.
    fn from_document(
        source: &Source,
        document: Spanned<DeTable>,
    ) -> Result<InfinibandScenario, InputError> {
        let spec: Spec = source.read(document)?;
        let Some(fabric) = &spec.fabric else {
            let error = source.error(0..0, "there is no fabric");
            return Err(error.allowed(FABRIC_KEYS));
        };
        let at = fabric_span(source, fabric);
        let fabric = fabric.get_ref().resolve(source)?;
        spec.resolve(source, fabric, at)
    }

    /// A fabric with everything else as it is by default, and no flows.
    pub fn on_fabric(fabric: Fabric) -> InfinibandScenario {
        let run = RunSpec::default_run();
        InfinibandScenario {
            title: String::new(),
            routes: Routes::shortest(&fabric),
            fabric,
            models: Models {
                switch: SwitchModel::usual(),
                device: device::default_model(),
                qos: qos::default_tables(),
            },
            flows: Vec::new(),
            warmup: run.warmup,
            duration: run.duration,
            seed: run.seed,
        }
    }

    /// Adds the flows of a spec (more than one where it has a list of senders), or none of them
    /// if one can't be. `source` is what the spec was read from.
    pub fn add_flows(&mut self, source: &Source, spec: &FlowSpec) -> Result<(), InputError> {
        let flows = Ledger::of(self).flows(source, self, spec)?;
        self.flows.extend(flows);
        Ok(())
    }
}

impl Spec {
    /// What it means on that fabric; errors of the fabric stand at `at`.
    fn resolve(
        self,
        source: &Source,
        fabric: Fabric,
        at: Range<usize>,
    ) -> Result<InfinibandScenario, InputError> {
        let device = self.device.resolve(source)?;
        let switch = self.switch.resolve(source, device.mtu)?;
        let mut models = Models { switch, device, qos: self.qos.resolve(source, &fabric)? };
        if let Some(congestion) = &self.congestion_control {
            let (marking, reaction) = congestion.get_ref().resolve(source, models.switch.buffer)?;
            models.switch.marking = Some(marking);
            models.device.congestion_control = Some(reaction);
        }
        let run = self.run.resolve(source)?;
        let mut scenario = InfinibandScenario {
            title: self.title.unwrap_or_else(|| source.name.to_owned()),
            models,
            warmup: run.warmup,
            duration: run.duration,
            seed: run.seed,
            ..InfinibandScenario::on_fabric(fabric)
        };
        let mut ledger = Ledger::of(&scenario);
        for spec in &self.flow {
            let flows = ledger.flows(source, &scenario, spec)?;
            scenario.flows.extend(flows);
        }
        if !self.run.allow_credit_loops {
            let loops_allowed = "run.allow-credit-loops = true";
            fabric::check_credits(source, |_| at.clone(), loops_allowed, &scenario)?;
        }
        Ok(scenario)
    }
}
