//! [`Place`]: where a controller is.

use crate::tls::name_of;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a controller is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A socket in the file system.
    Unix(PathBuf),
    /// A host and a port. What is said can be read on the way: for loopback, and networks where nobody listens.
    Tcp(String),
    /// The same with TLS: nobody reads what is said, and it is the controller that hears it. Its certificate has to be
    /// for this host.
    Tls(String),
}

/// What is no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a controller at {0:?} (allowed: \"unix:PATH\", \"http://HOST:PORT\" or \"https://HOST:PORT\")"
)]
pub struct NoPlace(String);

impl Default for Place {
    /// Where a controller is whose settings don't say it.
    fn default() -> Self {
        Place::Unix("/run/bandwise/controller.sock".into())
    }
}

impl Place {
    /// The same from wherever a program goes.
    pub fn absolute(self) -> Place {
        match self {
            Place::Unix(path) => Place::Unix(std::path::absolute(&path).unwrap_or(path)),
            there => there,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
            Place::Tcp(host) => write!(f, "http://{host}"),
            Place::Tls(host) => write!(f, "https://{host}"),
        }
    }
}

impl FromStr for Place {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let no_place = || NoPlace(text.to_owned());
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Place::Unix(path.into()));
        }
        let (kind, rest) = text.split_once("://").ok_or_else(no_place)?;
        let host = rest.strip_suffix('/').unwrap_or(rest);
        let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
        let is_host = |host: &str| !host.is_empty() && !host.contains(['/', '@', ' ', '\r', '\n']);
        match host.rsplit_once(':') {
            Some((name, port)) if is_host(name) && is_port(port) => match kind {
                "http" => Ok(Place::Tcp(host.to_owned())),
                "https" if name_of(host).is_some() => Ok(Place::Tls(host.to_owned())),
                _ => Err(no_place()),
            },
            _ => Err(no_place()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_sockets_and_ports() {
        assert_eq!("unix:/a b".parse(), Ok(Place::Unix("/a b".into())));
        assert_eq!("http://c:7470/".parse(), Ok(Place::Tcp("c:7470".into())));
        assert_eq!("http://[::1]:7470".parse(), Ok(Place::Tcp("[::1]:7470".into())));
        assert_eq!("https://[::1]:7470".parse(), Ok(Place::Tls("[::1]:7470".into())));
        assert_eq!("https://c1:7470/".parse(), Ok(Place::Tls("c1:7470".into())));
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
            let said = wrong.parse::<Place>().unwrap_err().to_string();
            assert!(said.contains("allowed"), "{said}");
        }
    }
}
