//! [`ones`]: what a set in a word holds.

/// The members of a set, a bit each, in order.
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
    fn come_in_order() {
        assert!(ones(1 << 63 | 0b1010).eq([1, 3, 63]));
        assert!(ones(u64::MAX).eq(0..64));
        assert_eq!(ones(0).next(), None);
    }
}
