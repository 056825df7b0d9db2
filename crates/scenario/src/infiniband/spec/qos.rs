//! `[qos]`: lanes by service level, and the arbitration of lanes on a link.

use super::ports::PortSpec;
use crate::reader::tables::list;
use crate::reader::values::{Given, Number, number, place, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::{PortQos, Qos};
use bandwise_rdma::qos::{Sl2Vl, Vl, VlArbEntry, VlArbTable};
use bandwise_topology::Fabric;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct QosSpec {
    sl2vl: Given<Lanes>,
    high: Given<Turns>,
    low: Given<Turns>,
    #[serde(default, deserialize_with = "number")]
    high_limit: Given<u64>,
    #[serde(default, deserialize_with = "list")]
    port: Vec<Spanned<PortSpec>>,
}

/// Lanes by service level, as written.
pub(super) type Lanes = Vec<Spanned<Number>>;

/// Arbitration entries, as written.
pub(super) type Turns = Vec<Spanned<String>>;

/// An arbitration table, as written.
pub(super) struct Arbitration<'a> {
    pub(super) high: &'a Given<Turns>,
    pub(super) low: &'a Given<Turns>,
    pub(super) high_limit: &'a Given<u64>,
}

/// The default weight of a lane: one MTU of 4096 bytes.
const WEIGHT: u8 = 64;

const ENTRY: &str = "VL:WEIGHT such as \"1:64\", with a lane of 0 to 14 and a weight of 0 to 255";

/// Returns tables with a single lane.
pub(in crate::infiniband) fn default_tables() -> Qos {
    let vlarb = VlArbTable::even([Vl::default()], WEIGHT);
    Qos { sl2vl: Sl2Vl::default(), vlarb, ports: Vec::new() }
}

impl QosSpec {
    pub(super) fn resolve(&self, source: &Source, fabric: &Fabric) -> Result<Qos, InputError> {
        let sl2vl = match &self.sl2vl {
            Some(lanes) => mapping(source, lanes)?,
            None => Sl2Vl::default(),
        };
        let ports =
            self.port.iter().map(|port| port.get_ref().mapping(source, fabric, port.span()));
        let ports = ports.collect::<Result<Vec<PortQos>, InputError>>()?;
        let mut qos = Qos { sl2vl, ports, ..default_tables() };
        let vls = qos.vls();
        let (high, low, high_limit) = (&self.high, &self.low, &self.high_limit);
        let own = Arbitration { high, low, high_limit };
        qos.vlarb = own.resolve(source, vls, place(&self.sl2vl, 0..0))?;
        for (port, spec) in qos.ports.iter_mut().zip(&self.port) {
            port.vlarb = spec.get_ref().vlarb(source, vls, spec.span())?;
        }
        self.check_served(source, &qos)?;
        Ok(qos)
    }

    /// Refuses a service level whose lane no port's table serves, since its packets could not be
    /// sent.
    fn check_served(&self, source: &Source, qos: &Qos) -> Result<(), InputError> {
        let own = qos.ports.iter().filter_map(|port| port.vlarb.as_ref());
        let unserved = own.fold(qos.vlarb.unserved(qos.vls()), |set, table| table.unserved(set));
        let written = self.port.iter().filter_map(|port| port.get_ref().lanes());
        for lanes in self.sl2vl.iter().chain(written) {
            for (sl, lane) in lanes.get_ref().iter().enumerate() {
                let Number(vl) = *lane.get_ref();
                if vl < Vl::COUNT as u64 && unserved >> vl & 1 == 1 {
                    let message = format!("SL{sl} goes to VL{vl}, which no table serves");
                    let allowed = format!("an entry for VL{vl} in high or low, or another lane");
                    return Err(source.error(lane.span(), message).allowed(allowed));
                }
            }
        }
        if unserved == 0 {
            return Ok(());
        }
        let at = place(&self.low, place(&self.high, 0..0));
        let message = "no table serves VL0, to which service levels go if no sl2vl is given";
        Err(source.error(at, message).allowed("an entry for VL0 in high or low, or sl2vl"))
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
        let high = entries(source, "high", self.high)?.unwrap_or_default();
        let served = high.iter().filter(|e| e.weight > 0).fold(0, |set, e| set | e.vl.bit());
        let low = entries(source, "low", self.low)?.unwrap_or_else(|| {
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

pub(super) fn mapping(source: &Source, lanes: &Spanned<Lanes>) -> Result<Sl2Vl, InputError> {
    let mut table = [0; 16];
    if lanes.get_ref().len() != table.len() {
        let message = format!("{} entries map service levels to lanes", lanes.get_ref().len());
        return Err(source.error(lanes.span(), message).allowed("16, one for each level"));
    }
    for (sl, lane) in lanes.get_ref().iter().enumerate() {
        let Number(vl) = *lane.get_ref();
        table[sl] = u8::try_from(vl).ok().filter(|&vl| vl <= 15).ok_or_else(|| {
            let error = source.error(lane.span(), format!("SL{sl} is mapped to {vl}"));
            error.allowed("a lane of 0 to 14, or 15 to drop the packets of this level")
        })?;
    }
    let place = |e: bandwise_rdma::qos::Sl2VlError| source.error(lanes.span(), e.to_string());
    Sl2Vl::new(table).map_err(|e| place(e).allowed("16 lanes of 0 to 14, or 15 to drop"))
}

fn entries(
    source: &Source,
    name: &str,
    list: &Given<Turns>,
) -> Result<Option<Vec<VlArbEntry>>, InputError> {
    let Some(list) = list else { return Ok(None) };
    let len = list.get_ref().len();
    if len > VlArbTable::MAX_ENTRIES {
        let error =
            source.error(list.span(), format!("the {name}-priority table has {len} entries"));
        return Err(error.allowed(format!("up to {}", VlArbTable::MAX_ENTRIES)));
    }
    list.get_ref().iter().map(|text| entry(source, text)).collect::<Result<_, _>>().map(Some)
}

fn entry(source: &Source, given: &Spanned<String>) -> Result<VlArbEntry, InputError> {
    let text = given.get_ref();
    text.parse().map_err(|_| {
        let numbers = text.split_once(':').and_then(|(vl, weight)| {
            Some((vl.trim().parse::<u64>().ok()?, weight.trim().parse::<u64>().ok()?))
        });
        let message = match numbers {
            Some((vl, _)) if vl >= Vl::COUNT as u64 => format!("lane {vl} carries no data"),
            Some((_, weight)) => format!("a lane can't have a weight of {weight}"),
            None => format!("{text:?} is not an arbitration entry"),
        };
        source.error(given.span(), message).allowed(ENTRY)
    })
}
