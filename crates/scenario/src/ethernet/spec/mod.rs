//! Reader of scenario files of kind `ethernet`.
//!
//! `kind` is required. Every other key has the default that is shown here; together the defaults
//! are the default case of IRN 4.1.
//!
//! ```toml
//! kind = "ethernet"
//! title = "The default case of IRN"     # or the file's name
//!
//! [fabric]                     # see bandwise_topology::read::toml
//! build = { fat-tree = 6 }     # 54 hosts, 45 switches of 6 ports
//! link = { rate = "40 Gbps", delay = "2 us" }
//! uplink = { rate = "40 Gbps", delay = "2 us" }  # of cables between switches [default: link]
//! # or, above the tables, fabric-file = "FILE": TOML, ibnetdiscover output or an ibsim netlist
//!
//! [switch]                     # every switch
//! queues = "input"             # or "output": in a buffer that all ports share
//! buffer = "240 KB"            # for each input port, or of the whole shared buffer
//! pfc = false                  # default with roce: true; or { xoff = "217 KB", xon = "217 KB" };
//!                              # for a shared buffer { headroom = "23310 B", slack = "2124 B" };
//!                              # for both response = "0 us": time until a PFC frame is obeyed
//! alpha = 1.0                  # for a shared buffer: largest ratio of a queue to the free space
//! reserve = "0 B"              # for a shared buffer: reserved space of each queue
//! classes = 1                  # traffic classes, up to 8
//! lossless = [0]               # classes with PFC [default: all]
//! schedule = "strict"          # the highest class first; or { weights = [1] }, or { weights = [1],
//!                              # strict = [1] }: classes that precede those with weights
//! routing = "ecmp"             # a path per flow; or "spray": per packet
//! [[switch.port]]              # ports with other thresholds, with queues = "input"
//! node = "s0"                  # a switch
//! input = 1                    # a port [default: all]
//! xoff = "200 KB"
//! xon = "150 KB"
//!
//! [host]                       # every host
//! mtu = 1000                   # payload of a full packet, bytes
//! poll = "10 ns"               # interval at which a flow polls for a free link [default: flows
//!                              # take turns]
//! ack-priority = 0             # class of acknowledgements [default: that of their flow]
//! cnp-priority = 0             # class of CNPs [default: that of their flow]
//!
//! [transport]
//! kind = "irn"                 # or "roce", "iwarp", "homa"; the values below are those of irn
//! recovery = "sack"            # or "sack-only", "no-sack", "go-back-n"
//! bdp-cap = "auto"             # or a number of packets, or false
//! timeout = "low-high"         # or "fixed", "dynamic", false; false with PFC
//! rto-low = "100 us"
//! rto-high = "320 us"          # for "fixed" the timeout, for "dynamic" the first and the shortest
//! few = 3                      # rto-low applies with fewer packets in flight
//! acks = "every-packet"        # or "on-completion", the default of roce with PFC
//! fetch-delay = "0 us"         # time to fetch a lost packet from memory again (IRN 6.3)
//! extra-header = 0             # bytes of every data packet (IRN 6.3)
//! [transport.homa]             # with homa, the defaults of [switch] are queues = "output",
//!                              # classes = 8, routing = "spray"; this table is allowed with other
//!                              # kinds too, for a sweep over `kind`
//! rtt-bytes = "120 KB"         # sent without a grant [default: the BDP of the longest path]
//! unscheduled = 1              # classes of packets without a grant; granted packets have the other
//!                              # classes [default: by the sizes of flows]
//! cutoffs = ["2 KB"]           # or instead, the largest flow size of each of these classes but the last
//! resend-after = "2 ms"        # missing data is requested again after this time
//!
//! [congestion-control]
//! kind = "none"                # or "dcqcn", "timely", "aimd", "dctcp", "hpcc", "swift"
//! ecn = false                  # marking [default: true if the kind needs it]; or
//!                              # { kmin = "5 KB", kmax = "200 KB", pmax = 0.01 }; with at = "25 Gbps"
//!                              # those of a port of that rate, in proportion to the rate of others
//! # parameters of a kind; tables of other kinds are allowed, for a sweep over `kind`
//! [congestion-control.dcqcn]
//! gain = 0.00390625            # g
//! alpha-timer = "55 us"        # K; "0 us": none
//! increase-timer = "55 us"     # "0 us": none
//! byte-counter = "10 MB"       # B; "0 B": none
//! fast-recovery = 5            # F
//! additive-increase = "40 Mbps"
//! hyper-increase = "400 Mbps"
//! min-rate = "40 Mbps"
//! clamp-target = false         # whether every CNP sets the target rate
//! back-off = 1.0               # factor of the rate after a loss
//! cnp-interval = "50 us"       # at receivers: shortest time between two CNPs of a flow
//! [congestion-control.timely]
//! segment = "0 B"              # acknowledged bytes for each update; "0 B": with each acknowledgement
//! ewma = 0.02                  # alpha
//! min-rtt = "20 us"            # D_minRTT
//! low = "50 us"                # T_low
//! high = "500 us"              # T_high
//! additive-increase = "10 Mbps"
//! decrease = 0.8               # beta
//! floor = 0.5                  # smallest factor of the rate in an update
//! hyper-after = 5              # updates without a rise
//! min-rate = "10 Mbps"
//! back-off = 1.0               # factor of the rate after a loss
//! [congestion-control.aimd]
//! increase = 1.0               # packets per round trip
//! decrease = 0.5               # factor of the window after a loss
//! [congestion-control.dctcp]
//! gain = 0.0625                # g
//! increase = 1.0               # packets per round trip
//! decrease = 0.5               # factor of the window after a loss
//! [congestion-control.hpcc]
//! target = 0.95                # eta
//! max-stage = 5
//! additive-increase = "80 B"   # W_AI
//! [congestion-control.swift]
//! queueing = "25 us"           # part of the target above the base round-trip time
//! scaling-range = "100 us"     # fs_range
//! scaling-min = 0.1            # fs_min_cwnd, packets
//! scaling-max = 100.0          # fs_max_cwnd, packets
//! increase = 1.0               # ai, packets per round trip
//! decrease = 0.8               # beta
//! max-decrease = 0.5           # max_mdf
//! min-window = 0.01            # min_cwnd, packets
//! reset-after = 5              # consecutive timeouts
//!
//! [workload]                   # one or more of these [default: the first]
//! poisson = { load = 0.7, of = "payload", sizes = "irn-heavy-tailed", duration = "10 ms" }
//!                              # every part has also priority = 0, its traffic class
//!                              # of = "wire" counts headers and gaps too; flows = N instead of
//!                              # duration
//! incast = { senders = 30, bytes = "150 MB", receiver = 0, connections = 1, requests = 1,
//!            start = "0 us", every = "0 us" }
//! permutation = { sizes = "irn-heavy-tailed", start = "0 us" }
//! flows = "list.csv"           # or only a list; see bandwise_workload::read::FlowList
//! # sizes: the name of a distribution, { fixed = "1 MB" }, { uniform = ["500 KB", "5 MB"] } or
//! # { cdf = "FILE", spread = "uniform", unit = "1 B" }, with sizes in bytes or, by unit, in packets
//!
//! [run]
//! seed = 1
//! limit = "1 s"                # of simulated time [default: until all flows have arrived]
//! warmup = "0 us"             # flows that start earlier count in no average and no percentile
//! pause-storm = "5 ms"         # results list ports that are paused for longer without a break
//! ```
//!
//! `[sweep]` and `[plot]` belong to a study of several such scenarios: see [`super::Study`].

