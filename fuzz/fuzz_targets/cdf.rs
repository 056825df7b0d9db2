//! Fuzzes the reader of size distributions. Shares, quantiles and the mean of a distribution agree.
#![no_main]

use bandwise_input::Source;
use bandwise_units::Bytes;
use bandwise_workload::{MAX_FLOW, SizeDistribution, Spread, read};
use libfuzzer_sys::fuzz_target;

fn check(sizes: &SizeDistribution) {
    let (least, most) = (sizes.least(), sizes.most());
    assert!(Bytes::ZERO < least && least <= most && most <= MAX_FLOW);
    assert_eq!((sizes.quantile(1.0), sizes.share_up_to(most)), (most, 1.0));
    // But for rounding, which is relative to the largest size.
    let slack = 1e-9 * most.get() as f64;
    let range = least.get() as f64 - slack..=most.get() as f64 + slack;
    assert!(range.contains(&sizes.mean()), "{} {least} {most}", sizes.mean());
    let mut last = Bytes::ZERO;
    for share in (1..=100).map(|percent| f64::from(percent) / 100.0) {
        let size = sizes.quantile(share);
        assert!(last <= size && size <= most, "{share}");
        assert!(sizes.share_up_to(size) >= share - 1e-9, "{share} {size}");
        last = size;
    }
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for spread in [Spread::Uniform, Spread::LogUniform] {
        match read::cdf(&Source::new("fuzz", &text), spread, Bytes::new(1)) {
            Ok(sizes) => check(&sizes),
            Err(error) => {
                assert!(error.line() <= text.lines().count().max(1) + 1, "{error}");
                assert!(!error.message().is_empty());
            }
        }
    }
});
