//! [`Address`]: the address of a listener, as users write it.

use core::net::IpAddr;
use std::fmt;

/// A host by name or address, and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The host's name or address.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// A text that is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The text in place of a port.
    #[error("{0:?} is not a port")]
    Port(String),
    /// The text in place of a host.
    #[error("{0:?} is not a host")]
    Host(String),
}

impl AddressError {
    /// Returns the allowed form, for error messages.
    pub const fn allowed(&self) -> &'static str {
        match self {
            AddressError::Port(_) => "a port from 1 to 65535",
            AddressError::Host(_) => "HOST, HOST:PORT, an address, or [IPv6 ADDRESS]:PORT",
        }
    }
}

impl Address {
    /// Reads `HOST[:PORT]`. An IPv6 address with a port stands in brackets.
    ///
    /// # Errors
    ///
    /// Returns [`AddressError`] if the host or the port is invalid.
    pub fn parse(text: &str, default_port: u16) -> Result<Address, AddressError> {
        let (name, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, "")) => (name, None),
            Some((name, port)) => (name, Some(port.strip_prefix(':').unwrap_or(""))),
            // Several colons: an IPv6 address without a port.
            None if text.matches(':').count() > 1 => (text, None),
            None => text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port))),
        };
        let port = match port.map(str::parse) {
            None => default_port,
            Some(Ok(port)) if port > 0 => port,
            Some(_) => return Err(AddressError::Port(port.unwrap_or_default().to_owned())),
        };
        let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '[');
        match is_name && (!name.contains(':') || name.parse::<IpAddr>().is_ok()) {
            true => Ok(Address { name: name.to_owned(), port }),
            false => Err(AddressError::Host(text.to_owned())),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.contains(':') {
            true => write!(f, "[{}]:{}", self.name, self.port),
            false => write!(f, "{}:{}", self.name, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_host_and_a_default_port() {
        for (text, name, port) in [
            ("node1", "node1", 18),
            ("node1:7000", "node1", 7000),
            ("10.0.0.1:1", "10.0.0.1", 1),
            ("::1", "::1", 18),
            ("[::1]", "::1", 18),
            ("[fe80::1]:65535", "fe80::1", 65535),
        ] {
            assert_eq!(
                Address::parse(text, 18).unwrap(),
                Address { name: name.into(), port },
                "{text}"
            );
        }
        for text in
            ["", ":7000", "a b", "node1:", "node1:0", "node1:65536", "[::1]7", "[a:b]", "a:b:c"]
        {
            assert!(Address::parse(text, 18).is_err(), "{text}");
        }
        assert_eq!(Address::parse("[::1]:7", 18).unwrap().to_string(), "[::1]:7");
    }
}