mod classes;
mod congestion;
mod doubts;
mod fabric;
mod homa;
mod host;
mod input_queues;
mod key;
mod pfc_key;
mod ports;
mod run;
mod shared_buffer;
mod sizes;
mod switch;
mod thresholds;
mod transport;
mod unmarked;
mod workload;

pub use doubts::is_of_load;

use super::{EthernetScenario, TransportKind, Workload};
use crate::reader::files::{File, Files};
use crate::reader::kind::Kind;
use crate::reader::parsed::Parsed;
use crate::reader::tables::{placed, table};
use crate::reader::text::check_scenario;
use crate::reader::values::Given;
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::NetworkModel;
use bandwise_topology::read::FabricSpec;
use congestion::CongestionSpec;
use host::{Frame, HostSpec};
use run::RunSpec;
use serde::Deserialize;
use switch::{SwitchSpec, Switches};
use toml::Spanned;
use toml::de::DeTable;
use transport::TransportSpec;
use workload::WorkloadSpec;

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
    host: HostSpec,
    #[serde(default, deserialize_with = "table")]
    transport: TransportSpec,
    #[serde(default, rename = "congestion-control", deserialize_with = "table")]
    congestion: CongestionSpec,
    #[serde(default, deserialize_with = "placed")]
    workload: Option<Spanned<WorkloadSpec>>,
    #[serde(default, deserialize_with = "table")]
    run: RunSpec,
}

