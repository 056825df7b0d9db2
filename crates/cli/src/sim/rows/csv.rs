//! Rows as lines of CSV.

use crate::failure::Failure;
use crate::output::Stream;
use bandwise_scenario::ethernet::FlowRecord;
use bandwise_units::Time;
use std::fmt::Write;

/// A file of lines.
pub(super) struct Rows {
    to: Stream,
    line: String,
}

impl Rows {
    pub(super) fn begin(mut to: Stream) -> anyhow::Result<Self> {
        to.write("flow,start_ns,src,dst,bytes,fct_ns,slowdown\n")?;
        Ok(Rows { to, line: String::new() })
    }

    pub(super) fn add(&mut self, flow: &FlowRecord) -> anyhow::Result<()> {
        let FlowRecord { number, start, src, dst, bytes, completion_time, .. } = *flow;
        let (start, took) = (Ns(start), Ns(completion_time));
        let slowdown = flow.slowdown();
        self.line.clear();
        writeln!(self.line, "{number},{start},{src},{dst},{bytes},{took},{slowdown:.6}")
            .expect("a String takes anything");
        self.to.write(&self.line)
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        self.to.finish()
    }
}

/// A time in nanoseconds, exact, with decimals where it is no whole number of them.
pub(in crate::sim) struct Ns(pub(in crate::sim) Time);

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
