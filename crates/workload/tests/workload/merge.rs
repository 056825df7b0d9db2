//! Merging equals sorting.

use super::flows;
use bandwise_workload::{Merge, Merged};
use proptest::prelude::*;

proptest! {
    #[test]
    fn merging_is_a_stable_sort(
        mut parts in prop::collection::vec(prop::collection::vec(flows(), 0..20), 0..5),
        coarse in 1u64..1 << 62,
    ) {
        for flow in parts.iter_mut().flatten() {
            // Some flows start at one instant.
            flow.start = flow.start / coarse;
        }
        parts.iter_mut().for_each(|flows| flows.sort_by_key(|flow| flow.start));
        let all = parts.iter().enumerate();
        let all = all.flat_map(|(part, flows)| flows.iter().map(move |&flow| Merged { part, flow }));
        let mut expected: Vec<Merged> = all.collect();
        expected.sort_by_key(|merged| merged.flow.start);
        let found: Vec<Merged> = Merge::new(parts.into_iter().map(Vec::into_iter)).collect();
        prop_assert_eq!(found, expected);
    }
}
