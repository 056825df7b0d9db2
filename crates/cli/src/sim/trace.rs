//! `--trace`: a capture of selected flows and ports in a file.

use crate::failure::Failure;
use crate::output::{Stream, note};
use crate::values::number;
use bandwise_netsim::ethernet::CaptureFilter;
use bandwise_scenario::ethernet::{EthernetScenario, TransportKind};
use bandwise_trace::{Capture, Limits, Summary, all_ports, ports_named};

/// The flags that select packets for `--trace`.
#[derive(Debug, clap::Args)]
pub(super) struct TraceFlags {
    /// Trace a flow, numbered from 0 in order of start, at each port that it leaves and at its
    /// destination; may be repeated
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(0..=u32::MAX.into()))]
    trace_flow: Vec<u64>,
    /// Trace a port's packets in both directions; without :PORT, all ports of the node; may be
    /// repeated
    #[arg(long, value_name = "NODE[:PORT]")]
    trace_port: Vec<String>,
    /// End the trace after N packets; the run continues [default: 100000]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(1..=u32::MAX.into()))]
    trace_packets: Option<u64>,
    /// Keep only the first BYTES of each packet [default: all]
    #[arg(long, value_name = "BYTES")]
    #[arg(value_parser = number(14..=65_535))]
    trace_snap: Option<u64>,
}

/// The default of `--trace-packets`: about 100 MB of full packets.
const PACKETS: u64 = 100_000;

impl TraceFlags {
    /// Returns the name of a flag that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            ("--trace-flow", !self.trace_flow.is_empty()),
            ("--trace-port", !self.trace_port.is_empty()),
            ("--trace-packets", self.trace_packets.is_some()),
            ("--trace-snap", self.trace_snap.is_some()),
        ]
        .into_iter()
        .find_map(|(flag, given)| given.then_some(flag))
    }

    /// Returns the limits of the capture; `None` if the flag is not given.
    pub(super) fn resolve(
        self,
        is_wanted: bool,
        scenario: &EthernetScenario,
    ) -> Result<Option<Limits>, Failure> {
        let fabric = scenario.fabric();
        if !is_wanted {
            let given = [
                ("--trace-flow", !self.trace_flow.is_empty()),
                ("--trace-port", !self.trace_port.is_empty()),
                ("--trace-packets", self.trace_packets.is_some()),
                ("--trace-snap", self.trace_snap.is_some()),
            ];
            return match given.into_iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(Failure::usage(
                    format!("{flag}: there is no file for packets"),
                    format!("{flag} with --trace FILE.pcapng"),
                )),
                None => Ok(None),
            };
        }
        if scenario.transport() == TransportKind::Homa {
            let message = "--trace: packets of homa are of no format that is written";
            return Err(Failure::usage(message, "--trace with irn, roce or iwarp"));
        }
        let flows = self.trace_flow.iter().map(|&flow| flow as u32).collect();
        let mut filter = CaptureFilter { flows, ..CaptureFilter::default() };
        for name in &self.trace_port {
            let ports = ports_named(fabric, name).map_err(|error| {
                Failure::usage(format!("--trace-port {name}: {error}"), error.allowed())
            })?;
            filter.ports.extend(ports);
        }
        if filter == CaptureFilter::default() {
            filter.ports = all_ports(fabric).collect();
        }
        let packets = self.trace_packets.unwrap_or(PACKETS);
        let snap = self.trace_snap.map_or(0, |bytes| bytes as u32);
        Ok(Some(Limits { filter, packets, snap }))
    }
}

/// The capture of a run, written to the file of `--trace`.
pub(super) type Trace<'a> = Capture<'a, Stream>;

/// Starts the capture, if the flag is given.
pub(super) fn begin<'a>(
    limits: Option<&'a Limits>,
    scenario: &'a EthernetScenario,
    to: Option<Stream>,
) -> Result<Option<Trace<'a>>, Failure> {
    let Some((limits, to)) = limits.zip(to) else { return Ok(None) };
    let application = concat!("bandwise ", env!("CARGO_PKG_VERSION"));
    let capture = Capture::begin(limits, scenario, application, to);
    Ok(Some(capture.map_err(anyhow::Error::from)?))
}

/// Completes the file of the capture and prints its totals. The run started `flows` flows.
pub(super) fn finish(trace: Trace, flows: u64) -> Result<(), Failure> {
    let (to, summary) = trace.finish(flows);
    let summary = summary.map_err(|error| to.failed(error))?;
    to.finish()?;
    let Summary { packets, ports, last, is_full, missing_flow } = summary;
    let last = last.as_s_f64() * 1e3;
    note(format_args!("trace: packets {packets}, ports {ports}, the last at {last:.6} ms"));
    if is_full {
        note("warning: the trace ends there; the run continued; --trace-packets N allows more");
    }
    if let Some(missing) = missing_flow {
        note(format_args!("warning: there is no flow {missing}: {flows} flows started, from 0"));
    }
    Ok(())
}
