//! `opensm`: QoS tables from the configuration of OpenSM.
//!
//! Values of hosts are `qos_ca_*`, of switches' ports `qos_swe_*`; `qos_*` are the values of both
//! where these are unset, and OpenSM's defaults follow (opensm(8), `osm_qos.c`). Ports 0 of switches
//! (`qos_sw0_*`) and routers (`qos_rtr_*`) carry no packets here. OpenSM stores `qos_*_max_vls` and
//! does not use them; `max_op_vls` limits the lanes of all ports, to which it masks the lanes of
//! tables.

use super::qos_entries::{Entries, mapping, pieces, turns};
use bandwise_input::{Foreign, InputError, Source};
use bandwise_netsim::infiniband::{PortQos, Qos};
use bandwise_rdma::qos::{Sl, Sl2Vl, Vl, VlArbEntry, VlArbTable};
use bandwise_topology::Fabric;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// OpenSM's defaults (opensm(8)).
const HIGH: &str = "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0";
const LOW: &str = "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4";
const SL2VL: &str = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7";

/// Prefixes of OpenSM's kinds of ports, after `qos_`. The empty one is that of all kinds.
const KINDS: [&str; 5] = ["", "ca_", "swe_", "sw0_", "rtr_"];

/// Ends of the keys of a kind of ports.
const TABLES: [&str; 5] = ["max_vls", "high_limit", "vlarb_high", "vlarb_low", "sl2vl"];

/// The values of a file by key, each with its place.
type Values<'a> = BTreeMap<&'a str, (&'a str, Range<usize>)>;

/// Returns the tables of all ports: those of hosts, and for each switch those of switches if they
/// differ.
pub(super) fn qos(source: &Source, fabric: &Fabric) -> Result<Qos, InputError> {
    let values = values(source)?;
    if let Some((_, at)) = values.get("qos").filter(|(text, _)| text.eq_ignore_ascii_case("false"))
    {
        let error = source.error(at.clone(), "OpenSM sets no tables with `qos FALSE`");
        return Err(error.allowed("`qos TRUE`, as with `opensm -Q`; or no `opensm` in [qos]"));
    }
    let (sl2vl, vlarb) = tables(source, &values, "ca_")?;
    let of_switches = tables(source, &values, "swe_")?;
    let mut ports = Vec::new();
    if of_switches != (sl2vl, vlarb.clone()) {
        let own = |&node| PortQos {
            node,
            input: None,
            output: None,
            sl2vl: Some(of_switches.0),
            vlarb: Some(of_switches.1.clone()),
        };
        ports.extend(fabric.switches().iter().map(own));
    }
    Ok(Qos { sl2vl, vlarb, ports })
}

/// Returns the values that the file sets. Like OpenSM, it takes the last value of a key.
fn values<'a>(source: &Source<'a>) -> Result<Values<'a>, InputError> {
    let mut values = Values::new();
    let mut next = 0;
    for line in source.text.split_inclusive('\n') {
        let start = next + (line.len() - line.trim_start().len());
        next += line.len();
        let line = line.trim();
        if line.starts_with('#') {
            continue;
        }
        let Some((key, rest)) = line.split_once(char::is_whitespace) else {
            if line.starts_with("qos") {
                let error =
                    source.error(start..start + line.len(), format!("`{line}` has no value"));
                return Err(error.allowed("a key, a space and a value"));
            }
            continue;
        };
        let value = rest.trim_start();
        let at = start + (line.len() - value.len());
        let at = at..at + value.len();
        let is_unset = matches!(value, "(null)" | "\"\"") || value.starts_with('-');
        if is_unset {
            values.remove(key);
            continue;
        }
        let is_unknown = key.strip_prefix("qos_").is_some_and(|rest| {
            let of_kind =
                |kind: &&str| rest.strip_prefix(*kind).is_some_and(|r| TABLES.contains(&r));
            !KINDS.iter().any(of_kind) && rest != "policy_file"
        });
        if is_unknown && value != "0" {
            let error = source.error(at, format!("`{key}` is not read"));
            return Err(error.allowed(
                "max_vls, high_limit, vlarb_high, vlarb_low and sl2vl after qos_, qos_ca_, qos_swe_, \
                 qos_sw0_ or qos_rtr_",
            ));
        }
        values.insert(key, (value, at));
    }
    if !values.keys().any(|key| key.starts_with("qos") || *key == "max_op_vls") {
        // Its own configuration without QoS is among the known files too.
        let is_own = Foreign::of(source.text).is_none_or(|known| known.name.contains("OpenSM"));
        if !is_own {
            source.check_own()?;
        }
        let error = source.error(0..0, "no line about QoS: is this OpenSM's configuration?");
        return Err(error.allowed("lines such as `qos TRUE` and `qos_vlarb_low 0:64,1:192`"));
    }
    Ok(values)
}

