//! Measuring methods and traffic generators for RDMA, as [`Program`]s. A program depends on neither
//! simulator nor device: it has queue pairs, sees completions and the time, and posts work.
//!
//! | method | origin | latency |
//! |---|---|---|
//! | [`RPerf`] | the RPerf paper | T_W − T_L: completion over the wire minus completion of a
//! loopback |
//! | [`PingPongInitiator`] | perftest | pong seen − ping posted |
//! | [`PostPoll`] | qperf | completion seen − WRITE posted |
//! | [`ClosedLoop`] | any closed-loop client | completion seen − request posted |
//! | [`KeyValueClient`] | HERD | response of a [`KeyValueWorker`] seen − request posted |
//! | [`Bulk`] | the RPerf paper | none: payload completed in a window |
//!
//! [`Generator`] is any of them.

mod bulk;
mod closed_loop;
mod generator;
mod key_value;
mod latency;
mod measure;
mod ping_pong;
mod post_poll;
mod rperf;
mod slices;
mod think;
mod window;
mod window_latency;

pub use bandwise_rdma::verbs::Program;
pub use bulk::{Bandwidth, Bulk, BulkError, BulkSettings};
pub use closed_loop::{ClosedLoop, ClosedLoopSettings};
pub use generator::Generator;
pub use key_value::{
    KeyValueClient, KeyValueClientSettings, KeyValueQps, KeyValueRequests, KeyValueSizes,
    KeyValueTable, KeyValueWorker, KeyValueWorkerSettings,
};
pub use latency::{AgainstTruth, Latency, Summary};
pub use measure::{Measure, Rounds};
pub use ping_pong::{PingPongInitiator, PingPongResponder, PingPongSettings};
pub use post_poll::{PostPoll, PostPollSettings};
pub use rperf::{RPerf, RPerfSettings};
pub use slices::{Slices, Spread};
pub use think::Think;
pub use window::{PARTS, Window};
pub use window_latency::WindowLatency;
