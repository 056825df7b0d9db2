//! `[qos]`: lanes by service level, and the arbitration of lanes on a link.

use super::opensm;
use super::ports::PortSpec;
use super::qos_entries::{self, Entries, mapping, turns};
use crate::reader::files::{Files, named};
use crate::reader::tables::list;
use crate::reader::values::{Given, number, place, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::Qos;
use bandwise_rdma::qos::{Sl2Vl, Vl, VlArbTable};
use bandwise_topology::Fabric;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct QosSpec {
    opensm: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "qos_entries::read_lanes")]
    sl2vl: Given<Entries>,
    #[serde(default, deserialize_with = "qos_entries::read_turns")]
    high: Given<Entries>,
    #[serde(default, deserialize_with = "qos_entries::read_turns")]
    low: Given<Entries>,
    #[serde(default, deserialize_with = "number")]
    high_limit: Given<u64>,
    #[serde(default, deserialize_with = "list")]
    port: Vec<Spanned<PortSpec>>,
}

/// An arbitration table, as written.
pub(super) struct Arbitration<'a> {
    pub(super) high: &'a Given<Entries>,
    pub(super) low: &'a Given<Entries>,
    pub(super) high_limit: &'a Given<u64>,
}

/// The default weight of a lane: one MTU of 4096 bytes.
const WEIGHT: u8 = 64;

/// Returns tables with a single lane.
pub(in crate::infiniband) fn default_tables() -> Qos {
    let vlarb = VlArbTable::even([Vl::default()], WEIGHT);
    Qos { sl2vl: Sl2Vl::default(), vlarb, ports: Vec::new() }
}

impl QosSpec {
    pub(super) fn resolve(
        &self,
        source: &Source,
        fabric: &Fabric,
        files: Files,
    ) -> Result<Qos, InputError> {
        let mut qos = match &self.opensm {
            Some(file) => {
                self.check_alone(source)?;
                let file = named(source, file, files)?;
                opensm::qos(&Source::new(&file.name, &file.text), fabric)?
            }
            None => {
                let sl2vl = self.sl2vl.as_ref().map(|lanes| mapping(source, lanes)).transpose()?;
                Qos { sl2vl: sl2vl.unwrap_or_default(), ..default_tables() }
            }
        };
        let before = qos.ports.len();
        for port in &self.port {
            qos.ports.push(port.get_ref().mapping(source, fabric, port.span())?);
        }
        let vls = qos.vls();
        if self.opensm.is_none() {
            let (high, low, high_limit) = (&self.high, &self.low, &self.high_limit);
            let own = Arbitration { high, low, high_limit };
            qos.vlarb = own.resolve(source, vls, place(&self.sl2vl, 0..0))?;
        }
        for (port, spec) in qos.ports[before..].iter_mut().zip(&self.port) {
            port.vlarb = spec.get_ref().vlarb(source, vls, spec.span())?;
        }
        Ok(qos)
    }

    /// Refuses tables beside those of an OpenSM configuration.
    fn check_alone(&self, source: &Source) -> Result<(), InputError> {
        let span = |given: &Given<Entries>| given.as_ref().map(Spanned::span);
        let keys = [
            ("sl2vl", span(&self.sl2vl)),
            ("high", span(&self.high)),
            ("low", span(&self.low)),
            ("high-limit", self.high_limit.as_ref().map(Spanned::span)),
        ];
        match keys.into_iter().find_map(|(key, at)| Some((key, at?))) {
            None => Ok(()),
            Some((key, at)) => {
                let error = source.error(at, format!("`{key}` and `opensm`, which has it"));
                Err(error.allowed("one of the two; [[qos.port]] for single ports"))
            }
        }
    }
}

impl Arbitration<'_> {
    /// Returns the table for the lanes in use, `vls`. Without given entries, errors have the place
    /// `at`.
    pub(super) fn resolve(
        &self,
        source: &Source,
        vls: u16,
        at: Range<usize>,
    ) -> Result<VlArbTable, InputError> {
        let list = |name, given: &Given<Entries>| {
            given.as_ref().map(|given| turns(source, name, given)).transpose()
        };
        let high = list("high", self.high)?.unwrap_or_default();
        let served = high.iter().filter(|e| e.weight > 0).fold(0, |set, e| set | e.vl.bit());
        let low = list("low", self.low)?.unwrap_or_else(|| {
            let lanes = (0..Vl::COUNT as u8).filter_map(|n| Vl::try_from(n).ok());
            VlArbTable::even(lanes.filter(|vl| vl.bit() & vls & !served != 0), WEIGHT).low
        });
        let high_limit = match self.high_limit {
            Some(limit) => within(source, "high-limit", limit, 0..=255)? as u8,
            None => 0,
        };
        let vlarb = VlArbTable { high, low, high_limit };
        vlarb.validate().map_err(|e| {
            let at = place(self.low, place(self.high, at));
            source.error(at, e.to_string()).allowed("one or more entries with a weight of 1 to 255")
        })?;
        Ok(vlarb)
    }
}
