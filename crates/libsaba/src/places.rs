//! [`Places`]: where the instances of a controller are.

use crate::{NoPlace, Place};
use std::fmt;
use std::str::FromStr;

/// Where the instances of a controller are: one place at least. The first is spoken to; when it does not answer, the
/// next. They have to share one store, as those of a distributed controller do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places(Vec<Place>);

impl Default for Places {
    /// Where a controller is whose settings don't say it.
    fn default() -> Self {
        Place::default().into()
    }
}

impl From<Place> for Places {
    fn from(place: Place) -> Self {
        Places(vec![place])
    }
}

impl Places {
    /// Each, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Place> {
        self.0.iter()
    }

    /// The same from wherever a program goes.
    pub fn absolute(self) -> Places {
        Places(self.0.into_iter().map(Place::absolute).collect())
    }
}

impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, place) in self.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{place}")?;
        }
        Ok(())
    }
}

impl FromStr for Places {
    type Err = NoPlace;

    /// Several are separated by commas, which paths can't have therefore.
    fn from_str(text: &str) -> Result<Self, NoPlace> {
        text.split(',').map(Place::from_str).collect::<Result<_, _>>().map(Places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_are_read_in_order_and_none_is_no_place() {
        let text = "unix:/a b,http://c:7470,http://[::1]:7471";
        let places: Places = text.parse().unwrap();
        assert_eq!((places.iter().count(), places.to_string()), (3, text.to_owned()));
        assert_eq!("unix:/a".parse(), Ok(Places::from(Place::Unix("/a".into()))));
        for wrong in ["", ",", "unix:/a,", ",unix:/a", "unix:/a,c", "unix:/a, unix:/b"] {
            let said = wrong.parse::<Places>().unwrap_err().to_string();
            assert!(said.contains("allowed"), "{said}");
        }
    }
}
