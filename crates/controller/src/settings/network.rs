//! [`Network`]: the network of the ports that the controller shares.

use super::document::{Document, PortSpec};
use super::infiniband::{self, InfiniBand};
use super::simulated::{self, Simulated};
use super::value::{at, parsed, queues};
use bandwise_enforce::htb::Layout;
use bandwise_enforce::tc::TcPort;
use bandwise_input::{InputError, Source};
use bandwise_saba::Share;
use bandwise_units::{BitRate, Bytes};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// The network of the ports that the controller shares.
#[derive(Debug, Clone)]
pub enum Network {
    /// A lab on this machine, by its name.
    Lab(String),
    /// Ports of Linux.
    Ports(Vec<TcPort>),
    /// An InfiniBand fabric.
    InfiniBand(InfiniBand),
    /// A network in memory.
    Simulated(Simulated),
}

/// An Ethernet frame of 1500 bytes and its header.
const FRAME: Bytes = Bytes::new(1514);

/// The kinds of networks, for error messages.
const ONE: &str = "one of lab = \"NAME\", [[port]] tables, [infiniband] and [simulated]";

pub(super) fn network(
    source: &Source,
    document: &Document,
    folder: &Path,
) -> Result<Network, InputError> {
    let Document { lab, port, infiniband, simulated, .. } = document;
    let ports = port.as_deref().filter(|ports| !ports.is_empty());
    match (lab, ports, infiniband, simulated) {
        (Some(lab), None, None, None) => Ok(Network::Lab(lab.get_ref().clone())),
        (None, Some(specs), None, None) => Ok(Network::Ports(all_ports(source, specs)?)),
        (None, None, Some(spec), None) => {
            infiniband::infiniband(source, spec).map(Network::InfiniBand)
        }
        (None, None, None, Some(spec)) => {
            simulated::simulated(source, spec, folder).map(Network::Simulated)
        }
        (None, None, None, None) => Err(source.error(0..0, "no network is named").allowed(ONE)),
        _ => {
            let spans = [
                lab.as_ref().map(Spanned::span),
                ports.map(|specs| specs[0].from.span()),
                infiniband.as_ref().map(Spanned::span),
                simulated.as_ref().map(Spanned::span),
            ];
            let mut spans: Vec<Range<usize>> = spans.into_iter().flatten().collect();
            spans.sort_by_key(|span| span.start);
            let second = spans.into_iter().nth(1).unwrap_or(0..0);
            Err(source.error(second, "a second network").allowed(ONE))
        }
    }
}

fn all_ports(source: &Source, specs: &[PortSpec]) -> Result<Vec<TcPort>, InputError> {
    let ports: Result<Vec<TcPort>, _> = specs.iter().map(|spec| port(source, spec)).collect();
    let ports = ports?;
    for (i, port) in ports.iter().enumerate() {
        let same =
            |other: &TcPort| (&other.namespace, &other.device) == (&port.namespace, &port.device);
        if ports[..i].iter().any(|other| same(other) || other.name == port.name) {
            let message = format!("a second port {} at {:?}", port.name, port.device);
            return Err(at(source, &specs[i].device, message).allowed("each port once"));
        }
    }
    Ok(ports)
}

fn port(source: &Source, spec: &PortSpec) -> Result<TcPort, InputError> {
    let word = |value: &Spanned<String>| {
        let text = value.get_ref();
        let is_one = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '/');
        let wrong = || at(source, value, format!("the name {text:?}")).allowed("one word");
        if is_one { Ok(text.clone()) } else { Err(wrong()) }
    };
    let rate: BitRate = parsed(source, &spec.rate, "a rate such as \"25Gbit\" or \"200 Mbps\"")?;
    let others = match &spec.others {
        None => Share::try_from(0.1).expect("a part"),
        Some(others) => Share::try_from(others.get_ref().0).map_err(|error| {
            at(source, others, error.to_string()).allowed("0.01 to 0.99 of the link")
        })?,
    };
    let queues = queues(source, &spec.queues)?;
    let packet = match &spec.packet {
        None => FRAME,
        Some(packet) => parsed(source, packet, "bytes such as \"1514 B\"")?,
    };
    let layout = Layout::new(rate, others, queues, packet)
        .map_err(|error| at(source, &spec.rate, error.to_string()))?;
    let (from, to) = (word(&spec.from)?, word(&spec.to)?);
    let name = spec.name.clone().unwrap_or_else(|| format!("{from} to {to}"));
    let namespace = spec.namespace.as_ref().map(word).transpose()?;
    let device = word(&spec.device)?;
    Ok(TcPort { name, from, to, namespace, device, layout, keeps_rate: false })
}
