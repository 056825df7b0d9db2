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
//!
//! A driver steps a program with the time and its completions, and executes what it posts:
//!
//! ```
//! use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Opcode, Posts, Program, Qp};
//! use bandwise_rperf::{PostPoll, PostPollSettings, Rounds, Think};
//! use bandwise_units::Time;
//!
//! let rounds = Rounds { warmup: 0, samples: 1, think: Think::none() };
//! let mut method = PostPoll::new(PostPollSettings { qp: Qp(0), bytes: 64, rounds });
//! let mut posts = Posts::default();
//! assert_eq!(method.step(Time::ZERO, &[], &mut posts), Next::Completion);
//! let request = posts.drain().next().expect("the first round posts a WRITE");
//! let completion = Completion {
//!     qp: request.qp,
//!     id: request.id,
//!     kind: CompletionKind::Sent(Opcode::Write),
//!     bytes: request.bytes,
//!     truth: None,
//!     stamp: None,
//! };
//! assert_eq!(method.step(Time::from_ns(2_500), &[completion], &mut posts), Next::Done);
//! assert_eq!(method.measure().latency().max_ps(), Some(2_500_000));
//! ```

mod bulk;
mod closed_loop;
pub mod defaults;
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
