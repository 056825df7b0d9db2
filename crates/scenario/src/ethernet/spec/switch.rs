//! `[switch]`.

use super::classes::ScheduleKey;
use super::homa;
use super::host::Frame;
use super::key::key;
use super::pfc_key::PfcKey;
use super::ports::{self, PortSpec};
use crate::ethernet::TransportKind;
use crate::reader::tables::list;
use crate::reader::values::{Given, Number, decimal, names, number, text};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::{
    AfterPause, Buffering, Classes, LARGEST_BUFFER, Pfc, Routing, SwitchModel,
};
use bandwise_topology::{Fabric, Port};
use bandwise_units::{Bytes, Time};
use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct SwitchSpec {
    #[serde(deserialize_with = "text")]
    queues: Given<Queues>,
    #[serde(deserialize_with = "text")]
    pub(super) buffer: Given<Bytes>,
    #[serde(deserialize_with = "decimal")]
    pub(super) alpha: Given<f64>,
    #[serde(deserialize_with = "text")]
    pub(super) reserve: Given<Bytes>,
    #[serde(deserialize_with = "key")]
    pub(super) pfc: Given<PfcKey>,
    #[serde(deserialize_with = "number")]
    pub(super) classes: Given<u64>,
    pub(super) lossless: Given<Vec<Spanned<Number>>>,
    #[serde(deserialize_with = "key")]
    pub(super) schedule: Given<ScheduleKey>,
    #[serde(deserialize_with = "text")]
    routing: Given<Routing>,
    #[serde(deserialize_with = "list")]
    port: Vec<Spanned<PortSpec>>,
}

/// The place where packets wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Queues {
    Input,
    Output,
}

names! { Queues, "place of queues", "\"input\" or \"output\"",
"input" => Queues::Input, "output" => Queues::Output }
names! { Routing, "routing", "\"ecmp\" or \"spray\"",
"ecmp" => Routing::Ecmp, "spray" => Routing::Spray }

/// The quantities on which the size of a buffer depends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) classes: &'a Classes,
    pub(super) after_pause: AfterPause,
    pub(super) is_roce: bool,
}

impl Surroundings<'_> {
    /// Returns the largest packet.
    pub(super) fn packet(&self) -> Bytes {
        self.after_pause.frame
    }

    /// Returns the most bytes that arrive at any port of a switch after it has sent a PFC frame.
    pub(super) fn most_headroom(&self) -> Bytes {
        let ports = self.fabric.switches().iter().flat_map(|&node| self.fabric.ports(node));
        let each = ports.map(|port| self.after_pause.at(self.fabric, port));
        each.max().unwrap_or(Bytes::ZERO)
    }

    /// Returns the most ports of a switch.
    pub(super) fn most_ports(&self) -> u64 {
        let ports = self.fabric.switches().iter().map(|&node| self.fabric.port_count(node));
        ports.max().unwrap_or(0).into()
    }
}

/// Buffers, and whether packets can be dropped.
pub(super) struct Buffered {
    pub(super) buffering: Buffering,
    pub(super) loses: bool,
}

/// The resolved `[switch]`.
pub(super) struct Switches {
    pub(super) model: SwitchModel,
    pub(super) thresholds: Vec<(Port, Pfc)>,
    /// Time until a PFC frame is obeyed.
    pub(super) pause_response: Time,
    pub(super) classes: Classes,
    pub(super) routing: Routing,
    /// True if packets can be dropped.
    pub(super) loses: bool,
}

impl SwitchSpec {
    pub(super) fn resolve(
        &self,
        source: &Source,
        fabric: &Fabric,
        frame: Frame,
        transport: TransportKind,
        warnings: &mut Vec<InputError>,
    ) -> Result<Switches, InputError> {
        let is_homa = transport == TransportKind::Homa;
        if is_homa {
            self.check_homa(source)?;
        }
        let classes = self.classes(source, transport)?;
        let response = self.pfc.as_ref().map(|given| given.get_ref().response(source));
        let pause_response = response.transpose()?.unwrap_or(Time::ZERO);
        let after_pause = AfterPause {
            frame: frame.bytes(),
            response: pause_response,
            lossless: classes.lossless_count(),
        };
        let is_roce = transport == TransportKind::Roce;
        let around = Surroundings { fabric, classes: &classes, after_pause, is_roce };
        let (before, queues) = (warnings.len(), self.queues.as_ref().map(|q| *q.get_ref()));
        // Unscheduled packets may need more room than an eighth of an input's buffer.
        let usual = if is_homa { Queues::Output } else { Queues::Input };
        let Buffered { buffering, loses } = match queues.unwrap_or(usual) {
            Queues::Input => self.input_queues(source, &around, warnings)?,
            Queues::Output => self.shared_buffer(source, &around, warnings)?,
        };
        if let Some(given) = self.lossless.as_ref().filter(|_| !buffering.has_pfc()) {
            let error =
                source.error(given.span(), "lossless classes without priority flow control");
            warnings.push(error.allowed("`lossless` with `pfc`"));
        }
        let headroom = around.most_headroom();
        let thresholds =
            ports::resolve(source, &self.port, fabric, &buffering, headroom, warnings)?;
        let all = u8::MAX >> (8 - classes.count);
        let loses = loses || warnings.len() > before || classes.lossless & all != all;
        // Homa expects packets to be spread over all paths.
        let usual = if is_homa { Routing::Spray } else { Routing::Ecmp };
        let routing = self.routing.as_ref().map_or(usual, |given| *given.get_ref());
        let model = SwitchModel { buffering, ecn: None };
        Ok(Switches { model, thresholds, pause_response, classes, routing, loses })
    }

    /// Refuses keys that Homa does not use.
    fn check_homa(&self, source: &Source) -> Result<(), InputError> {
        if let Some(given) = &self.pfc
            && !matches!(given.get_ref(), PfcKey::Truth(false))
        {
            let why = "it requests lost packets again";
            return Err(homa::refuse(source, "pfc", given.span(), why));
        }
        match &self.schedule {
            Some(given) if !matches!(given.get_ref(), ScheduleKey::Strict) => {
                let why = "the highest priority goes first";
                Err(homa::refuse(source, "weights", given.span(), why))
            }
            _ => Ok(()),
        }
    }

    /// Refuses keys of a shared buffer.
    pub(super) fn only_with_output_queues(&self, source: &Source) -> Result<(), InputError> {
        let refuse = |key: &str, at| {
            let message = format!("`{key}` is not used: each input has a buffer of its own");
            Err(source.error(at, message).allowed(format!("`{key}` with queues = \"output\"")))
        };
        match (&self.alpha, &self.reserve) {
            (Some(given), _) => refuse("alpha", given.span()),
            (_, Some(given)) => refuse("reserve", given.span()),
            _ => Ok(()),
        }
    }
}

/// Refuses a buffer without room for a packet.
pub(super) fn room_for_a_packet(
    source: &Source,
    buffer: &Spanned<Bytes>,
    packet: Bytes,
) -> Result<(), InputError> {
    if *buffer.get_ref() >= packet {
        return Ok(());
    }
    let message = format!("a buffer of {} can't hold a packet", buffer.get_ref());
    let allowed = format!("{packet}, a packet with its headers, to {LARGEST_BUFFER}");
    Err(source.error(buffer.span(), message).allowed(allowed))
}
