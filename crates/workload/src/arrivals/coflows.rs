//! [`CoflowMix`]: generated coflow traces.

use crate::{Coflow, CoflowTrace, WorkloadError};
use bandwise_random::Stream;
use bandwise_units::{Bytes, Time};
use std::collections::BTreeSet;

/// Coflows like those of the public trace of a cluster: few wide and long ones have nearly all
/// bytes.
///
/// There are four kinds, in the shares that Varys found in that cluster (Chowdhury, Zhong and
/// Stoica, "Efficient Coflow Scheduling with Varys", SIGCOMM 2014, table 4). Of 100 coflows 52 are
/// narrow and short, 16 narrow and long, 15 wide and short, 17 wide and long. Narrow means up to 50
/// flows, short up to 5 MB a flow. The rest is deliberately simple. Ports are drawn without
/// repetition. The number of mappers is log-uniform and that of reducers uniform, up to 7 each for
/// narrow coflows, so that these have no more than 49 flows. A flow's size is log-uniform from 1 MB
/// to 5 MB or from 5 MB to 150 MB, and a reducer gets one to six times that from each mapper.
/// Arrivals are a Poisson process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoflowMix {
    ports: u32,
    coflows: u32,
    mean_gap: Time,
}

/// The maximum number of mappers and of reducers of a narrow coflow.
const NARROW: u32 = 7;

/// The numbers of coflows in 100 that are narrow and short, narrow and long, wide and short. The
/// others are wide and long.
const KINDS: [u64; 3] = [52, 16, 15];

const MEGABYTE: f64 = 1_048_576.0;

impl CoflowMix {
    /// Returns a mix of `coflows` coflows among `ports` ports, 2 or more, with a mean gap of
    /// `mean_gap`.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if there are fewer than 2 ports.
    pub fn new(ports: u32, coflows: u32, mean_gap: Time) -> Result<Self, WorkloadError> {
        super::two_or_more(ports)?;
        Ok(CoflowMix { ports, coflows, mean_gap })
    }

    /// Returns the shape of the public trace: 526 coflows in an hour among 150 ports.
    pub fn like_public() -> Self {
        CoflowMix { ports: 150, coflows: 526, mean_gap: Time::from_ms(6_844) }
    }

    /// Returns the trace of a seed.
    pub fn trace(&self, seed: u64) -> CoflowTrace {
        let stream = |name| Stream::new(seed, name, 0);
        let (mut gaps, mut kinds) = (stream("coflow arrivals"), stream("coflow kinds"));
        let (mut ports, mut sizes) = (stream("coflow ports"), stream("coflow sizes"));
        let mut arrival = Time::ZERO;
        let coflow = |id| {
            let gap = -libm::log(gaps.fraction()) * self.mean_gap.as_ps() as f64;
            arrival += Time::from_ps(gap as u64);
            let kind = kinds.below(100);
            let (is_wide, is_long) = match kind {
                _ if kind < KINDS[0] => (false, false),
                _ if kind < KINDS[0] + KINDS[1] => (false, true),
                _ if kind < KINDS.iter().sum() => (true, false),
                _ => (true, true),
            };
            let most = self.ports.min(if is_wide { self.ports } else { NARROW });
            let least = if is_wide { most.min(NARROW + 1) } else { 1 };
            let count = log_uniform(&mut ports, f64::from(least), f64::from(most) + 1.0) as u32;
            let mappers = some_of(self.ports, count.clamp(least, most), &mut ports);
            let count = least + ports.below(u64::from(most - least) + 1) as u32;
            let reducers = some_of(self.ports, count, &mut ports);
            let (least, most) = if is_long { (5.0, 150.0) } else { (1.0, 5.0) };
            let a_flow = log_uniform(&mut sizes, least, most) as u64;
            let bytes = |times: u64| Bytes::new(MEGABYTE as u64 * a_flow * times);
            let all = mappers.len() as u64;
            let reducers = reducers
                .into_iter()
                .map(|port| (port, bytes(all * (1 + sizes.below(6)))))
                .collect();
            Coflow { id, arrival, mappers, reducers }
        };
        CoflowTrace {
            ports: self.ports,
            coflows: (1..=u64::from(self.coflows)).map(coflow).collect(),
        }
    }
}

/// Returns a log-uniform number from `least` up to `most`.
fn log_uniform(random: &mut Stream, least: f64, most: f64) -> f64 {
    least * libm::exp((1.0 - random.fraction()) * libm::log(most / least))
}

/// Returns `count` of the ports, ascending. All sets are equally likely (Floyd's method: Bentley,
/// "Programming Pearls: a sample of brilliance", CACM 1987).
fn some_of(ports: u32, count: u32, random: &mut Stream) -> Vec<u32> {
    let mut drawn = BTreeSet::new();
    for newest in ports - count..ports {
        let port = random.below(u64::from(newest) + 1) as u32;
        if !drawn.insert(port) {
            drawn.insert(newest);
        }
    }
    drawn.into_iter().collect()
}
