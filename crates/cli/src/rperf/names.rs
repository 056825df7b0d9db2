//! Errors for names that several hosts of a fabric file share.

use crate::failure::Failure;
use bandwise_input::Source;
use bandwise_topology::Fabric;
use std::ops::Range;

/// The most names that an error lists.
const LISTED: usize = 20;

/// Refuses a name that is not unique because several hosts of `file` have it as their description.
/// The error lists the names of these hosts. `at` is the place of the name in `flags`.
pub(super) fn check(
    file: &Source,
    fabric: &Fabric,
    flags: &Source,
    wanted: &str,
    at: Range<usize>,
) -> Result<(), Failure> {
    if fabric.find(wanted).is_some() {
        return Ok(());
    }
    let is_host = |id: &&str| fabric.find(id).is_some_and(|node| !fabric.is_switch(node));
    let described = file.text.lines().filter_map(host_line).filter(|(_, d)| *d == wanted);
    let ids: Vec<&str> = described.map(|(id, _)| id).filter(is_host).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> = ids.iter().take(LISTED).map(|id| format!("{id:?}")).collect();
    if ids.len() > LISTED {
        names.push("…".to_owned());
    }
    let message = format!(
        "there is no host {wanted:?}: {} have this description and need their ids",
        if ids.len() == 1 { "several nodes".to_owned() } else { format!("{} hosts", ids.len()) }
    );
    Err(flags.error(at, message).allowed(names.join(", ")).into())
}

/// Returns the id and the description of a line such as `Ca 1 "H-0002c903000b0005" # "node5"`, as
/// in both ibnetdiscover and ibsim.
fn host_line(line: &str) -> Option<(&str, &str)> {
    let rest = ["Ca", "Hca", "Rt"].iter().find_map(|keyword| line.strip_prefix(keyword))?;
    let (before, rest) = rest.split_once('"')?;
    let is_count = |c: char| c.is_ascii_digit() || c.is_whitespace();
    let (id, rest) = rest.split_once('"').filter(|_| before.chars().all(is_count))?;
    let comment = rest.trim().strip_prefix('#')?.trim();
    let quoted = comment.strip_prefix('"').and_then(|c| c.rsplit_once('"'));
    Some((id, quoted.map_or(comment, |(description, _)| description).trim()))
}

#[cfg(test)]
mod tests {
    use super::host_line;

    #[test]
    fn lines_of_hosts_have_an_id_and_a_description() {
        let line = "Ca\t1 \"H-0002c903000b0005\"\t\t# \"twin \"A\" HCA-1\"";
        assert_eq!(host_line(line), Some(("H-0002c903000b0005", "twin \"A\" HCA-1")));
        assert_eq!(host_line("Hca 2 \"node01\" # twin"), Some(("node01", "twin")));
        assert_eq!(host_line("Switch 8 \"leaf\" # \"twin\""), None);
        assert_eq!(host_line("Ca 1 \"node01\""), None);
        assert_eq!(host_line("[1] \"H-0002c903000b0005\"[1]"), None);
    }
}
