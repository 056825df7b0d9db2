//! Reader of scenario files of kind `infiniband`: values with their places in the file, from which a
//! builder makes a scenario.
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
//! # or, above the tables, fabric-file = "FILE": TOML, ibnetdiscover output or an ibsim netlist
//!
//! [switch]                     # every switch
//! preset = "generic"           # or a switch such as "qm8700-hdr"
//! latency = "200 ns"           # port to port
//! buffer = "32 KiB"            # for each input port and lane
//! scheduling = "fcfs"          # or "round-robin" or "age", among the inputs of a lane
//! queueing = "fifo"            # or "voq": virtual output queues
//! credit-delay = "50 ns"
//! hiccup = false               # or { one-in = 256, up-to = "200 ns" }
//!
//! [device]                     # every host
//! preset = "connectx4-56g"     # or "connectx3-fdr"
//! mtu = 4096                   # this and the other parameters of DeviceModel, by their names
//! interrupt = "4 us"           # time to wake a program that sleeps until a completion
//! idle-states = []             # or [{ after = "80 us", exit = "10 us" }], for sleeping programs
//! os-tick = { period = "2 ms", steal = "3.1 us" }   # or false
//!
//! [[node]]                     # hosts and switches that differ from those above
//! name = ["h1", "h2"]          # or one name
//! device = { preset = "connectx4-56g" }   # the keys of [device]; of a switch: switch = { … }
//! # port = 2                   # port of a host that its traffic uses [default: the lowest with a cable]
//!
//! [qos]                        # every port
//! # opensm = "opensm.conf"     # tables of OpenSM's configuration in place of the next four
//! sl2vl = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]   # lane by service level; lane 15 drops
//! high = []                    # arbitration entries VL:WEIGHT, such as "1:64"
//! low = ["0:64"]               # [default: "VL:64" for every lane of an sl2vl that `high` doesn't serve]
//! high-limit = 0               # lists may be texts as in OpenSM's configuration: "0:64,1:192"
//!
//! [[qos.port]]                 # ports with their own tables, which replace those above; a later
//! node = "switch"              # [[qos.port]] overrides an earlier one
//! input = 3                    # input port, only for sl2vl of a switch [default: all]
//! output = 7                   # output port [default: all]
//! sl2vl = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]   # or, without `input`, high, low and
//!                              # high-limit as above
//!
//! [congestion-control]         # off without this table
//! threshold = "16 KiB"         # of bytes queued for a lane of an output port; half of switch.buffer
//! marking-rate = 10            # mean number of packets between two marks
//! packet-size = 512            # bytes; smaller packets are never marked
//! mark-victims = "hosts"       # ports that mark even without credits; or "none", "all"
//! ccti-increase = 1
//! ccti-timer = 150             # in units of 1.024 us
//! ccti-min = 0
//! table = { quadratic = 128, longest = 57.385, shift = 0 }   # number of entries, wait of the last
//!                              # in packet times rounded to 2^-shift; or 128: entry n waits n
//!
//! [run]
//! warmup = "100 us"
//! duration = "50 ms"           # at most: the run ends when all latency flows have their samples
//! seed = 1
//! allow-credit-loops = false
//!
//! [[flow]]                     # zero or more; keys as in spec/flow.rs
//! from = "h1"
//! to = "h0"
//! method = "bulk"
//! ```

mod cct;
pub(crate) mod congestion;
mod device;
mod flow;
mod node;
mod opensm;
pub(crate) mod ports;
mod qos;
mod qos_entries;
mod run;
pub(crate) mod switch;

pub(in crate::infiniband) use node::default_models;

use super::{BuildError, InfinibandScenario};
use crate::reader::files::{self, File, Files};
use crate::reader::kind::{Kind, is_fabric_file};
use crate::reader::parsed::Parsed;
use crate::reader::tables::{list, placed, table};
use crate::reader::text;
use crate::reader::values::Given;
use bandwise_input::{InputError, Source};
use bandwise_topology::infiniband::MAX_PORTS;
use bandwise_topology::read::{self, FabricSpec, Format, LOWEST_PORT};
use bandwise_topology::{Fabric, NodeId};
use congestion::CongestionSpec;
use device::DeviceSpec;
use flow::FlowSpec;
use node::NodeSpec;
use qos::QosSpec;
use run::RunSpec;
use serde::Deserialize;
use std::ops::Range;
use switch::SwitchSpec;
use toml::Spanned;
use toml::de::DeTable;

/// A scenario as a TOML document states it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Spec {
    title: Option<String>,
    fabric_file: Given<String>,
    #[serde(default, deserialize_with = "placed")]
    fabric: Option<Spanned<FabricSpec>>,
    #[serde(default, deserialize_with = "table")]
    switch: SwitchSpec,
    #[serde(default, deserialize_with = "table")]
    device: DeviceSpec,
    #[serde(default, deserialize_with = "list")]
    node: Vec<Spanned<NodeSpec>>,
    #[serde(default, deserialize_with = "table")]
    qos: QosSpec,
    #[serde(default, deserialize_with = "placed")]
    congestion_control: Option<Spanned<CongestionSpec>>,
    #[serde(default, deserialize_with = "table")]
    run: RunSpec,
    #[serde(default)]
    flow: Vec<FlowSpec>,
}

/// Required keys of a fabric, for errors.
const FABRIC_KEYS: &str = "fabric-file = \"FILE\" above the tables, or a [fabric] table with keys such as \
                           build = { single-switch = 7 } and link = { rate = \"100 Gbps\" }";

