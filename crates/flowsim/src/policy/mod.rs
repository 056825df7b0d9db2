//! [`Policy`]: the ranks and queues of flows. Each policy has a file.
//!
//! A policy places each flow at its start ([`Placement`]), and may change the ranks of groups and flows
//! when flows have started or ended ([`Policy::arrange`]). Flows of one rank share as links are
//! configured ([`crate::LinkConfig`]). A policy that computes rates itself sets
//! [`Policy::GIVES_RATES`].

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

pub use crate::rank::{HELD, LAST_RANK};
pub use crate::scene::{FlowView, Moves, Rates, Scene};
pub use crate::share::QueueChoice;
use crate::{LinkConfig, Network};
use bandwise_units::{BitRate, Bytes};

/// A flow that starts, or that has sent the bytes of its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Newcomer<'a> {
    /// The links that the flow crosses. The last one leads to its receiver.
    pub path: &'a [u32],
    /// The size.
    pub bytes: Bytes,
    /// The remaining bytes.
    pub left: Bytes,
    /// The class or priority level.
    pub class: u8,
    /// The coflow, job or application.
    pub group: u32,
    /// The maximum rate of its source.
    pub cap: Option<BitRate>,
}

/// The rank and queue of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The rank. Lower ranks are served first at every link; up to [`LAST_RANK`], or [`HELD`].
    pub rank: u64,
    /// The queue among those of the rank.
    pub queue: QueueChoice,
    /// A number for flows with one rate, which the policy moves together. Such flows also have
    /// path, class and cap in common. `None` for a flow that moves alone.
    pub kin: Option<u64>,
    /// The bytes after which the flow is placed again, or `None` for the whole flow.
    pub until: Option<Bytes>,
}

impl Placement {
    /// The single place of a policy that treats all flows alike.
    pub const COMMON: Placement =
        Placement { rank: 0, queue: QueueChoice::One, kin: Some(0), until: None };
}

/// A policy of ranks and queues.
pub trait Policy {
    /// True if [`Policy::rates`] sets the rate of each flow, so that links decide nothing.
    const GIVES_RATES: bool = false;

    /// True if flows are [`HELD`] until others end. Rates are then computed at each end, without a
    /// grain ([`crate::Simulation::with_grain`]), which may be longer than a flow takes.
    const HOLDS: bool = false;

    /// Returns the links that do not begin with one queue. Invalid configurations are a fault of
    /// the policy.
    fn links(&self, _network: &Network) -> Vec<(u32, LinkConfig)> {
        Vec::new()
    }

    /// Returns the place of a flow.
    fn place(&mut self, flow: &Newcomer<'_>) -> Placement;

    /// Adjusts ranks. Called once at each instant at which flows have started or ended.
    fn arrange(&mut self, _scene: &Scene<'_>, _moves: &mut Moves) {}

    /// Sets the rate of each flow, for a policy with [`Policy::GIVES_RATES`]. Called after
    /// [`Policy::arrange`].
    fn rates(&mut self, _scene: &Scene<'_>, _rates: &mut Rates<'_>) {}
}
