//! [`PlanSpec`]: the TOML form of a [`Plan`]. The example shows the defaults of optional keys.
//!
//! ```toml
//! title = "Three to one"       # or the file's name
//! duration = "5 s"             # of flows without `stop`
//! margin = "100 ms"            # left out at both ends of the span in which all flows are active
//! seed = 1
//!
//! [[host]]                     # one or more
//! name = "a"
//! agent = "10.0.0.1:18517"     # address of its agent; the port is optional
//!
//! [[flow]]                     # one or more; see FlowSpec
//! from = ["b", "c", "d"]
//! to = "a"
//! method = "bulk"
//! ```

use super::flow::{DURATIONS, FlowSpec};
use super::{Host, MOST_FLOWS, Plan, Span};
use crate::Address;
use bandwise_input::{InputError, Source, is_printable};
use bandwise_scenario::values::{Given, number, text, within};
use bandwise_units::Time;
use serde::Deserialize;
use std::ops::RangeInclusive;
use toml::Spanned;

const DURATION: Time = Time::from_ms(5_000);
/// The allowed margins. Clock differences with smaller errors can't be expected.
pub const MARGINS: RangeInclusive<Time> = Time::from_us(10)..=Time::from_ms(60_000);
const MARGIN: Time = Time::from_ms(100);
/// The largest number of hosts; each needs a connection and a thread.
const MOST_HOSTS: usize = 64;

/// The TOML form of a plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanSpec {
    title: Option<String>,
    #[serde(default, deserialize_with = "text")]
    duration: Given<Time>,
    #[serde(default, deserialize_with = "text")]
    margin: Given<Time>,
    #[serde(default, deserialize_with = "number")]
    seed: Given<u64>,
    #[serde(default)]
    host: Vec<Spanned<HostSpec>>,
    #[serde(default)]
    flow: Vec<Spanned<FlowSpec>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HostSpec {
    name: Spanned<String>,
    agent: Spanned<String>,
}

impl Plan {
    /// Reads a plan. Agents without a port listen at `default_port`.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] with the line of the first invalid value.
    pub fn from_toml(source: &Source, default_port: u16) -> Result<Plan, InputError> {
        source.toml::<PlanSpec>()?.resolve(source, default_port)
    }
}

impl PlanSpec {
    fn resolve(self, source: &Source, default_port: u16) -> Result<Plan, InputError> {
        let ranged = |name, given: &Given<Time>, or, range| match given {
            Some(given) => within(source, name, given, range),
            None => Ok(or),
        };
        let duration = ranged("duration", &self.duration, DURATION, DURATIONS)?;
        let margin = ranged("margin", &self.margin, MARGIN, MARGINS)?;
        let hosts = hosts(source, &self.host, default_port)?;
        let mut flows = Vec::new();
        for spec in &self.flow {
            let these = spec.get_ref().resolve(source, &hosts, duration, &flows)?;
            flows.extend(these);
            if flows.len() > MOST_FLOWS {
                let message = format!("more than {MOST_FLOWS} flows, up to here");
                return Err(source.error(spec.span(), message).allowed("fewer"));
            }
        }
        if flows.is_empty() {
            let error = source.error(0..0, "no flow: nothing would be measured");
            return Err(error.allowed("[[flow]] with from, to and method"));
        }
        for (place, (host, spec)) in hosts.iter().zip(&self.host).enumerate() {
            if !flows.iter().any(|flow| flow.from == place || flow.to == place) {
                let message = format!("host {:?} has no part in any flow", host.name);
                let error = source.error(spec.get_ref().name.span(), message);
                return Err(error.allowed("hosts that a [[flow]] names"));
            }
        }
        // The error shows the flow that starts last or ends first.
        let from = flows.iter().map(|flow| flow.active.from()).max().unwrap_or_default();
        let to = flows.iter().map(|flow| flow.active.to()).min().unwrap_or_default();
        let window = Span::new(from + margin, to.saturating_sub(margin)).map_err(|_| {
            let message = format!(
                "all flows are active together from {from} to {to}, which leaves nothing between margins of {margin}"
            );
            let at = self.margin.as_ref().or(self.duration.as_ref()).map_or(0..0, Spanned::span);
            source.error(at, message).allowed("longer flows that overlap, or a shorter margin")
        })?;
        let title = self.title.unwrap_or_else(|| source.name.to_owned());
        let seed = self.seed.map_or(1, Spanned::into_inner);
        Ok(Plan { title, hosts, flows, margin, window, seed })
    }
}

fn hosts(
    source: &Source,
    specs: &[Spanned<HostSpec>],
    default_port: u16,
) -> Result<Vec<Host>, InputError> {
    let mut hosts: Vec<Host> = Vec::new();
    for spec in specs {
        let HostSpec { name, agent } = spec.get_ref();
        let (name, name_at) = (name.get_ref(), name.span());
        let is_name = (1..=64).contains(&name.chars().count()) && name.chars().all(is_printable);
        if !is_name {
            let error = source.error(name_at, format!("{name:?} is no name of a host"));
            return Err(error.allowed("1 to 64 letters"));
        }
        if hosts.iter().any(|host| host.name == *name) {
            let error = source.error(name_at, format!("there are two hosts {name:?}"));
            return Err(error.allowed("another name"));
        }
        let address = Address::parse(agent.get_ref(), default_port).map_err(|error| {
            source.error(agent.span(), error.to_string()).allowed(error.allowed())
        })?;
        // Each agent is one side of a flow.
        if let Some(other) = hosts.iter().find(|host| host.agent == address) {
            let message = format!("{:?} has the agent at {address} already", other.name);
            return Err(source.error(agent.span(), message).allowed("an agent for each host"));
        }
        if hosts.len() == MOST_HOSTS {
            let message = format!("more than {MOST_HOSTS} hosts, up to here");
            return Err(source.error(spec.span(), message).allowed("fewer"));
        }
        hosts.push(Host { name: name.clone(), agent: address });
    }
    Ok(hosts)
}
