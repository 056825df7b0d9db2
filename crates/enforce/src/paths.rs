//! The ports on the shortest paths between two hosts.

use std::collections::{BTreeMap, VecDeque};

/// Returns the indices of all links on any shortest path; none if there is no path.
pub(crate) fn shortest<'a>(links: &[(&'a str, &'a str)], from: &str, to: &str) -> Vec<usize> {
    let outwards = distances(links.iter().copied(), from);
    let inwards = distances(links.iter().map(|&(a, b)| (b, a)), to);
    let Some(length) = outwards.get(to) else { return Vec::new() };
    let is_on_one = |&(a, b): &(&str, &str)| match (outwards.get(a), inwards.get(b)) {
        (Some(before), Some(after)) => before + 1 + after == *length,
        _ => false,
    };
    (0..links.len()).filter(|&i| is_on_one(&links[i])).collect()
}

/// Returns the distance of each node that can be reached, in links.
fn distances<'a>(
    links: impl Iterator<Item = (&'a str, &'a str)>,
    from: &str,
) -> BTreeMap<&'a str, u32> {
    let mut next: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
    let mut start = None;
    for (a, b) in links {
        next.entry(a).or_default().push(b);
        start = start.or([a, b].into_iter().find(|&node| node == from));
    }
    let mut away = BTreeMap::from_iter(start.map(|node| (node, 0)));
    let mut queue = VecDeque::from_iter(start);
    while let Some(node) = queue.pop_front() {
        let beyond = away[node] + 1;
        for &other in next.get(node).into_iter().flatten() {
            if !away.contains_key(other) {
                away.insert(other, beyond);
                queue.push_back(other);
            }
        }
    }
    away
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shortest_paths_are_found_without_detours() {
        // Two leaves below two spines, and a longer path.
        let links = [
            ("a", "l1"),
            ("l1", "s1"),
            ("l1", "s2"),
            ("s1", "l2"),
            ("s2", "l2"),
            ("l2", "b"),
            ("l1", "x"),
            ("x", "y"),
            ("y", "l2"),
            ("b", "l2"),
            ("l2", "s1"),
            ("s1", "l1"),
            ("l1", "a"),
        ];
        assert_eq!(shortest(&links, "a", "b"), [0, 1, 2, 3, 4, 5]);
        assert_eq!(shortest(&links, "b", "a"), [9, 10, 11, 12]);
        assert!(shortest(&links, "a", "nobody").is_empty());
        assert!(shortest(&links, "a", "a").is_empty());
    }
}