/// Returns the tables of a kind of ports.
fn tables(source: &Source, values: &Values, kind: &str) -> Result<(Sl2Vl, VlArbTable), InputError> {
    let of = |table: &str| {
        let own = values.get(format!("qos_{kind}{table}").as_str());
        own.or_else(|| values.get(format!("qos_{table}").as_str()))
    };
    let text = |table: &str, or: &'static str| match of(table) {
        Some((text, at)) => entries(text.trim_matches('"'), at.clone()),
        None => entries(or, 0..0),
    };
    let mask = mask(source, values)?;
    let list = |table: &str, or| -> Result<Vec<VlArbEntry>, InputError> {
        let entries = turns(source, table, &text(table, or))?.into_iter();
        let masked = |entry: VlArbEntry| VlArbEntry { vl: masked(entry.vl, mask), ..entry };
        Ok(entries.map(masked).collect())
    };
    let (high, low) = (list("vlarb_high", HIGH)?, list("vlarb_low", LOW)?);
    let high_limit = match of("high_limit") {
        Some((text, at)) => text.parse().map_err(|_| {
            source.error(at.clone(), format!("a high limit of {text}")).allowed("0 to 255")
        })?,
        None => 0,
    };
    let vlarb = VlArbTable { high, low, high_limit };
    vlarb.validate().map_err(|error| {
        let at = of("vlarb_low").or(of("vlarb_high")).map_or(0..0, |(_, at)| at.clone());
        source.error(at, error.to_string()).allowed("one or more entries with a weight of 1 to 255")
    })?;
    let sl2vl = mapping(source, &text("sl2vl", SL2VL))?;
    let lane = |sl: u8| {
        let vl = sl2vl.vl(Sl::try_from(sl).expect("16 levels"));
        vl.map_or(Vl::COUNT as u8, |vl| masked(vl, mask).get())
    };
    let sl2vl = Sl2Vl::new(std::array::from_fn(|sl| lane(sl as u8))).expect("lanes of a mapping");
    Ok((sl2vl, vlarb))
}

fn entries(text: &str, at: Range<usize>) -> Spanned<Entries> {
    let entry = |piece: &str| Spanned::new(at.clone(), piece.to_owned());
    Spanned::new(at.clone(), pieces(text).map(entry).collect())
}

/// Returns the mask of lanes for `max_op_vls`, which codes 1, 2, 4, 8 and 15 lanes as 1 to 5 (IBTA
/// 14.2.5.6).
fn mask(source: &Source, values: &Values) -> Result<u8, InputError> {
    let Some((text, at)) = values.get("max_op_vls") else { return Ok(0xf) };
    let code = text.parse::<u8>().ok().filter(|code| (1..=5).contains(code));
    code.map(|code| (1 << (code - 1)) - 1).ok_or_else(|| {
        let error = source.error(at.clone(), format!("max_op_vls can't be {text}"));
        error.allowed("1 to 5, for 1, 2, 4, 8 and 15 lanes")
    })
}

fn masked(vl: Vl, mask: u8) -> Vl {
    Vl::try_from(vl.get() & mask).expect("a smaller lane")
}