impl InfinibandScenario {
    /// Reads a TOML scenario, or a fabric file, which becomes a scenario without flows: output of
    /// `ibnetdiscover`, a netlist of `ibsim`, or TOML with a `[fabric]` table and nothing else. Of
    /// a fabric in several parts it takes the one with `hosts`. `files` returns the text of a file
    /// that the scenario names.
    ///
    /// # Errors
    ///
    /// The text has none of these formats, or describes an impossible scenario.
    pub fn from_text(
        source: &Source,
        hosts: &[&str],
        mut files: impl FnMut(&str) -> Result<File, String>,
    ) -> Result<Parsed<InfinibandScenario>, InputError> {
        text::check_text(source)?;
        let fabric = match read::detect(source) {
            Format::Toml => {
                let mut document = text::document(source)?;
                if !is_fabric_file(document.get_ref()) {
                    Kind::Infiniband.take(source, &mut document)?;
                }
                return InfinibandScenario::from_document(source, document, &mut files);
            }
            Format::Ibnetdiscover => read::ibnetdiscover(source)?,
            Format::Ibsim => read::ibsim(source)?,
        };
        let (fabric, warnings) = fabric.with_hosts(source, hosts)?;
        let builder = InfinibandScenario::builder(fabric).title(source.name);
        let at = |name: &str| read::node_line(source, name).unwrap_or(0..0);
        let loops_allowed = "the fabric in a TOML scenario with run.allow-credit-loops = true";
        let error = |error| located(source, at, loops_allowed, &[], error);
        Ok(Parsed { scenario: builder.build().map_err(error)?, warnings })
    }

    /// Reads a TOML scenario, without the warnings about a fabric's file. `files` returns the text of
    /// a file that it names.
    ///
    /// # Errors
    ///
    /// The text is not TOML, states another kind, or describes an impossible scenario.
    pub fn from_toml(
        source: &Source,
        mut files: impl FnMut(&str) -> Result<File, String>,
    ) -> Result<InfinibandScenario, InputError> {
        text::check_text(source)?;
        let mut document = text::document(source)?;
        Kind::Infiniband.take(source, &mut document)?;
        Ok(InfinibandScenario::from_document(source, document, &mut files)?.scenario)
    }

    /// Reads a document after its kind was removed.
    fn from_document(
        source: &Source,
        document: Spanned<DeTable>,
        files: Files,
    ) -> Result<Parsed<InfinibandScenario>, InputError> {
        let spec: Spec = source.read(document)?;
        let mut warnings = Vec::new();
        let (table, file) = (spec.fabric.as_ref(), spec.fabric_file.as_ref());
        let hosts: Vec<&str> = spec.flow.iter().flat_map(FlowSpec::hosts).collect();
        let given = files::fabric(source, MAX_PORTS, table, file, &hosts, files, &mut warnings)?;
        let Some((fabric, at)) = given else {
            let error = source.error(0..0, "there is no fabric");
            return Err(error.allowed(FABRIC_KEYS));
        };
        let fabric = node::with_ports(source, fabric, &spec.node)?;
        let is_settled =
            |&host: &NodeId| fabric.has_chosen_port(host) || fabric.ports(host).nth(1).is_none();
        if fabric.hosts().iter().all(is_settled) {
            warnings.retain(|warning| !warning.message().contains(LOWEST_PORT));
        }
        let scenario = spec.resolve(source, fabric, at, files)?;
        Ok(Parsed { scenario, warnings })
    }
}

/// Returns an error of the builder with its place in the file. `at` returns the place of a node of a
/// credit loop; `loops_allowed` names the key that allows such a loop.
fn located(
    source: &Source,
    at: impl Fn(&str) -> Range<usize>,
    loops_allowed: &str,
    flows: &[FlowSpec],
    error: BuildError,
) -> InputError {
    match error {
        BuildError::Flow(error) => match flows.get(error.number) {
            Some(spec) => spec.error(source, &error),
            None => source.error(0..0, error.message).allowed(error.allowed),
        },
        BuildError::CreditLoop { ref node, .. } => {
            let allowed =
                format!("switches that form no ring, or {loops_allowed} to see it happen");
            source.error(at(node), error.to_string()).allowed(allowed)
        }
        BuildError::Models(_) | BuildError::Time(_) => source.error(0..0, error.to_string()),
    }
}

impl Spec {
    /// Returns the scenario on a fabric. `at` is the place of errors about the fabric.
    fn resolve(
        self,
        source: &Source,
        fabric: Fabric,
        at: Range<usize>,
        files: Files,
    ) -> Result<InfinibandScenario, InputError> {
        let mut models = node::models(source, &fabric, &self.device, &self.switch, &self.node)?;
        models.qos = self.qos.resolve(source, &fabric, files)?;
        if let Some(congestion) = &self.congestion_control {
            let most = node::largest_queue(&fabric, &models);
            let with = |buffer| congestion.get_ref().resolve(source, buffer, most);
            let (_, reaction) = with(models.switch.buffer)?;
            models.change_devices(|device| device.congestion_control = Some(reaction.clone()));
            models.switch.marking = Some(with(models.switch.buffer)?.0);
            for switch in models.switches.values_mut() {
                switch.marking = Some(with(switch.buffer)?.0);
            }
        }
        let builder = InfinibandScenario::builder(fabric)
            .title(self.title.as_deref().unwrap_or(source.name))
            .models(models);
        let mut builder = self.run.set(source, builder)?;
        for flow in &self.flow {
            builder = builder.request(flow.request());
        }
        let loops_allowed = "run.allow-credit-loops = true";
        let at = |_: &str| at.clone();
        builder.build().map_err(|error| located(source, at, loops_allowed, &self.flow, error))
    }
}
