//! Names that the paper gives to compared cases.

/// The three metrics (4.1) of most findings.
pub(super) const THREE: [&str; 3] = [SLOWDOWN, FCT, TAIL];
pub(super) const SLOWDOWN: &str = "average slowdown";
pub(super) const FCT: &str = "average FCT";
pub(super) const TAIL: &str = "99% FCT";
/// Completion time of the requests of an incast.
pub(super) const RCT: &str = "RCT";

pub(super) const NONE: &str = "none";
/// The congestion controls: none, and the two of section 4.2.4.
pub(super) const CONTROLS: [&str; 3] = [NONE, "Timely", "DCQCN"];
/// The tables, whose files have the same names.
pub(super) const TABLES: [&str; 7] =
    ["table3", "table4", "table5", "table6", "table7", "table8", "table9"];

/// Returns the name of a transport with a congestion control: `IRN+PFC+Timely`.
pub(super) fn with(transport: &str, control: &str) -> String {
    match control {
        NONE => transport.to_owned(),
        control => format!("{transport}+{control}"),
    }
}

/// Returns the name of a comparison of two transports.
pub(super) fn over(one: &str, other: &str) -> String {
    format!("{one} over {other}")
}

/// Returns whether a case is a cell of a table that compares two transports.
pub(super) fn is_ratio(case: &str) -> bool {
    case.contains("IRN") && case.contains(" over ") && !case.contains(':')
}
