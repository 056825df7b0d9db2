//! Addresses of servers: a host name or an IP address, and a port if it is not the default port.

use crate::values::{Refusal, refused};
use bandwise_agents::{Address, AddressError};
use std::net::{IpAddr, SocketAddr};

/// The default port of servers.
const USUAL: u16 = 18516;

/// Parses `HOST[:PORT]` of a server; an IPv6 address with a port needs brackets.
pub(super) fn host(text: &str) -> Result<Address, Refusal> {
    host_with(text, USUAL)
}

/// Parses `HOST[:PORT]`, with the default port `usual`.
pub(crate) fn host_with(text: &str, usual: u16) -> Result<Address, Refusal> {
    Address::parse(text, usual).or_else(|error| {
        let why = match &error {
            AddressError::Port(_) => Some(error.to_string()),
            // The message with the value is clear without a reason.
            AddressError::Host(_) => None,
        };
        refused(why, error.allowed())
    })
}

/// Parses `ADDRESS[:PORT]` of this host, for a server.
pub(super) fn listened(text: &str) -> Result<SocketAddr, Refusal> {
    listened_with(text, USUAL)
}

/// Parses `ADDRESS[:PORT]`, with the default port `usual`.
pub(crate) fn listened_with(text: &str, usual: u16) -> Result<SocketAddr, Refusal> {
    let address = text.parse::<IpAddr>().map(|address| SocketAddr::new(address, usual));
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
    fn listen_addresses_have_a_default_port() {
        assert_eq!(listened("0.0.0.0").unwrap().to_string(), format!("0.0.0.0:{USUAL}"));
        assert_eq!(listened("[::1]:7000").unwrap().to_string(), "[::1]:7000");
        assert_eq!(listened("127.0.0.1:0").unwrap().port(), 0);
        assert!(listened("localhost").is_err());
    }
}
