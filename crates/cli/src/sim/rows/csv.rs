//! Rows as lines of CSV.

use crate::failure::Failure;
use crate::output::Stream;
use crate::sim::nanoseconds::Ns;
use bandwise_scenario::ethernet::FlowRecord;
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
