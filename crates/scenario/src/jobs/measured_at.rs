//! [`MeasuredAt`]: the links with which the durations of a job were measured.

use bandwise_topology::Fabric;
use bandwise_units::BitRate;

/// The links with which the durations of a job were measured. "100%" of them is all of `rate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredAt {
    /// The rate of the link of each instance.
    pub rate: BitRate,
    /// The source of the rate.
    pub by: RateSource,
}

/// The source of the rate with which durations were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RateSource {
    /// The links of the scenario's hosts, because the file states no other rate.
    HostLink,
    /// The key `measured-at` of the job.
    Key,
    /// The built-in description of the workload.
    Workload,
}

impl RateSource {
    /// Returns the name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            RateSource::HostLink => "host-link",
            RateSource::Key => "key",
            RateSource::Workload => "workload",
        }
    }
}

/// Returns the rates of the slowest and of the fastest link of a host.
pub fn host_links(fabric: &Fabric) -> [BitRate; 2] {
    let rate = |&host| fabric.peer(fabric.host_port(host)).map(|(_, link)| link.rate);
    let rates = || fabric.hosts().iter().filter_map(rate);
    rates().min().zip(rates().max()).expect("a fabric has hosts with cables").into()
}

/// Returns the rate of the slowest link of a host, of which every instance has all.
pub(super) fn host_link(fabric: &Fabric) -> BitRate {
    host_links(fabric)[0]
}
