//! Search for circular waits among items that wait for each other.

/// Returns the members of one circular wait among `count` items, in the order in which they wait
/// for each other.
///
/// `waits_for(item, stuck)` returns another stuck item that `item` needs before it can proceed, or
/// `None` if it can proceed. `stuck` marks the items not yet known to be free. Free items are
/// removed until the remaining ones only wait for each other: those can never proceed.
pub(crate) fn circular_wait(
    count: usize,
    waits_for: impl Fn(usize, &[bool]) -> Option<usize>,
) -> Option<Vec<usize>> {
    let mut stuck = vec![true; count];
    loop {
        let free: Vec<usize> =
            (0..count).filter(|&i| stuck[i] && waits_for(i, &stuck).is_none()).collect();
        if free.is_empty() {
            break;
        }
        free.into_iter().for_each(|i| stuck[i] = false);
    }
    let mut path = vec![stuck.iter().position(|&stuck| stuck)?];
    loop {
        // Every remaining item waits for a remaining item, so the walk ends in a cycle.
        let next = waits_for(path[path.len() - 1], &stuck)?;
        if let Some(start) = path.iter().position(|&seen| seen == next) {
            return Some(path.split_off(start));
        }
        path.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oracle: an item with a single dependency is stuck if and only if its chain ends in a
    /// cycle.
    #[test]
    fn finds_cycles_and_ignores_items_outside() {
        let circle_of = |waits: &[Option<usize>]| {
            circular_wait(waits.len(), |i, stuck| waits[i].filter(|&next| stuck[next]))
        };
        assert_eq!(circle_of(&[Some(1), Some(2), None]), None);
        assert_eq!(circle_of(&[Some(1), Some(2), Some(3), Some(1)]), Some(vec![1, 2, 3]));
        assert_eq!(circle_of(&[None, Some(0), Some(2)]), Some(vec![2]));
        assert_eq!(circle_of(&[]), None);
    }
}
