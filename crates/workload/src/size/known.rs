//! Well-known distributions of datacenter networks, by name.
//!
//! The original studies show curves. Simulators use and exchange points that were read off the
//! curves, which are these. Other files with different points exist under the same names.

use super::{IrnSpreads, SizeDistribution, Spread};
use bandwise_units::Bytes;

/// The names that [`SizeDistribution::known`] accepts.
pub const KNOWN: [&str; 5] =
    ["irn-heavy-tailed", "irn-uniform", "web-search", "fb-hadoop", "data-mining"];

/// Sizes in bytes, each with the percentage of flows that are no larger.
type Points = &'static [(u64, f64)];

/// Web search, measured for DCTCP (Alizadeh et al., SIGCOMM 2010) and used in pFabric
/// (SIGCOMM 2013). Points: `traffic_gen/WebSearch_distribution.txt` of the HPCC simulator
/// (alibaba-edu/High-Precision-Congestion-Control), the same as `conf/DCTCP_CDF.txt` of
/// HKUST-SING/TrafficGenerator. Mean 1.71 MB.
const WEB_SEARCH: Points = &[
    (0, 0.0),
    (10_000, 15.0),
    (20_000, 20.0),
    (30_000, 30.0),
    (50_000, 40.0),
    (80_000, 53.0),
    (200_000, 60.0),
    (1_000_000, 70.0),
    (2_000_000, 80.0),
    (5_000_000, 90.0),
    (10_000_000, 97.0),
    (30_000_000, 100.0),
];

/// Hadoop at Facebook, measured by Roy et al. (SIGCOMM 2015) and used in HPCC (Li et al., SIGCOMM
/// 2019). Points: `traffic_gen/FbHdp_distribution.txt` of the HPCC simulator. Mean 120 KB.
const FB_HADOOP: Points = &[
    (0, 0.0),
    (100, 1.0),
    (200, 2.0),
    (300, 5.0),
    (350, 15.0),
    (400, 20.0),
    (500, 30.0),
    (600, 40.0),
    (700, 50.0),
    (1_000, 60.0),
    (2_000, 67.0),
    (7_000, 70.0),
    (30_000, 72.0),
    (50_000, 82.0),
    (80_000, 87.0),
    (120_000, 90.0),
    (300_000, 95.0),
    (1_000_000, 97.5),
    (2_000_000, 99.0),
    (10_000_000, 100.0),
];

/// Data mining, measured for VL2 (Greenberg et al., SIGCOMM 2009) and used in pFabric. Points:
/// `conf/VL2_CDF.txt` of HKUST-SING/TrafficGenerator. Mean 12.7 MB. The ns-2 scripts around pFabric
/// have another list, in packets, with a mean of 5117 packets of 1460 B, 7.5 MB.
const DATA_MINING: Points = &[
    (0, 0.0),
    (180, 10.0),
    (216, 20.0),
    (560, 30.0),
    (900, 40.0),
    (1_100, 50.0),
    (1_870, 60.0),
    (3_160, 70.0),
    (10_000, 80.0),
    (400_000, 90.0),
    (3_160_000, 95.0),
    (100_000_000, 98.0),
    (1_000_000_000, 100.0),
];

impl SizeDistribution {
    /// Returns a distribution of [`KNOWN`] by name. The distributions of IRN have their default
    /// spreads. The others are uniform between points, as in the simulators from which they come.
    pub fn known(name: &str) -> Option<Self> {
        let points = match name {
            "irn-heavy-tailed" => return Some(Self::irn_heavy_tailed(IrnSpreads::default())),
            "irn-uniform" => return Some(Self::irn_uniform()),
            "web-search" => WEB_SEARCH,
            "fb-hadoop" => FB_HADOOP,
            "data-mining" => DATA_MINING,
            _ => return None,
        };
        let points: Vec<_> = points.iter().map(|&(b, share)| (Bytes::new(b), share)).collect();
        Some(Self::cdf(&points, Spread::Uniform).expect("a test reads all of them"))
    }
}
