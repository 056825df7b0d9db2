//! [`Place`]: where a controller is.

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
}

/// What is no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a controller at {0:?} (allowed: \"unix:PATH\" or \"http://HOST:PORT\")")]
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
            Place::Tcp(host) => Place::Tcp(host),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
            Place::Tcp(host) => write!(f, "http://{host}"),
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
        let rest = text.strip_prefix("http://").ok_or_else(no_place)?;
        let host = rest.strip_suffix('/').unwrap_or(rest);
        let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
        let is_host = |host: &str| !host.is_empty() && !host.contains(['/', '@', ' ', '\r', '\n']);
        match host.rsplit_once(':') {
            Some((name, port)) if is_host(name) && is_port(port) => Ok(Place::Tcp(host.to_owned())),
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
        for wrong in ["", "unix:", "c:7470", "http://c", "http://c:0", "http://:1", "http://a/b:1"]
        {
            let said = wrong.parse::<Place>().unwrap_err().to_string();
            assert!(said.contains("allowed"), "{said}");
        }
    }
}
