//! [`Policy`]: who is served before whom, and in which queue. One file each.
//!
//! A policy decides where a flow stands when it starts ([`Place`]), and may change the ranks of groups and
//! flows when flows have started or ended ([`Policy::arrange`]). How links share among flows of one rank
//! is decided by the links ([`crate::LinkConfig`]). A policy that computes rates itself says so
//! ([`Policy::GIVES_RATES`]).

mod app_queues;
mod blocking;
pub(crate) mod demands;
mod homa;
mod max_min;
mod priorities;
mod ranks;
mod reserved;
mod sebf;
pub(crate) mod sincronia;
pub(crate) mod smallest;
mod srpt;
mod weighted;

pub use app_queues::AppQueues;
pub use blocking::Blocking;
pub use homa::Homa;
pub use max_min::MaxMin;
pub use priorities::Priorities;
pub use reserved::{Guarantees, PartsError, Reservations};
pub use sebf::Sebf;
pub use sincronia::Sincronia;
pub use smallest::SmallestGroup;
pub use srpt::Srpt;
pub use weighted::WeightedQueues;

pub use crate::scene::{FlowView, Moves, Rates, Scene};
pub use crate::share::QueueChoice;
use crate::{LinkConfig, Network};
use bandwise_units::{BitRate, Bytes};

/// The last rank that is served: when nobody else wants to be.
pub const LAST_RANK: u64 = HELD - 1;

/// The rank of flows that may not send, though links be idle.
pub const HELD: u64 = u64::MAX - 1;

/// A flow that starts, or that has sent what its place was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Newcomer<'a> {
    /// The links that it crosses; the last one leads to its receiver.
    pub path: &'a [u32],
    /// All that it sends.
    pub bytes: Bytes,
    /// What of that it has still to send.
    pub left: Bytes,
    /// Its class or priority level.
    pub class: u8,
    /// Its coflow, job or application.
    pub group: u32,
    /// The most that its source sends.
    pub cap: Option<BitRate>,
}

/// Where a flow stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Lower ranks are served first, at every link; up to [`LAST_RANK`], or [`HELD`].
    pub rank: u64,
    /// Its queue among those of its rank.
    pub queue: QueueChoice,
    /// Flows that have this number in common, and path, class and cap, have one rate; so the policy
    /// moves them together. None for a flow that moves alone.
    pub kin: Option<u64>,
    /// It stands there until so much of it is sent; then it is placed again. None for all of it.
    pub until: Option<Bytes>,
}

impl Place {
    /// The one place of a policy that knows no difference between flows.
    pub const COMMON: Place = Place { rank: 0, queue: QueueChoice::One, kin: Some(0), until: None };
}

/// Who is served before whom, and in which queue.
pub trait Policy {
    /// Whether [`Policy::rates`] says what each flow has, and links decide nothing.
    const GIVES_RATES: bool = false;

    /// Whether flows are [`HELD`] until others end. Then rates are worked out at each end: who may go on is not
    /// made to wait for a grain ([`crate::Simulation::with_grain`]), which may be longer than a flow takes.
    const HOLDS: bool = false;

    /// How links share at the beginning, where that is not by one queue. A configuration that the
    /// network can't have is a mistake of the policy.
    fn links(&self, _network: &Network) -> Vec<(u32, LinkConfig)> {
        Vec::new()
    }

    /// Where a flow stands.
    fn place(&mut self, flow: &Newcomer<'_>) -> Place;

    /// Called once at each instant at which flows have started or ended, before rates are worked out.
    fn arrange(&mut self, _scene: &Scene<'_>, _moves: &mut Moves) {}

    /// What each flow has from now on, for a policy that [`Policy::GIVES_RATES`]; called after
    /// [`Policy::arrange`].
    fn rates(&mut self, _scene: &Scene<'_>, _rates: &mut Rates<'_>) {}
}
