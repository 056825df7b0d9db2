//! Alternative names of hosts.

use super::document::HostsSpec;
use super::value::at;
use bandwise_input::{InputError, Source};
use bandwise_switches::Names;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn hosts(source: &Source, spec: &HostsSpec) -> Result<Names, InputError> {
    let mut names = BTreeMap::<Box<str>, Box<str>>::new();
    for (host, others) in spec {
        for other in others {
            let name = other.get_ref().as_str();
            if name.is_empty() {
                return Err(at(source, other, "an empty name").allowed("an address or a name"));
            }
            if spec.contains_key(name) {
                let what =
                    format!("{host} is called {name:?} too, which is another host's own name");
                return Err(at(source, other, what).allowed("names of one host only"));
            }
            if let Some(before) = names.insert(name.into(), host.as_str().into()) {
                let what = format!("{before} and {host} are both called {name:?}");
                return Err(at(source, other, what).allowed("names of one host only"));
            }
        }
    }
    Ok(Arc::new(names))
}
