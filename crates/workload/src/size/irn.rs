//! The two distributions of IRN: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM
//! 2018.

use super::{Piece, SizeDistribution, Spread};

/// Kilo is a thousand: a bandwidth-delay product of 40 Gbps times 24 us is "120KB" (IRN 4.1).
const KB: u64 = 1_000;

/// How sizes are spread in each of the three ranges of IRN's heavy-tailed distribution. The paper
/// gives ranges and shares, and no spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IrnSpreads {
    /// The 50% with 32 B to 1 KB, a packet each.
    pub single: Spread,
    /// The 35% between, of which the paper says nothing.
    pub middle: Spread,
    /// The 15% with 200 KB to 3 MB.
    pub large: Spread,
}

impl Default for IrnSpreads {
    /// Uniform where the paper gives a range. From 1 KB to 200 KB log-uniform: the range spans more
    /// than two decades, and a uniform spread would put nine flows in ten above 20 KB.
    fn default() -> Self {
        IrnSpreads { single: Spread::Uniform, middle: Spread::LogUniform, large: Spread::Uniform }
    }
}

impl SizeDistribution {
    /// The heavy-tailed distribution of IRN 4.1: half of the flows are single packets of 32 B to
    /// 1 KB, 15% have 200 KB to 3 MB, and the 35% that the paper does not speak of are taken to lie
    /// between.
    ///
    /// With the spreads by default the mean is 50% of (32 + 1000) / 2, 35% of 199000 / ln 200 + 1/2
    /// and 15% of (200001 + 3000000) / 2: 258 + 13146 + 240000, together 253404 bytes. The large
    /// flows have 95% of the bytes, the middle ones 5%. With the middle spread uniformly the mean
    /// is 9% larger.
    pub fn irn_heavy_tailed(spreads: IrnSpreads) -> Self {
        let IrnSpreads { single, middle, large } = spreads;
        Self::of([
            (0.50, Piece::new(31, KB, single)),
            (0.85, Piece::new(KB, 200 * KB, middle)),
            (1.00, Piece::new(200 * KB, 3_000 * KB, large)),
        ])
    }

    /// The other distribution of IRN, uniform from 500 KB to 5 MB: background and storage traffic
    /// (IRN 4.4.1).
    pub fn irn_uniform() -> Self {
        Self::of([(1.0, Piece::new(500 * KB - 1, 5_000 * KB, Spread::Uniform))])
    }
}
