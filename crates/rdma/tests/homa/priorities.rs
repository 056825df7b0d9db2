//! Priorities of messages (Homa 3.4).

use bandwise_rdma::homa::{LEVELS, Priorities, PrioritiesError};
use bandwise_units::Bytes;
use proptest::prelude::*;

const fn bytes(bytes: u64) -> Bytes {
    Bytes::new(bytes)
}

#[test]
fn short_messages_have_the_highest_priority() {
    let priorities = Priorities::new(5, vec![bytes(100), bytes(2_000)]).unwrap();
    let of = [1, 100, 101, 2_000, 2_001, 1 << 40].map(|size| priorities.unscheduled(bytes(size)));
    assert_eq!(of, [7, 7, 6, 6, 5, 5]);
    assert_eq!((priorities.control(), priorities.scheduled(), priorities.count()), (7, 5, 8));
}

#[test]
fn unavailable_priorities_are_refused() {
    assert_eq!(Priorities::new(0, vec![]), Err(PrioritiesError::NoneScheduled));
    assert_eq!(Priorities::new(7, vec![bytes(1)]), Err(PrioritiesError::TooMany(9)));
    let order = Priorities::new(1, vec![bytes(5), bytes(5)]);
    assert_eq!(order.unwrap_err().to_string(), "cutoffs are in the wrong order: 5 B after 5 B");
}

#[test]
fn levels_are_shared_by_bytes() {
    // 10 KB of each 10 KB, and of each 40 KB: all bytes, and a quarter.
    let levels = |size| Priorities::unscheduled_levels(&[(bytes(size), 1.0)], bytes(10_000), 8);
    assert_eq!([levels(10_000), levels(20_000), levels(40_000), levels(1 << 30)], [7, 4, 2, 1]);
    // Nine messages of 1 KB and one of 31 KB: 19 KB of 40 KB are unscheduled.
    let mixed = [(bytes(1_000), 0.9), (bytes(31_000), 0.1)];
    assert_eq!(Priorities::unscheduled_levels(&mixed, bytes(10_000), 8), 4);
    // The nine alone have 9 KB of 19 KB, more than each of the other three would.
    assert_eq!(Priorities::balanced_cutoffs(&mixed, bytes(10_000), 4), [bytes(1_000)]);
    assert_eq!(Priorities::balanced_cutoffs(&mixed, bytes(10_000), 1), []);
    // A few short messages are separate from many long ones, even with less than a share.
    let few = [(bytes(1_000), 1.0), (bytes(9_000), 8.0)];
    assert_eq!(Priorities::balanced_cutoffs(&few, bytes(10_000), 4), [bytes(1_000)]);
    assert_eq!(Priorities::balanced_cutoffs(&[(bytes(7), 1.0)], bytes(10_000), 4), []);
}

proptest! {
    /// With many sizes, each priority carries the same unscheduled bytes, within one message of the
    /// largest size.
    #[test]
    fn each_priority_carries_as_much(
        sizes in prop::collection::btree_set(1u64..1_000_000, 200..400),
        unscheduled in 1_000u64..200_000, priorities in 1u8..LEVELS,
    ) {
        let sizes: Vec<(Bytes, f64)> = sizes.into_iter().map(|size| (bytes(size), 1.0)).collect();
        let cutoffs = Priorities::balanced_cutoffs(&sizes, bytes(unscheduled), priorities);
        prop_assert_eq!(cutoffs.len() + 1, usize::from(priorities));
        let split = Priorities::new(LEVELS - priorities, cutoffs).unwrap();
        let mut carried = vec![0; usize::from(LEVELS)];
        for (size, _) in &sizes {
            carried[usize::from(split.unscheduled(*size))] += size.get().min(unscheduled);
        }
        let all: u64 = carried.iter().sum();
        let share = all / u64::from(priorities);
        for carried in &carried[usize::from(LEVELS - priorities)..] {
            prop_assert!(carried.abs_diff(share) <= 2 * unscheduled, "{} {}", carried, share);
        }
    }
}
