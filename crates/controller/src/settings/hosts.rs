//! [`Host`]: alternative names of hosts.

use super::document::HostsSpec;
use super::value::at;
use bandwise_input::{InputError, Source};
use bandwise_switches::{Names, Switches, canonical, has_host};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;

/// A host with alternative names: a line of `[hosts]`. Places are byte ranges of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The name of the host in the network.
    pub name: String,
    /// The place of the name.
    pub place: Range<usize>,
    /// The alternative names and their places.
    pub others: Vec<(String, Range<usize>)>,
}

/// Returns the hosts of all alternative names.
pub fn names_of(hosts: &[Host]) -> Names {
    let names = hosts.iter().flat_map(|host| {
        host.others.iter().map(|other| (canonical(&other.0).into(), host.name.as_str().into()))
    });
    Arc::new(names.collect())
}

impl Host {
    /// Checks that a network has this host.
    ///
    /// # Errors
    ///
    /// Returns an error with the line of the name.
    pub fn check(&self, source: &Source, network: &mut impl Switches) -> Result<(), InputError> {
        if has_host(network, &self.name) {
            return Ok(());
        }
        let what = format!("there is no host {:?} in the network", self.name);
        Err(source.error(self.place.clone(), what).allowed("a host by the network's own name"))
    }

    /// Checks that no alternative name is the name of a host of the network.
    ///
    /// # Errors
    ///
    /// Returns an error with the line of the first one that is.
    pub fn check_names(
        &self,
        source: &Source,
        network: &mut impl Switches,
    ) -> Result<(), InputError> {
        let mut is_taken = |name: &str| name != self.name && has_host(network, name);
        match self.others.iter().find(|other| is_taken(&other.0)) {
            None => Ok(()),
            Some((other, place)) => Err(taken(source, place.clone(), &self.name, other)),
        }
    }
}

/// Returns the error for a name that is the own one of another host.
fn taken(source: &Source, place: Range<usize>, host: &str, name: &str) -> InputError {
    let what = format!("{host} is called {name:?} too, which is another host's own name");
    source.error(place, what).allowed("names of one host only")
}

pub(super) fn hosts(source: &Source, spec: &HostsSpec) -> Result<Vec<Host>, InputError> {
    let mut known = BTreeMap::<Cow<'_, str>, &str>::new();
    let host = |(name, others): (&Spanned<String>, &Vec<Spanned<String>>)| Host {
        name: name.get_ref().clone(),
        place: name.span(),
        others: others.iter().map(|other| (other.get_ref().clone(), other.span())).collect(),
    };
    for (host, others) in spec {
        let host = host.get_ref().as_str();
        for other in others {
            let name = other.get_ref().as_str();
            if name.is_empty() {
                return Err(at(source, other, "an empty name").allowed("an address or a name"));
            }
            if name != host && spec.keys().any(|own| own.get_ref() == name) {
                return Err(taken(source, other.span(), host, name));
            }
            let before = known.insert(canonical(name), host).filter(|before| *before != host);
            if let Some(before) = before {
                let what = format!("{before} and {host} are both called {name:?}");
                return Err(at(source, other, what).allowed("names of one host only"));
            }
        }
    }
    Ok(spec.iter().map(host).collect())
}
