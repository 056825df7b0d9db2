//! [`Endpoint`]: the address of a controller.

use crate::tls::name_of;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// The address of a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A Unix socket.
    Unix(PathBuf),
    /// A host and a port, without encryption: for loopback and trusted networks.
    Tcp(String),
    /// A host and a port with TLS. The controller's certificate has to be valid for the host.
    Tls(String),
}

/// An invalid endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a controller at {0:?} (allowed: \"unix:PATH\", \"http://HOST:PORT\" or \"https://HOST:PORT\")"
)]
pub struct InvalidEndpoint(String);

impl Endpoint {
    /// Returns whether others on the network can read what is sent to it: it is neither encrypted nor for this machine.
    pub fn is_exposed(&self) -> bool {
        let Endpoint::Tcp(place) = self else { return false };
        let host = place.rsplit_once(':').map_or(&**place, |(host, _)| host);
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        host != "localhost" && !address.is_ok_and(|address| address.is_loopback())
    }
}

impl Default for Endpoint {
    /// Returns the default socket of a controller.
    fn default() -> Self {
        Endpoint::Unix("/run/bandwise/controller.sock".into())
    }
}

impl Endpoint {
    /// Returns the endpoint with an absolute path, independent of the working directory.
    pub fn absolute(self) -> Endpoint {
        match self {
            Endpoint::Unix(path) => Endpoint::Unix(std::path::absolute(&path).unwrap_or(path)),
            there => there,
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Unix(path) => write!(f, "unix:{}", path.display()),
            Endpoint::Tcp(host) => write!(f, "http://{host}"),
            Endpoint::Tls(host) => write!(f, "https://{host}"),
        }
    }
}

impl FromStr for Endpoint {
    type Err = InvalidEndpoint;

    fn from_str(text: &str) -> Result<Self, InvalidEndpoint> {
        let invalid = || InvalidEndpoint(text.to_owned());
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Endpoint::Unix(path.into()));
        }
        let (kind, rest) = text.split_once("://").ok_or_else(invalid)?;
        let host = rest.strip_suffix('/').unwrap_or(rest);
        let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
        let is_host = |host: &str| !host.is_empty() && !host.contains(['/', '@', ' ', '\r', '\n']);
        match host.rsplit_once(':') {
            Some((name, port)) if is_host(name) && is_port(port) => match kind {
                "http" => Ok(Endpoint::Tcp(host.to_owned())),
                "https" if name_of(host).is_some() => Ok(Endpoint::Tls(host.to_owned())),
                _ => Err(invalid()),
            },
            _ => Err(invalid()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_sockets_or_addresses() {
        assert_eq!("unix:/a b".parse(), Ok(Endpoint::Unix("/a b".into())));
        assert_eq!("http://c:7470/".parse(), Ok(Endpoint::Tcp("c:7470".into())));
        assert_eq!("http://[::1]:7470".parse(), Ok(Endpoint::Tcp("[::1]:7470".into())));
        assert_eq!("https://[::1]:7470".parse(), Ok(Endpoint::Tls("[::1]:7470".into())));
        assert_eq!("https://c1:7470/".parse(), Ok(Endpoint::Tls("c1:7470".into())));
        for wrong in [
            "",
            "unix:",
            "c:7470",
            "http://c",
            "http://c:0",
            "http://:1",
            "http://a/b:1",
            "ftp://c:1",
            "https://c",
            "https://-c-:1",
            "https://[::g]:1",
        ] {
            let message = wrong.parse::<Endpoint>().unwrap_err().to_string();
            assert!(message.contains("allowed"), "{message}");
        }
    }
}
