//! Finding what waits for each other for ever.

/// Of so many things that wait, those of one loop, in the order in which they wait for each other.
///
/// `waits_for` says which other thing one needs before it can go on, where `stuck` are those that
/// can't go on as far as is known; nothing if it can. All that can go on is struck out, until what
/// is left only waits for what is left: that never moves, at once and for certain.
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
        // All that is left waits for something that is left, so a loop must come.
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

    /// The oracle: who waits for one other thing alone is stuck if its way leads into a loop.
    #[test]
    fn loops_are_found_whatever_waits_for_them() {
        let circle_of = |waits: &[Option<usize>]| {
            circular_wait(waits.len(), |i, stuck| waits[i].filter(|&next| stuck[next]))
        };
        assert_eq!(circle_of(&[Some(1), Some(2), None]), None);
        assert_eq!(circle_of(&[Some(1), Some(2), Some(3), Some(1)]), Some(vec![1, 2, 3]));
        assert_eq!(circle_of(&[None, Some(0), Some(2)]), Some(vec![2]));
        assert_eq!(circle_of(&[]), None);
    }
}
