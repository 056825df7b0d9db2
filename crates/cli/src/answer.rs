//! [`Answer`]: the result of a command, one value that is rendered as text, JSON and HTML.

use bandwise_report::{Report, json::rounded};
use bandwise_saba::Share;
use bandwise_units::Time;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The result of a command. Its serialised fields, in order, are the JSON document. The text and
/// the report use the same fields, and also the fields that the document skips.
pub(crate) trait Answer: Serialize {
    /// Rounds fractions in the JSON to six significant digits if set.
    const IS_ROUNDED: bool = false;

    /// Returns the text for people.
    fn text(&self) -> String;

    /// Returns the report, if the command has one.
    fn report(&self) -> Option<Report> {
        None
    }

    /// Returns the JSON document.
    fn json(&self) -> Value {
        let document = serde_json::to_value(self).expect("names are strings");
        if Self::IS_ROUNDED { rounded(document) } else { document }
    }
}

/// The version of this program, the last field of most documents.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Stats {
    version: &'static str,
}

impl Stats {
    /// The version of this program.
    pub(crate) const HERE: Stats = Stats { version: env!("CARGO_PKG_VERSION") };
}

/// Serialises a time as seconds.
pub(crate) fn seconds<S: Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_s_f64())
}

/// Serialises a share as a fraction of 1.
pub(crate) fn fraction<S: Serializer>(share: &Share, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(share.get())
}