/// The readable texts.
const READABLE: &str = "a TOML network scenario with tables such as [fabric], [transport] and \
                        [workload], all of which may be missing";

impl EthernetScenario {
    /// Reads a TOML Ethernet scenario. `files` returns the text of a file that it names; a list of
    /// flows is not read.
    ///
    /// # Errors
    ///
    /// An [`InputError`] with the line of the first mistake.
    pub fn from_toml(
        source: &Source,
        mut files: impl FnMut(&str) -> Result<File, String>,
    ) -> Result<Parsed<EthernetScenario>, InputError> {
        let document = document(source)?;
        from_document(source, document, &mut files)
    }
}

/// Parses the text as a document, of which a study changes parts.
pub(super) fn document<'a>(source: &Source<'a>) -> Result<Spanned<DeTable<'a>>, InputError> {
    check_scenario(source, READABLE)?;
    let mut document = source.document()?;
    Kind::Ethernet.take(source, &mut document)?;
    Ok(document)
}

/// Returns the scenario of a document.
pub(super) fn from_document(
    source: &Source,
    document: Spanned<DeTable>,
    files: Files,
) -> Result<Parsed<EthernetScenario>, InputError> {
    let spec: Spec = source.read(document)?;
    spec.resolve(source, files)
}

impl Spec {
    fn resolve(
        self,
        source: &Source,
        files: Files,
    ) -> Result<Parsed<EthernetScenario>, InputError> {
        let mut warnings = Vec::new();
        let (table, file) = (self.fabric.as_ref(), self.fabric_file.as_ref());
        let (fabric, at) = fabric::resolve(source, table, file, files, &mut warnings)?;
        let (mtu, poll) = (self.host.mtu(source)?, self.host.poll(source)?);
        let extra_header = self.transport.extra_header(source)?;
        let frame = Frame { mtu, extra_header, telemetry: self.congestion.telemetry() };
        let kind = self.transport.kind();
        let switches = self.switch.resolve(source, &fabric, frame, kind, &mut warnings)?;
        let Switches { model: mut switch, thresholds, pause_response, classes, routing, loses } =
            switches;
        let congested = || frame.congested_round_trip(&fabric, &switch);
        let mut transport =
            self.transport.resolve(source, &switch, routing, loses, congested, &mut warnings)?;
        let acks = self.transport.acks_place();
        let congestion = self.congestion.resolve(source, &mut switch, &mut transport.acks, acks)?;
        if kind == TransportKind::Homa {
            self.congestion.check_homa(source)?;
            self.host.check_homa(source)?;
        }
        let mut host = frame.host(poll, transport, congestion);
        self.host.set_classes(source, &classes, &mut host)?;
        let mut model = NetworkModel { switch, thresholds, pause_response, host, classes, routing };
        self.transport.cap(&mut model, &fabric);
        warnings.extend(self.transport.doubts(source, &fabric, &model));
        warnings.extend(self.congestion.unread_marks(source));
        let (given, kind_at) = self.congestion.marking_places();
        warnings.extend(unmarked::check(source, given, kind_at, &fabric, &model)?);
        let workload = match &self.workload {
            Some(given) => {
                if kind == TransportKind::Homa {
                    given.get_ref().check_homa(source)?;
                }
                workload::resolve(source, given, &fabric, &model, files, &mut warnings)?
            }
            None => {
                let load = doubts::load(&fabric).map(|message| source.error(0..0, message));
                warnings.extend(load);
                Workload::Parts(vec![workload::default_part(source, &fabric)?])
            }
        };
        model.host.homa = self.transport.homa(source, &fabric, &model, &workload)?;
        let builder = EthernetScenario::builder(fabric, kind, model)
            .title(self.title.unwrap_or_else(|| source.name.to_owned()))
            .workload(workload);
        let builder = self.run.set(source, builder)?;
        let scenario = builder.build().map_err(|error| source.error(at, error.to_string()))?;
        Ok(Parsed { scenario, warnings })
    }
}
