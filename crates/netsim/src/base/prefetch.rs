//! [`prefetch`]: what will be asked for soon.

/// Has a value (the cache line where it begins) fetched into the nearest cache, without waiting for it. No effect on
/// processors for which this is not known.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
