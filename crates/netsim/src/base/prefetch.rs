//! [`prefetch`]: a cache hint for values needed soon.

/// Fetches the cache line where a value begins into the nearest cache, without waiting for it. Does
/// nothing on processors other than x86-64.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
