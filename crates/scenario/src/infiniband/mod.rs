//! An experiment on an InfiniBand fabric: measuring methods and bulk traffic as programs on its hosts.
//!
//! [`InfinibandScenario`] is read from TOML or from a dump of a fabric; its `run` returns
//! [`InfinibandResults`].

mod results;
mod run;
mod scenario;
mod spec;
mod traffic;

pub use results::{FlowResult, InfinibandResults, InfinibandStop, LatencyResult};
pub use run::{InfinibandProgress, RunError};
pub use scenario::InfinibandScenario;
pub use spec::{FlowSpec, MethodName, OpcodeName, Senders, unplaced};
pub use traffic::{BulkTraffic, Flow, LatencyTraffic, Method};

pub(crate) use spec::congestion;
