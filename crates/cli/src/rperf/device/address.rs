//! Where servers listen, as it is written: a host or an address, and a port if it is another than the usual one.

use crate::values::{Refusal, refused};
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// Where servers listen if nothing else is said.
const USUAL: u16 = 18516;

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// Its name or address.
    pub(super) name: String,
    /// Where it listens.
    pub(super) port: u16,
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.contains(':') {
            true => write!(f, "[{}]:{}", self.name, self.port),
            false => write!(f, "{}:{}", self.name, self.port),
        }
    }
}

const HOSTS: &str = "HOST, HOST:PORT, an address, or [IPv6 ADDRESS]:PORT";

/// `HOST[:PORT]`; an IPv6 address with a port stands in brackets.
pub(super) fn host(text: &str) -> Result<Host, Refusal> {
    let (name, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, "")) => (name, None),
        Some((name, port)) => (name, Some(port.strip_prefix(':').unwrap_or(""))),
        // Several colons: an address without a port.
        None if text.matches(':').count() > 1 => (text, None),
        None => text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port))),
    };
    let port = match port {
        None => USUAL,
        Some(port) => match port.parse() {
            Ok(port) if port > 0 => port,
            _ => return refused(Some(format!("{port:?} is no port")), "a port from 1 to 65535"),
        },
    };
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '[');
    match is_name && (!name.contains(':') || name.parse::<IpAddr>().is_ok()) {
        true => Ok(Host { name: name.to_owned(), port }),
        false => refused(None, HOSTS),
    }
}

/// `ADDRESS[:PORT]` of this host.
pub(super) fn listened(text: &str) -> Result<SocketAddr, Refusal> {
    let address = text.parse::<IpAddr>().map(|address| SocketAddr::new(address, USUAL));
    match address.or_else(|_| text.parse()) {
        Ok(address) => Ok(address),
        Err(_) => refused(
            None,
            "an address of this host, with a port or without: 0.0.0.0 for all, 10.0.0.1:7000, [::1]:7000",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports() {
        for (text, name, port) in [
            ("node1", "node1", USUAL),
            ("node1:7000", "node1", 7000),
            ("10.0.0.1:1", "10.0.0.1", 1),
            ("::1", "::1", USUAL),
            ("[::1]", "::1", USUAL),
            ("[fe80::1]:65535", "fe80::1", 65535),
        ] {
            assert_eq!(host(text).unwrap(), Host { name: name.into(), port }, "{text}");
        }
        for text in
            ["", ":7000", "a b", "node1:", "node1:0", "node1:65536", "[::1]7", "[a:b]", "a:b:c"]
        {
            assert!(host(text).is_err(), "{text}");
        }
        assert_eq!(host("[::1]:7").unwrap().to_string(), "[::1]:7");
    }

    #[test]
    fn addresses_to_listen_at() {
        assert_eq!(listened("0.0.0.0").unwrap().to_string(), format!("0.0.0.0:{USUAL}"));
        assert_eq!(listened("[::1]:7000").unwrap().to_string(), "[::1]:7000");
        assert_eq!(listened("127.0.0.1:0").unwrap().port(), 0);
        assert!(listened("localhost").is_err());
    }
}
