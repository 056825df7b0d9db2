//! [`Kind`]: the kind of scenario that a file states.

use super::text::check_scenario;
use bandwise_input::{InputError, Source};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The kind of a scenario file: the value of its top-level key `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Measuring methods and bulk traffic on an InfiniBand fabric.
    Infiniband,
    /// Flows through an Ethernet fabric.
    Ethernet,
    /// Jobs that share a fabric.
    Jobs,
}

/// The readable texts.
const READABLE: &str = "a TOML scenario of kind = \"infiniband\", \"ethernet\" or \"jobs\"";
/// The key.
const KEY: &str = "kind";
/// The allowed lines.
const ALLOWED: &str = "kind = \"infiniband\", \"ethernet\" or \"jobs\" above all tables";

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Infiniband, Kind::Ethernet, Kind::Jobs];

    /// Returns the kind's name in scenario files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Infiniband => "infiniband",
            Kind::Ethernet => "ethernet",
            Kind::Jobs => "jobs",
        }
    }

    /// Reads the kind that a TOML scenario states.
    ///
    /// # Errors
    ///
    /// The text is not TOML, or has no kind or an unknown one. The error of a missing kind names the
    /// kind that the tables of the file belong to.
    pub fn of(source: &Source) -> Result<Kind, InputError> {
        check_scenario(source, READABLE)?;
        stated(source, source.document()?.get_ref())
    }

    /// Takes the kind out of a document, which must state this one.
    pub(crate) fn take(
        self,
        source: &Source,
        document: &mut Spanned<DeTable>,
    ) -> Result<(), InputError> {
        let kind = stated(source, document.get_ref())?;
        let Some(value) = document.get_mut().remove(KEY) else { return Ok(()) };
        if kind == self {
            return Ok(());
        }
        let message = format!("a scenario of kind {:?}, not {:?}", kind.as_str(), self.as_str());
        let error = source.error(value.span(), message);
        Err(error.allowed(format!(
            "kind = {:?} here; `bandwise sim run` takes all kinds",
            self.as_str()
        )))
    }

    /// Returns the kind whose tables and keys a document has, and one of these.
    fn guess(document: &DeTable) -> Option<(Kind, &'static str)> {
        const KEYS: [(Kind, &[&str]); 3] = [
            (Kind::Jobs, &["job", "queues", "models", "model", "synthetic", "placement"]),
            (Kind::Infiniband, &["flow", "device", "qos"]),
            (Kind::Ethernet, &["transport", "workload", "host", "sweep", "plot"]),
        ];
        KEYS.iter().find_map(|(kind, keys)| {
            let key = keys.iter().find(|key| document.contains_key(**key))?;
            Some((*kind, *key))
        })
    }
}

/// Returns whether a document has a `[fabric]` table and nothing else.
pub(crate) fn is_fabric_file(document: &DeTable) -> bool {
    document.len() == 1 && document.contains_key("fabric")
}

/// Returns the kind that a document states.
fn stated(source: &Source, document: &DeTable) -> Result<Kind, InputError> {
    let Some(value) = document.get(KEY) else {
        let message = match Kind::guess(document) {
            Some((kind, key)) => {
                format!("no kind; with `{key}` it looks like kind = {:?}", kind.as_str())
            }
            None if is_fabric_file(document) => {
                let error = source.error(0..0, "a fabric file, which has no kind");
                return Err(
                    error.allowed("a scenario; a fabric file with `bandwise rperf --fabric`")
                );
            }
            None => "no kind".to_owned(),
        };
        return Err(source.error(0..0, message).allowed(ALLOWED));
    };
    let kind = match value.get_ref() {
        DeValue::String(name) => Kind::ALL.into_iter().find(|kind| kind.as_str() == *name),
        _ => None,
    };
    kind.ok_or_else(|| {
        let written = source.text.get(value.span()).unwrap_or_default();
        source.error(value.span(), format!("unknown kind {written}")).allowed(ALLOWED)
    })
}
