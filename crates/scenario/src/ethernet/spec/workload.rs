//! `[workload]`.

use super::classes::priority;
use super::doubts;
use super::homa;
use super::key::{Key, NoTable, key};
use super::sizes::{self, SizesKey, refuse};
use crate::ethernet::workload::{Generator, Part, Workload};
use crate::reader::files::Files;
use crate::reader::nodes;
use crate::reader::text::first_line;
use crate::reader::values::{Given, decimal, names, number, place, text, within};
use crate::time_range::LONGEST;
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::NetworkModel;
use bandwise_netsim::ethernet::packet::GAP;
use bandwise_topology::Fabric;
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_workload::{
    Extent, Incast, IrnSpreads, Load, Permutation, Poisson, SizeDistribution, WorkloadError,
};
use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct WorkloadSpec {
    #[serde(default, deserialize_with = "crate::reader::tables::placed")]
    poisson: Option<Spanned<PoissonSpec>>,
    #[serde(default, deserialize_with = "crate::reader::tables::placed")]
    incast: Option<Spanned<IncastSpec>>,
    #[serde(default, deserialize_with = "crate::reader::tables::placed")]
    permutation: Option<Spanned<PermutationSpec>>,
    flows: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PoissonSpec {
    #[serde(default, deserialize_with = "decimal")]
    load: Given<f64>,
    #[serde(default, deserialize_with = "text")]
    of: Given<Of>,
    #[serde(default, deserialize_with = "super::key::key")]
    sizes: Given<SizesKey>,
    #[serde(default, deserialize_with = "text")]
    duration: Given<Time>,
    #[serde(default, deserialize_with = "number")]
    flows: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    priority: Given<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct IncastSpec {
    #[serde(default, deserialize_with = "number")]
    senders: Given<u64>,
    #[serde(default, deserialize_with = "text")]
    bytes: Given<Bytes>,
    #[serde(default, deserialize_with = "key")]
    receiver: Given<HostKey>,
    #[serde(default, deserialize_with = "number")]
    connections: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    requests: Given<u64>,
    #[serde(default, deserialize_with = "text")]
    start: Given<Time>,
    #[serde(default, deserialize_with = "text")]
    every: Given<Time>,
    #[serde(default, deserialize_with = "number")]
    priority: Given<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PermutationSpec {
    #[serde(default, deserialize_with = "super::key::key")]
    sizes: Given<SizesKey>,
    #[serde(default, deserialize_with = "text")]
    start: Given<Time>,
    #[serde(default, deserialize_with = "number")]
    priority: Given<u64>,
}

/// The bytes that a load counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Payload,
    Wire,
}

names! { Of, "kind of bytes", "\"payload\" or \"wire\"",
"payload" => Of::Payload, "wire" => Of::Wire }

/// Default of `load`, IRN 4.1: "70% utilization".
const LOAD: f64 = 0.7;
/// Default of `duration`: about 7,500 flows in the default case.
const DURATION: Time = Time::from_ms(10);
/// Default of an incast's `bytes`, IRN 4.4.3: "150MB of data across 10 to 50 sender nodes".
const REQUEST: Bytes = Bytes::new(150_000_000);
/// Default of an incast's `senders`, within the paper's range.
const SENDERS: u64 = 30;

impl WorkloadSpec {
    /// Refuses keys of properties that Homa defines itself.
    pub(super) fn check_homa(&self, source: &Source) -> Result<(), InputError> {
        let priorities = [
            self.poisson.as_ref().and_then(|part| part.get_ref().priority.as_ref()),
            self.incast.as_ref().and_then(|part| part.get_ref().priority.as_ref()),
            self.permutation.as_ref().and_then(|part| part.get_ref().priority.as_ref()),
        ];
        match priorities.into_iter().flatten().next() {
            Some(given) => {
                let why = "priorities depend on the remaining bytes of a message";
                Err(homa::refuse(source, "priority", given.span(), why))
            }
            None => Ok(()),
        }
    }
}

/// Returns the resolved `[workload]`. Errors about the number of hosts have the place of the part.
pub(super) fn resolve(
    source: &Source,
    given: &Spanned<WorkloadSpec>,
    fabric: &Fabric,
    model: &NetworkModel,
    files: Files,
    warnings: &mut Vec<InputError>,
) -> Result<Workload, InputError> {
    let WorkloadSpec { poisson, incast, permutation, flows } = given.get_ref();
    if let Some(list) = flows {
        if poisson.is_some() || incast.is_some() || permutation.is_some() {
            let error = source.error(list.span(), "a list of flows, and other flows beside it");
            return Err(error.allowed("`flows` alone"));
        }
        return Ok(Workload::List(list.get_ref().clone()));
    }
    let mut parts = Vec::new();
    if let Some(spec) = poisson {
        parts.push(spec.get_ref().resolve(source, spec.span(), fabric, model, files, warnings)?);
    }
    if let Some(spec) = incast {
        parts.push(spec.get_ref().resolve(source, spec.span(), fabric, model)?);
    }
    if let Some(spec) = permutation {
        parts.push(spec.get_ref().resolve(source, spec.span(), fabric, model, files)?);
    }
    if parts.is_empty() {
        let at = first_line(source, given.span());
        let error = source.error(at, "an empty workload");
        return Err(error.allowed("one or more of `poisson`, `incast`, `permutation`, or `flows`"));
    }
    Ok(Workload::Parts(parts))
}

/// Returns the workload of IRN 4.1.
pub(super) fn default_part(source: &Source, fabric: &Fabric) -> Result<Part, InputError> {
    let load = Load::new(LOAD, slowest_host(fabric));
    let sizes = SizeDistribution::irn_heavy_tailed(IrnSpreads::default());
    let extent = Extent::Until(DURATION);
    let poisson = load.and_then(|load| Poisson::new(hosts(fabric), load, sizes, extent));
    let poisson = poisson.map_err(|error| refuse(source, 0..0, &error))?;
    Ok(of_load(poisson, extent, 0))
}

fn hosts(fabric: &Fabric) -> u32 {
    fabric.hosts().len() as u32
}

/// Returns the rate of which a load is a fraction, equal for all hosts: that of the slowest link.
fn slowest_host(fabric: &Fabric) -> BitRate {
    let rate = |&host| fabric.peer(fabric.host_port(host)).map(|(_, link)| link.rate);
    fabric.hosts().iter().filter_map(rate).min().expect("every host has a cable")
}

fn of_load(poisson: Poisson, extent: Extent, class: u8) -> Part {
    let expected = match extent {
        Extent::Flows(flows) => flows,
        // A float beyond 64 bits becomes the largest integer.
        Extent::Until(end) => poisson.mean_flows(end).ceil() as u64,
    };
    Part { generator: Generator::Poisson(poisson), expected, class }
}

impl PoissonSpec {
    fn resolve(
        &self,
        source: &Source,
        at: std::ops::Range<usize>,
        fabric: &Fabric,
        model: &NetworkModel,
        files: Files,
        warnings: &mut Vec<InputError>,
    ) -> Result<Part, InputError> {
        let at_load = place(&self.load, at.clone());
        let refuse_load = |error: WorkloadError| refuse(source, at_load.clone(), &error);
        let fraction = self.load.as_ref().map_or(LOAD, |load| *load.get_ref());
        let mut load = Load::new(fraction, slowest_host(fabric)).map_err(refuse_load)?;
        let on_the_wire = model.host.full_frame() + GAP;
        let factor = f64::from(on_the_wire) / f64::from(model.host.mtu);
        let of_wire = self.of.as_ref().is_some_and(|of| *of.get_ref() == Of::Wire);
        if of_wire {
            load = load.with_wire_factor(factor).map_err(refuse_load)?;
        }
        let on_links = if of_wire { fraction } else { fraction * factor };
        if on_links >= 1.0 {
            let message = format!(
                "a load of {fraction} is {:.0}% of what the hosts' links carry, headers included: \
                 queues grow without limit, and completion times depend on the duration",
                on_links * 100.0
            );
            let allowed = "a load below 1, headers included";
            warnings.push(source.error(at_load.clone(), message).allowed(allowed));
        } else if let Some(message) = doubts::uplinks(fabric, on_links) {
            let allowed = "a lower load, or more links between switches";
            warnings.push(source.error(at_load.clone(), message).allowed(allowed));
        }
        warnings.extend(doubts::load(fabric).map(|message| source.error(at_load.clone(), message)));
        let extent = match (&self.duration, &self.flows) {
            (Some(_), Some(flows)) => {
                let error = source.error(flows.span(), "an end by time and an end by number");
                return Err(error.allowed("`duration` or `flows`"));
            }
            (None, Some(flows)) => {
                Extent::Flows(within(source, "flows", flows, 1..=u64::from(u32::MAX))?)
            }
            (Some(time), None) => {
                Extent::Until(within(source, "duration", time, Time::from_us(1)..=LONGEST)?)
            }
            (None, None) => Extent::Until(DURATION),
        };
        let sizes = sizes::resolve(source, &self.sizes, files)?;
        let class = priority(source, "priority", &self.priority, &model.classes)?.unwrap_or(0);
        let poisson = Poisson::new(hosts(fabric), load, sizes, extent);
        Ok(of_load(poisson.map_err(|error| refuse(source, at, &error))?, extent, class))
    }
}

/// A host, by its number or its name.
#[derive(Debug)]
enum HostKey {
    Number(u64),
    Name(String),
}

impl Key for HostKey {
    const EXAMPLE: &'static str = "a host, by its number from 0 or its name";
    type Table = NoTable;
    fn number(number: u64) -> Option<Self> {
        Some(HostKey::Number(number))
    }
    fn text(name: &str) -> Option<Self> {
        Some(HostKey::Name(name.to_owned()))
    }
}

impl IncastSpec {
    fn resolve(
        &self,
        source: &Source,
        at: std::ops::Range<usize>,
        fabric: &Fabric,
        model: &NetworkModel,
    ) -> Result<Part, InputError> {
        let hosts = hosts(fabric);
        let whole = |name, given: &Given<u64>, or: u64, least: u64| match given {
            Some(given) => within(source, name, given, least..=u64::from(u32::MAX)),
            None => Ok(or),
        };
        let time = |name, given: &Given<Time>| match given {
            Some(given) => within(source, name, given, Time::ZERO..=LONGEST),
            None => Ok(Time::ZERO),
        };
        let receiver = match &self.receiver {
            None => 0,
            Some(given) => match given.get_ref() {
                HostKey::Number(number) => {
                    let number = Spanned::new(given.span(), *number);
                    within(source, "receiver", &number, 0..=u64::from(u32::MAX))? as u32
                }
                HostKey::Name(name) => {
                    let name = Spanned::new(given.span(), name.clone());
                    nodes::find(source, fabric, &name)? as u32
                }
            },
        };
        let senders = whole("senders", &self.senders, SENDERS, 0)? as u32;
        let connections = whole("connections", &self.connections, 1, 1)? as u32;
        let requests = whole("requests", &self.requests, 1, 1)?;
        let (start, every) = (time("start", &self.start)?, time("every", &self.every)?);
        let bytes = self.bytes.as_ref().map_or(REQUEST, |bytes| *bytes.get_ref());
        let incast = Incast::new(hosts, receiver, senders, bytes)
            .and_then(|incast| incast.with_connections(connections))
            .and_then(|incast| incast.repeated(requests, start, every));
        let incast = incast.map_err(|error| {
            let at = match error {
                WorkloadError::NoSuchHost { .. } => place(&self.receiver, at),
                WorkloadError::Senders { .. } => place(&self.senders, at),
                WorkloadError::Request { .. } => place(&self.bytes, at),
                WorkloadError::TooLong { .. } => place(&self.every, at),
                _ => at,
            };
            refuse(source, at, &error)
        })?;
        let class = priority(source, "priority", &self.priority, &model.classes)?.unwrap_or(0);
        let expected = incast.flows_per_request().saturating_mul(requests);
        Ok(Part { generator: Generator::Incast(incast), expected, class })
    }
}

impl PermutationSpec {
    fn resolve(
        &self,
        source: &Source,
        at: std::ops::Range<usize>,
        fabric: &Fabric,
        model: &NetworkModel,
        files: Files,
    ) -> Result<Part, InputError> {
        let sizes = sizes::resolve(source, &self.sizes, files)?;
        let start = match &self.start {
            Some(given) => within(source, "start", given, Time::ZERO..=LONGEST)?,
            None => Time::ZERO,
        };
        let permutation = Permutation::new(hosts(fabric), sizes, start);
        let permutation = permutation.map_err(|error| refuse(source, at, &error))?;
        let class = priority(source, "priority", &self.priority, &model.classes)?.unwrap_or(0);
        let expected = fabric.hosts().len() as u64;
        Ok(Part { generator: Generator::Permutation(permutation), expected, class })
    }
}
