//! [`Hosts`]: the possible names of a host, by its address.

use crate::peer::Peer;
use std::collections::BTreeMap;

/// Names by address, from a file like /etc/hosts (hosts(5)): each line has an address and names. The system's resolver
/// is not used, as it opens sockets and takes locks, which a forked child could find taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Hosts(BTreeMap<Peer, Vec<String>>);

impl Hosts {
    /// Reads a file. Lines without an address are ignored, as by the system's resolver.
    pub(crate) fn read(text: &str) -> Hosts {
        let mut hosts = BTreeMap::<Peer, Vec<String>>::new();
        for line in text.lines() {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(Ok(address)) = words.next().map(str::parse) else { continue };
            hosts.entry(address).or_default().extend(words.map(str::to_owned));
        }
        Hosts(hosts)
    }

    /// Returns the possible names of a host, the most likely first: the names of the file, these without a domain, and
    /// the address.
    pub(crate) fn names(&self, peer: Peer) -> Vec<String> {
        let listed = self.0.get(&peer).map_or(&[][..], Vec::as_slice);
        let short = listed.iter().filter_map(|name| Some(name.split_once('.')?.0.to_owned()));
        let mut names = Vec::new();
        for name in listed.iter().cloned().chain(short).chain([peer.to_string()]) {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_tried_from_the_likeliest() {
        let hosts = Hosts::read(
            "# nodes\n127.0.0.1 localhost\n10.0.0.3\th3.example.org h3 # the third\nfe80::2:c903:b:3 node1\n\
             10.0.0.3 storage\nnonsense here\n",
        );
        let names = |address: &str| hosts.names(address.parse().unwrap());
        assert_eq!(names("10.0.0.3"), ["h3.example.org", "h3", "storage", "10.0.0.3"]);
        assert_eq!(names("::ffff:10.0.0.3"), names("10.0.0.3"));
        assert_eq!(names("fe80::2:c903:b:3%eth0"), ["node1", "fe80::2:c903:b:3"]);
        assert_eq!(names("10.0.0.4"), ["10.0.0.4"]);
    }

    proptest! {
        #[test]
        fn any_hosts_file_falls_back_to_the_address(text: String) {
            let names = Hosts::read(&text).names("10.0.0.3".parse().unwrap());
            prop_assert_eq!(names.last().map(String::as_str), Some("10.0.0.3"));
        }
    }
}
