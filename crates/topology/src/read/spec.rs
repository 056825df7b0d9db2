//! The TOML form of a fabric. [`FabricSpec`] is a file of its own, or a table of a larger document.
//!
//! ```toml
//! [fabric]
//! link = { rate = "54.545454545 Gbps", delay = "10 ns" }   # the default of all cables
//!
//! [[fabric.switch]]
//! name = "tor"
//! ports = 12
//!
//! [[fabric.host]]
//! name = "h0"
//! ports = 1              # default 1
//! port = "tor:1"         # a cable from port 1 to that port; optional
//!
//! [[fabric.host]]
//! name = "h1"
//!
//! [[fabric.cable]]
//! from = "h1"            # node:port, or the name of a host for its port 1
//! to = "tor:2"
//! rate = "100 Gbps"      # default: that of `link`
//! delay = "5 ns"         # default: that of `link`, else 10 ns
//! ```
//!
//! The lists can be replaced by `build = "back-to-back"` or `build = { single-switch = 7 }`, `{
//! fat-tree = 6 }`, `{ leaf-spine = { leaves = 4, spines = 2, hosts = 8 } }`, `{ directors = {
//! count = 3, ports = 36 } }`. Then `uplink = { rate = "400 Gbps", delay = "100 ns" }` sets the cables
//! between switches, and a list of such tables those of each tier, from the leaves up. Keys that it
//! lacks are those of `link`.
//!
//! In TOML a key is not both a table and a list of tables, so cables are `[[fabric.cable]]`.
//! Without a default they may be called `[[fabric.link]]`.

use super::error::READABLE;
use super::values::{Count, Quantity};
use crate::{Fabric, MAX_PORTS};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

/// Reads a document that consists of a `[fabric]` table.
///
/// # Errors
///
/// Returns an [`InputError`] at the first mistake.
pub fn toml(source: &Source) -> Result<Fabric, InputError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Document {
        fabric: FabricSpec,
    }
    source.check_text(READABLE)?;
    let document: Document = source.toml().map_err(|e| explain(source, e))?;
    document.fabric.resolve(source, MAX_PORTS)
}

/// Improves the allowed values of errors about which the TOML parser lacks information.
fn explain(source: &Source, error: InputError) -> InputError {
    let line = source.text.lines().nth(error.line() - 1).unwrap_or_default();
    if error.message().starts_with("duplicate key") && line.contains("fabric.link") {
        error.allowed("[[fabric.cable]] for a cable, where `link` is what cables have by default")
    } else if !source.text.contains("fabric") {
        error.allowed(READABLE)
    } else {
        error
    }
}

/// A fabric in its TOML form, which [`FabricSpec::resolve`] converts.
///
/// It holds positions in the document, so it can be read from TOML text only.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "one [fabric] table")]
pub struct FabricSpec {
    #[serde(default)]
    pub(super) link: LinkKey,
    #[serde(default)]
    pub(super) uplink: Option<Spanned<UplinkKey>>,
    #[serde(default, deserialize_with = "shape")]
    pub(super) build: Option<Spanned<BuildSpec>>,
    #[serde(default)]
    pub(super) switch: Vec<SwitchSpec>,
    #[serde(default)]
    pub(super) host: Vec<HostSpec>,
    #[serde(default)]
    pub(super) cable: Vec<CableSpec>,
}

/// Reads a shape. A table of no key or of several says which shapes there are.
fn shape<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Spanned<BuildSpec>>, D::Error> {
    Option::deserialize(value).map_err(|error: D::Error| {
        match error.to_string().contains("wanted exactly 1 element") {
            true => D::Error::custom(
                "a shape is one key; expected \"back-to-back\", { single-switch = N }, { fat-tree = K }, \
                 { leaf-spine = { leaves = L, spines = S, hosts = H } } or { directors = { count = D, \
                 ports = K } }",
            ),
            false => error,
        }
    })
}

/// A common topology.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum BuildSpec {
    BackToBack,
    SingleSwitch(Spanned<Count>),
    FatTree(Spanned<Count>),
    #[serde(rename_all = "kebab-case")]
    LeafSpine {
        leaves: Spanned<Count>,
        spines: Spanned<Count>,
        hosts: Spanned<Count>,
    },
    Directors {
        count: Spanned<Count>,
        ports: Spanned<Count>,
    },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SwitchSpec {
    pub(super) name: Spanned<String>,
    pub(super) ports: Spanned<Count>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostSpec {
    pub(super) name: Spanned<String>,
    pub(super) ports: Option<Spanned<Count>>,
    pub(super) port: Option<Spanned<String>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CableSpec {
    pub(super) from: Spanned<String>,
    pub(super) to: Spanned<String>,
    pub(super) rate: Option<Spanned<Quantity<BitRate>>>,
    pub(super) delay: Option<Spanned<Quantity<Time>>>,
}

/// The defaults of cables.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkSpec {
    pub(super) rate: Option<Spanned<Quantity<BitRate>>>,
    pub(super) delay: Option<Spanned<Quantity<Time>>>,
}

/// The key `uplink`: the cables of all tiers, or those of each tier.
#[derive(Debug, Clone)]
pub(super) enum UplinkKey {
    All(LinkSpec),
    Tiers(Vec<LinkSpec>),
}

impl<'de> Deserialize<'de> for UplinkKey {
    /// Not derived, because serde's untagged enums lose positions in the document.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableOrList;
        impl<'de> Visitor<'de> for TableOrList {
            type Value = UplinkKey;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(
                    "a table such as { rate = \"400 Gbps\" }, or a list with one for each tier",
                )
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<UplinkKey, A::Error> {
                LinkSpec::deserialize(MapAccessDeserializer::new(map)).map(UplinkKey::All)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<UplinkKey, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(UplinkKey::Tiers)
            }
        }
        deserializer.deserialize_any(TableOrList)
    }
}

/// The key `link`: the defaults of all cables, or the cables themselves.
#[derive(Debug, Clone)]
pub(super) enum LinkKey {
    Default(LinkSpec),
    Cables(Vec<CableSpec>),
}

impl Default for LinkKey {
    fn default() -> Self {
        LinkKey::Default(LinkSpec::default())
    }
}

impl<'de> Deserialize<'de> for LinkKey {
    /// Not derived, because serde's untagged enums lose positions in the document.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableOrList;
        impl<'de> Visitor<'de> for TableOrList {
            type Value = LinkKey;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a table such as { rate = \"100 Gbps\", delay = \"10 ns\" }")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LinkKey, A::Error> {
                LinkSpec::deserialize(MapAccessDeserializer::new(map)).map(LinkKey::Default)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<LinkKey, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(LinkKey::Cables)
            }
        }
        deserializer.deserialize_any(TableOrList)
    }
}
