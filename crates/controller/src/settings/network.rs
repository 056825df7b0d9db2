//! [`Network`]: whose ports are shared.

use super::{Document, at, parsed};
use bandwise_enforce::htb::Layout;
use bandwise_enforce::tc::TcPort;
use bandwise_input::{Decimal, InputError, Source};
use bandwise_saba::Share;
use bandwise_units::{BitRate, Bytes};
use serde::Deserialize;
use std::num::NonZeroU8;
use toml::Spanned;

/// Whose ports are shared.
#[derive(Debug, Clone)]
pub enum Network {
    /// Those of a lab on this machine, by its name.
    Lab(String),
    /// These ports of Linux.
    Ports(Vec<TcPort>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct PortSpec {
    name: Option<String>,
    from: Spanned<String>,
    to: Spanned<String>,
    namespace: Option<Spanned<String>>,
    device: Spanned<String>,
    rate: Spanned<String>,
    others: Option<Spanned<Decimal>>,
    queues: Option<Spanned<i64>>,
    packet: Option<Spanned<String>>,
}

/// An Ethernet frame of 1500 bytes and its header.
const FRAME: Bytes = Bytes::new(1514);

pub(super) fn network(source: &Source, document: &Document) -> Result<Network, InputError> {
    match (&document.lab, &document.port) {
        (Some(lab), None) => Ok(Network::Lab(lab.get_ref().clone())),
        (None, Some(ports)) if !ports.is_empty() => {
            let ports: Result<Vec<TcPort>, _> = ports.iter().map(|p| port(source, p)).collect();
            let ports = ports?;
            for (i, port) in ports.iter().enumerate() {
                let same = |other: &TcPort| {
                    (&other.namespace, &other.device) == (&port.namespace, &port.device)
                };
                if ports[..i].iter().any(|other| same(other) || other.name == port.name) {
                    let specs = document.port.as_deref().unwrap_or_default();
                    let message = format!("a second port {} at {:?}", port.name, port.device);
                    return Err(at(source, &specs[i].device, message).allowed("each port once"));
                }
            }
            Ok(Network::Ports(ports))
        }
        (Some(lab), Some(_)) => {
            let error = at(source, lab, "a lab and ports of others");
            Err(error.allowed("lab = \"NAME\" or [[port]] tables, not both"))
        }
        (None, _) => {
            let error = source.error(0..0, "no ports are named");
            Err(error.allowed("lab = \"NAME\" for those of a lab, or a [[port]] table for each"))
        }
    }
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
    let queues = match &spec.queues {
        None => NonZeroU8::new(8).expect("8"),
        Some(queues) => {
            let number = u8::try_from(*queues.get_ref()).ok().and_then(NonZeroU8::new);
            let wrong = || at(source, queues, format!("{} queues", queues.get_ref()));
            number.ok_or_else(|| wrong().allowed("1 to 64"))?
        }
    };
    let packet = match &spec.packet {
        None => FRAME,
        Some(packet) => parsed(source, packet, "bytes such as \"1514 B\"")?,
    };
    let layout = Layout::new(rate, others, queues, packet)
        .map_err(|error| at(source, &spec.rate, error.to_string()))?;
    let (from, to) = (word(&spec.from)?, word(&spec.to)?);
    let name = spec.name.clone().unwrap_or_else(|| format!("{from} to {to}"));
    let namespace = spec.namespace.as_ref().map(word).transpose()?;
    Ok(TcPort { name, from, to, namespace, device: word(&spec.device)?, layout })
}
