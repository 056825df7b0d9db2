//! [`Ns`].

use bandwise_units::Time;

/// A time that is shown exactly in nanoseconds, with decimals for picoseconds.
pub(super) struct Ns(pub(super) Time);

impl std::fmt::Display for Ns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ns, ps) = (self.0.as_ps() / 1_000, self.0.as_ps() % 1_000);
        match ps {
            0 => write!(f, "{ns}"),
            _ => write!(f, "{ns}.{}", format!("{ps:03}").trim_end_matches('0')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_are_exact() {
        let text = |ps| Ns(Time::from_ps(ps)).to_string();
        assert_eq!([text(0), text(1_000), text(1_050), text(7)], ["0", "1", "1.05", "0.007"]);
    }
}
