//! Ports and configurations to try.

use crate::kernel::Kernel;
use bandwise_enforce::htb::{Layout, Marks};
use bandwise_enforce::tc::{LinuxTc, TcPort};
use bandwise_saba::Share;
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_units::{BitRate, Bytes};
use proptest::prelude::*;
use std::num::NonZeroU8;

pub(crate) const QUEUES: u8 = 8;

pub(crate) fn layout(link: BitRate) -> Layout {
    let others = Share::try_from(0.1).unwrap();
    Layout::new(link, others, NonZeroU8::new(QUEUES).unwrap(), Bytes::new(1514)).unwrap()
}

/// A link of 200 Mbit/s to h1.
pub(crate) fn port() -> TcPort {
    TcPort {
        name: "switch to h1".into(),
        from: "switch".into(),
        to: "h1".into(),
        namespace: None,
        device: "h1".into(),
        layout: layout(BitRate::from_bps(200_000_000)),
        keeps_rate: false,
    }
}

pub(crate) fn switches(kernel: &Kernel) -> LinuxTc<Kernel> {
    LinuxTc::new(vec![port()], Marks::local(), kernel.clone())
}

/// Levels in queues, and their weights.
pub(crate) fn config(table: &[(u16, u8)], weights: &[u8]) -> PortConfig {
    let table = table.iter().map(|&(level, queue)| (PriorityLevel(level), queue)).collect();
    PortConfig { table, weights: weights.to_vec() }
}

/// Any configuration of a controller: levels in queues without gaps and weights from 1, or an empty one.
pub(crate) fn configs() -> impl Strategy<Value = PortConfig> {
    let levels = proptest::sample::subsequence((0..16u16).collect::<Vec<_>>(), 0..=16);
    let weights = prop::collection::vec(1u8.., usize::from(QUEUES));
    (levels, weights, prop::collection::vec(any::<u8>(), 16)).prop_map(|(levels, weights, at)| {
        let queues = levels.len().min(usize::from(QUEUES));
        let queue = |i: usize| if i < queues { i as u8 } else { at[i] % queues.max(1) as u8 };
        let table: Vec<(u16, u8)> =
            levels.iter().enumerate().map(|(i, &level)| (level, queue(i))).collect();
        config(&table, &weights[..queues])
    })
}
