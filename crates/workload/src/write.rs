//! Writing flow lists: the inverse of [`read::flows`](crate::read::flows).

use crate::Flow;
use std::fmt;

/// The first line of a flow list, without its end.
pub const HEADER: &str = "start_ns,src,dst,bytes";

/// Writes the first line of a list.
pub fn header(out: &mut impl fmt::Write) -> fmt::Result {
    writeln!(out, "{HEADER}")
}

/// Writes the line of one flow. Its start has decimals where it is no whole number of nanoseconds.
pub fn flow(out: &mut impl fmt::Write, flow: &Flow) -> fmt::Result {
    let Flow { start, src, dst, bytes } = *flow;
    let (ns, ps) = (start.as_ps() / 1_000, start.as_ps() % 1_000);
    write!(out, "{ns}")?;
    if ps != 0 {
        write!(out, ".{}", format!("{ps:03}").trim_end_matches('0'))?;
    }
    writeln!(out, ",{src},{dst},{bytes}")
}

/// A whole list.
pub fn flows<'a>(flows: impl IntoIterator<Item = &'a Flow>) -> String {
    let mut list = String::new();
    header(&mut list).expect("a String takes anything");
    for each in flows {
        flow(&mut list, each).expect("a String takes anything");
    }
    list
}
