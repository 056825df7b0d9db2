//! Entries of QoS tables, as a list, or as a text with commas as in OpenSM's configuration.

use crate::reader::values::{Given, Number};
use bandwise_input::{InputError, Source};
use bandwise_rdma::qos::{Sl2Vl, Vl, VlArbEntry, VlArbTable};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use toml::Spanned;

const ENTRY: &str = "VL:WEIGHT such as \"1:64\", with a lane of 0 to 14 and a weight of 0 to 255";

/// Entries as written, without blanks around them.
pub(super) type Entries = Vec<Spanned<String>>;

/// Reads lanes by service level: `[0, 1, …]` or `"0,1,…"`.
pub(super) fn read_lanes<'de, D: Deserializer<'de>>(d: D) -> Result<Given<Entries>, D::Error> {
    read(d, |Number(lane)| lane.to_string())
}

/// Reads arbitration entries: `["0:64", "1:192"]` or `"0:64,1:192"`.
pub(super) fn read_turns<'de, D: Deserializer<'de>>(d: D) -> Result<Given<Entries>, D::Error> {
    read(d, |entry: String| entry)
}

/// Iterates over the entries of a text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|_| !text.trim().is_empty())
}

fn read<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    d: D,
    entry: fn(T) -> String,
) -> Result<Given<Entries>, D::Error> {
    let Some(given) = Option::<Spanned<Written<T>>>::deserialize(d)? else { return Ok(None) };
    let span = given.span();
    let entries = match given.into_inner() {
        Written::Text(text) => {
            pieces(&text).map(|piece| Spanned::new(span.clone(), piece.to_owned())).collect()
        }
        Written::List(list) => {
            list.into_iter().map(|e| Spanned::new(e.span(), entry(e.into_inner()))).collect()
        }
    };
    Ok(Some(Spanned::new(span, entries)))
}

enum Written<T> {
    Text(String),
    List(Vec<Spanned<T>>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Written<T> {
    /// Deserializes without serde's untagged enums, which lose places in the document.
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct TextOrList<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for TextOrList<T> {
            type Value = Written<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list, or a text with commas as in opensm.conf")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Written<T>, E> {
                Ok(Written::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Written<T>, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Written::List)
            }
        }
        d.deserialize_any(TextOrList(PhantomData))
    }
}

/// Returns the lanes by service level.
pub(super) fn mapping(source: &Source, lanes: &Spanned<Entries>) -> Result<Sl2Vl, InputError> {
    let mut table = [0; 16];
    if lanes.get_ref().len() != table.len() {
        let message = format!("{} entries map service levels to lanes", lanes.get_ref().len());
        return Err(source.error(lanes.span(), message).allowed("16, one for each level"));
    }
    for (sl, lane) in lanes.get_ref().iter().enumerate() {
        let vl = lane.get_ref();
        table[sl] = vl.parse::<u8>().ok().filter(|&vl| vl <= 15).ok_or_else(|| {
            let error = source.error(lane.span(), format!("SL{sl} is mapped to {vl}"));
            error.allowed("a lane of 0 to 14, or 15 to drop the packets of this level")
        })?;
    }
    let place = |e: bandwise_rdma::qos::Sl2VlError| source.error(lanes.span(), e.to_string());
    Sl2Vl::new(table).map_err(|e| place(e).allowed("16 lanes of 0 to 14, or 15 to drop"))
}

/// Returns the entries of an arbitration table.
pub(super) fn turns(
    source: &Source,
    name: &str,
    list: &Spanned<Entries>,
) -> Result<Vec<VlArbEntry>, InputError> {
    let len = list.get_ref().len();
    if len > VlArbTable::MAX_ENTRIES {
        let error =
            source.error(list.span(), format!("the {name}-priority table has {len} entries"));
        return Err(error.allowed(format!("up to {}", VlArbTable::MAX_ENTRIES)));
    }
    list.get_ref().iter().map(|text| entry(source, text)).collect()
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
