//! An experiment on an InfiniBand fabric: measuring methods and bulk traffic as programs on its hosts.
//!
//! [`InfinibandScenario`] is read from TOML or from a dump of a fabric, or built by an
//! [`InfinibandBuilder`]; its `run` returns [`InfinibandResults`].

mod arrivals;
mod bottleneck;
mod builder;
mod flow;
mod lanes;
mod method_limits;
mod plausibility;
mod request;
mod results;
mod run;
mod scenario;
mod shortfall;
mod spec;
mod start;

pub use bottleneck::{Bottleneck, LimitingPart};
pub use builder::{BuildError, InfinibandBuilder};
pub use flow::{BulkTraffic, Flow, LatencyTraffic, Method};
pub use method_limits::MethodLimit;
pub use plausibility::{Cause, Implausible, ImplausibleKind, LoopbackBias};
pub use request::{FlowError, FlowKey, FlowRequest, MethodName, OpcodeName, Senders};
pub use results::{FlowResult, InfinibandResults, LatencyResult};
pub use scenario::InfinibandScenario;
pub use shortfall::{SharedPart, Shortfall};

pub(crate) use spec::congestion;
