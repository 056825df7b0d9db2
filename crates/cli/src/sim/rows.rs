//! A line for each flow, as CSV.

use crate::output::Stream;
use bandwise_scenario::network::FlowRecord;
use bandwise_units::Time;
use std::fmt::Write;

/// Writes lines, and keeps what went wrong until somebody asks.
pub(super) struct FlowRows {
    to: Option<Stream>,
    line: String,
    failed: Option<anyhow::Error>,
}

impl FlowRows {
    pub(super) fn begin(to: Option<Stream>) -> Self {
        let mut rows = FlowRows { to, line: String::new(), failed: None };
        rows.line += "flow,start_ns,src,dst,bytes,fct_ns,slowdown\n";
        rows.write();
        rows
    }

    /// Adds a flow.
    pub(super) fn add(&mut self, flow: &FlowRecord) {
        if self.to.is_none() {
            return;
        }
        let FlowRecord { number, start, src, dst, bytes, completion_time, .. } = *flow;
        let (start, took) = (Ns(start), Ns(completion_time));
        let slowdown = flow.slowdown();
        let line = &mut self.line;
        writeln!(line, "{number},{start},{src},{dst},{bytes},{took},{slowdown:.6}")
            .expect("a String takes anything");
        self.write();
    }

    /// Whether there is no point in going on.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// That was all.
    pub(super) fn finish(self) -> Result<(), crate::failure::Failure> {
        match (self.failed, self.to) {
            (Some(error), _) => Err(error.into()),
            (None, Some(to)) => to.finish(),
            (None, None) => Ok(()),
        }
    }

    fn write(&mut self) {
        if let (Some(to), None) = (&mut self.to, &self.failed) {
            self.failed = to.write(&self.line).err();
        }
        self.line.clear();
    }
}

/// A time in nanoseconds, exact, with decimals where it is no whole number of them.
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
