//! Lookup of hosts and other nodes by name, with suggestions for unknown names.

use bandwise_input::{InputError, Source};
use bandwise_topology::{Fabric, NodeId, adapters};
use toml::Spanned;

/// Most names that an error lists.
const LISTED: usize = 5;

/// Returns the rank of the host of that name, or else the mistake and the allowed values. The name
/// of a server stands for its adapter if it has one.
pub(crate) fn host(fabric: &Fabric, name: &str) -> Result<usize, (String, String)> {
    let message = match fabric.find(name) {
        Some(node) if !fabric.is_switch(node) => return Ok(fabric.rank(node)),
        Some(_) => format!("{name:?} is a switch, not a host"),
        None => match &adapters::of_server(fabric, name)[..] {
            [] => format!("there is no host {name:?}"),
            [one] => return Ok(fabric.rank(*one)),
            several => {
                let message = format!("{name:?} has {} adapters", several.len());
                return Err((message, suggestion("hosts", names_of(fabric, several.iter()), "")));
            }
        },
    };
    let allowed = suggestion("hosts", names_of(fabric, fabric.hosts().iter()), name);
    Err((message, allowed))
}

/// Returns the rank of a host that a file names.
pub(crate) fn find(
    source: &Source,
    fabric: &Fabric,
    name: &Spanned<String>,
) -> Result<usize, InputError> {
    host(fabric, name.get_ref())
        .map_err(|(message, allowed)| source.error(name.span(), message).allowed(allowed))
}

/// Returns the node of that name. The name of a server stands for its adapter if it has one.
pub(crate) fn find_node(
    source: &Source,
    fabric: &Fabric,
    name: &Spanned<String>,
) -> Result<NodeId, InputError> {
    adapters::find(fabric, name.get_ref()).ok_or_else(|| {
        let several = adapters::of_server(fabric, name.get_ref());
        if !several.is_empty() {
            let message = format!("{:?} has {} adapters", name.get_ref(), several.len());
            let allowed = suggestion("hosts", names_of(fabric, several.iter()), "");
            return source.error(name.span(), message).allowed(allowed);
        }
        let message = format!("there is no node {:?}", name.get_ref());
        let nodes = fabric.switches().iter().chain(fabric.hosts());
        let allowed = suggestion("nodes", names_of(fabric, nodes), name.get_ref());
        source.error(name.span(), message).allowed(allowed)
    })
}

fn names_of<'a>(
    fabric: &'a Fabric,
    nodes: impl Iterator<Item = &'a NodeId> + Clone,
) -> impl Iterator<Item = &'a str> + Clone {
    nodes.map(|&node| fabric.node(node).name.as_str())
}

/// Returns text with the nearest or the first of some names, which name things called `what`.
pub(crate) fn suggestion<'a>(
    what: &str,
    names: impl Iterator<Item = &'a str> + Clone,
    wanted: &str,
) -> String {
    let names = || names.clone();
    // Names that begin with the wanted one are as near as the name itself.
    let near = |name| if begins_with(name, wanted) { Some(0) } else { distance(wanted, name) };
    let mut near: Vec<(usize, &str)> =
        names().filter_map(|name| Some((near(name)?, name))).collect();
    near.sort_by_key(|&(distance, _)| distance);
    let quote = |name: &str| format!("{name:?}");
    let total = names().count();
    if near.is_empty() || total <= LISTED {
        let few: Vec<String> = names().take(LISTED).map(quote).collect();
        let more = if total > LISTED { ", …" } else { "" };
        return format!("one of {total} {what}: {}{more}", few.join(", "));
    }
    let few: Vec<String> = near.iter().take(LISTED).map(|&(_, name)| quote(name)).collect();
    let are = if few.len() == 1 { "is" } else { "are" };
    format!("one of {total} {what}; near {are} {}", few.join(", "))
}

/// Returns whether a name begins with a text that is not empty. Ignores case.
fn begins_with(name: &str, text: &str) -> bool {
    let start = name.get(..text.len());
    !text.is_empty() && start.is_some_and(|start| start.eq_ignore_ascii_case(text))
}

/// Returns the edit distance of two names, if it is small enough for a typing error: at most 2, and
/// less than the length of either name. Ignores case.
fn distance(a: &str, b: &str) -> Option<usize> {
    const SLIPS: usize = 2;
    let fold = |s: &str| s.to_lowercase().chars().collect::<Vec<char>>();
    let (a, b) = (fold(a), fold(b));
    if a.len().abs_diff(b.len()) > SLIPS {
        return None;
    }
    // The table of Levenshtein's algorithm, row by row.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    let slips = row[b.len()];
    (slips <= SLIPS && slips < a.len().min(b.len())).then_some(slips)
}

/// Returns the number of a port that the node has.
pub(crate) fn port(
    source: &Source,
    fabric: &Fabric,
    node: NodeId,
    given: &Spanned<u64>,
) -> Result<u16, InputError> {
    let (number, count) = (*given.get_ref(), fabric.port_count(node));
    let port = u16::try_from(number).ok().filter(|port| (1..=count).contains(port));
    port.ok_or_else(|| {
        let message = format!("{:?} has no port {number}", fabric.node(node).name);
        let allowed = if count == 1 { "1".to_owned() } else { format!("1 to {count}") };
        source.error(given.span(), message).allowed(allowed)
    })
}

#[cfg(test)]
mod tests {
    use super::{distance, suggestion};

    #[test]
    fn names_that_begin_alike_are_suggested() {
        let names = ["a1", "a2", "a3", "b1 mlx5_0", "B1 mlx5_1", "c1", "c2"];
        let text = suggestion("hosts", names.into_iter(), "b1");
        assert!(
            text.starts_with("one of 7 hosts; near are \"b1 mlx5_0\", \"B1 mlx5_1\""),
            "{text}"
        );
    }

    #[test]
    fn edit_distance_is_small_for_typing_errors() {
        assert_eq!(distance("node01", "node02"), Some(1));
        assert_eq!(distance("NODE01", "node01"), Some(0));
        assert_eq!(distance("noed01", "node01"), Some(2));
        assert_eq!(distance("nod01", "node01"), Some(1));
        assert_eq!(distance("h1", "h2"), Some(1));
        assert_eq!(distance("h", "x"), None);
        assert_eq!(distance("node01", "edge01"), None);
        assert_eq!(distance("a", "abcd"), None);
    }
}
