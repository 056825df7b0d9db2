//! [`ones`]: iteration over the members of a bit set.

/// Returns the numbers of the bits set in `set`, lowest first.
#[inline]
pub(crate) fn ones(set: u64) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let first = (rest != 0).then(|| rest.trailing_zeros() as usize);
        rest &= rest.wrapping_sub(1);
        first
    })
}

#[cfg(test)]
mod tests {
    use super::ones;

    #[test]
    fn ones_are_in_ascending_order() {
        assert!(ones(1 << 63 | 0b1010).eq([1, 3, 63]));
        assert!(ones(u64::MAX).eq(0..64));
        assert_eq!(ones(0).next(), None);
    }
}
