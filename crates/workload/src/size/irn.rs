//! The two distributions of IRN: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM
//! 2018.

use super::{Piece, SizeDistribution, Spread};

/// A kilobyte of 1000 bytes: 40 Gbps times 24 us are "120KB" (IRN 4.1).
const KB: u64 = 1_000;

/// The spreads of sizes in the three ranges of IRN's heavy-tailed distribution. The paper states
/// ranges and shares, but no spreads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IrnSpreads {
    /// The spread of the 50% with 32 B to 1 KB, a packet each.
    pub single: Spread,
    /// The spread of the 35% between, on which the paper is silent.
    pub middle: Spread,
    /// The spread of the 15% with 200 KB to 3 MB.
    pub large: Spread,
}

impl Default for IrnSpreads {
    /// Returns uniform spreads for the ranges of the paper, and log-uniform from 1 KB to 200 KB.
    /// That range spans more than two decades; a uniform spread would put nine flows in ten above
    /// 20 KB.
    fn default() -> Self {
        IrnSpreads { single: Spread::Uniform, middle: Spread::LogUniform, large: Spread::Uniform }
    }
}

impl SizeDistribution {
    /// Returns the heavy-tailed distribution of IRN 4.1. Half of the flows are single packets of 32
    /// B to 1 KB, and 15% have 200 KB to 3 MB. The other 35%, on which the paper is silent, are
    /// assumed to lie between.
    ///
    /// With the default spreads, the mean is 50% of (32 + 1000) / 2, 35% of 199000 / ln 200 + 1/2
    /// and 15% of (200001 + 3000000) / 2: 258 + 13146 + 240000, together 253404 bytes. Large flows
    /// have 95% of the bytes, middle ones 5%. With a uniform middle spread the mean is 9% larger.
    pub fn irn_heavy_tailed(spreads: IrnSpreads) -> Self {
        let IrnSpreads { single, middle, large } = spreads;
        Self::of([
            (0.50, Piece::new(31, KB, single)),
            (0.85, Piece::new(KB, 200 * KB, middle)),
            (1.00, Piece::new(200 * KB, 3_000 * KB, large)),
        ])
    }

    /// Returns the other distribution of IRN, uniform from 500 KB to 5 MB: background and storage
    /// traffic (IRN 4.4.1).
    pub fn irn_uniform() -> Self {
        Self::of([(1.0, Piece::new(500 * KB - 1, 5_000 * KB, Spread::Uniform))])
    }
}
