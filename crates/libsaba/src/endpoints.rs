//! [`Endpoints`]: the addresses of a controller's instances.

use crate::{Endpoint, InvalidEndpoint};
use std::fmt;
use std::str::FromStr;

/// The addresses of a controller's instances, at least one. Requests go to the first; if it does not answer, to the
/// next. All instances have to share one store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints(Vec<Endpoint>);

impl Default for Endpoints {
    /// Returns the default socket of a controller.
    fn default() -> Self {
        Endpoint::default().into()
    }
}

impl From<Endpoint> for Endpoints {
    fn from(endpoint: Endpoint) -> Self {
        Endpoints(vec![endpoint])
    }
}

impl Endpoints {
    /// Iterates over the endpoints in order.
    pub fn iter(&self) -> impl Iterator<Item = &Endpoint> {
        self.0.iter()
    }

    /// Returns the endpoints with absolute paths, independent of the working directory.
    pub fn absolute(self) -> Endpoints {
        Endpoints(self.0.into_iter().map(Endpoint::absolute).collect())
    }
}

impl fmt::Display for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, endpoint) in self.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{endpoint}")?;
        }
        Ok(())
    }
}

impl FromStr for Endpoints {
    type Err = InvalidEndpoint;

    /// Parses endpoints that are separated by commas, which paths must not contain.
    fn from_str(text: &str) -> Result<Self, InvalidEndpoint> {
        text.split(',').map(Endpoint::from_str).collect::<Result<_, _>>().map(Endpoints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_list_is_ordered_and_not_empty() {
        let text = "unix:/a b,http://c:7470,http://[::1]:7471";
        let endpoints: Endpoints = text.parse().unwrap();
        assert_eq!((endpoints.iter().count(), endpoints.to_string()), (3, text.to_owned()));
        assert_eq!("unix:/a".parse(), Ok(Endpoints::from(Endpoint::Unix("/a".into()))));
        for wrong in ["", ",", "unix:/a,", ",unix:/a", "unix:/a,c", "unix:/a, unix:/b"] {
            let message = wrong.parse::<Endpoints>().unwrap_err().to_string();
            assert!(message.contains("allowed"), "{message}");
        }
    }
}
