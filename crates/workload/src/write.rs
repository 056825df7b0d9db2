//! Writers of flow lists and coflow traces: the inverse of [`read::flows`](crate::read::flows) and
//! [`read::coflows`](crate::read::coflows).

use crate::{CoflowTrace, Flow};
use std::fmt;

/// The first line of a flow list, without its line end.
pub const HEADER: &str = "start_ns,src,dst,bytes";

/// The first line of a flow list with traffic classes, without its line end.
pub const HEADER_WITH_PRIORITY: &str = "start_ns,src,dst,bytes,priority";

/// Writes the first line of a list.
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn header(out: &mut impl fmt::Write) -> fmt::Result {
    writeln!(out, "{HEADER}")
}

/// Writes the line of one flow. The start has decimals if it is no whole number of nanoseconds.
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn flow(out: &mut impl fmt::Write, flow: &Flow) -> fmt::Result {
    let Flow { start, src, dst, bytes } = *flow;
    let (ns, ps) = (start.as_ps() / 1_000, start.as_ps() % 1_000);
    write!(out, "{ns}")?;
    if ps != 0 {
        write!(out, ".{}", format!("{ps:03}").trim_end_matches('0'))?;
    }
    writeln!(out, ",{src},{dst},{bytes}")
}

/// Returns a whole list.
pub fn flows<'a>(flows: impl IntoIterator<Item = &'a Flow>) -> String {
    let mut list = String::new();
    header(&mut list).expect("a String takes anything");
    for each in flows {
        flow(&mut list, each).expect("a String takes anything");
    }
    list
}

/// Returns a coflow trace with ports from 0. Sizes are rounded to millionths of a megabyte of 2^20
/// bytes, about a byte; arrivals are exact.
pub fn coflows(trace: &CoflowTrace) -> String {
    let mut text = format!("{} {}\n", trace.ports, trace.coflows.len());
    for coflow in &trace.coflows {
        let (ms, ps) =
            (coflow.arrival.as_ps() / 1_000_000_000, coflow.arrival.as_ps() % 1_000_000_000);
        text += &format!("{} {ms}", coflow.id);
        if ps != 0 {
            text += &format!(".{}", format!("{ps:09}").trim_end_matches('0'));
        }
        text += &format!(" {}", coflow.mappers.len());
        coflow.mappers.iter().for_each(|port| text += &format!(" {port}"));
        text += &format!(" {}", coflow.reducers.len());
        for (port, bytes) in &coflow.reducers {
            let micros = (u128::from(bytes.get()) * 1_000_000 + (1 << 19)) >> 20;
            let decimals = format!("{:06}", micros % 1_000_000);
            let decimals = decimals.trim_end_matches('0');
            let decimals = if decimals.is_empty() { "0" } else { decimals };
            text += &format!(" {port}:{}.{decimals}", micros / 1_000_000);
        }
        text.push('\n');
    }
    text
}
