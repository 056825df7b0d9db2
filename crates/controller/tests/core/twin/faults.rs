//! [`Fault`]: the faults of a run, drawn by its seed.

use super::switch::PortFault;
use bandwise_random::Stream;
use bandwise_saba::controller::PortId;
use std::time::Duration;

/// A fault. Most of them last for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A controller is killed, and started again after this time.
    Killed(usize, Duration),
    /// A controller ends in order, and is started again after this time.
    Stopped(usize, Duration),
    /// The process of a controller is stopped and continued.
    Paused(usize, Duration),
    /// The machine of a controller is suspended: its clock stands still.
    Suspended(usize, Duration),
    /// A controller does not reach an etcd.
    Cut(usize, Cut, Duration),
    /// No etcd answers.
    Outage(Duration),
    /// etcd refuses to store anything.
    Full(Duration),
    /// etcd and the network to it are slow.
    Slow(Duration),
    /// Everything under the prefix is deleted.
    Emptied,
    /// A copy of etcd is made.
    BackedUp,
    /// etcd continues from its last copy, as a new cluster or with the same id.
    Restored(bool),
    /// An empty etcd takes the place of etcd.
    Replaced,
    /// Past events are dropped.
    Compacted,
    /// Somebody writes a record that nobody can read.
    Unreadable(Duration),
    /// Orders at a port go wrong.
    Port(PortId, PortFault, Duration),
    /// A port loses its configuration.
    Reset(PortId),
    /// Someone else writes a port.
    Overwritten(PortId),
    /// A client makes no calls any more.
    Silent(usize),
}

/// A cut between a controller and etcds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// The etcd; both of them if `None`.
    pub(super) member: Option<usize>,
    /// True if requests do not arrive.
    pub(super) requests: bool,
    /// True if answers do not arrive.
    pub(super) answers: bool,
}

impl Fault {
    /// Returns whether the fault makes etcd lose something.
    pub(super) fn loses_store(self) -> bool {
        matches!(self, Fault::Emptied | Fault::Restored(_) | Fault::Replaced)
    }
}

impl Fault {
    /// Returns the time after which the fault has ended.
    pub(super) fn lasts(self) -> Duration {
        match self {
            Fault::Killed(_, lasts)
            | Fault::Stopped(_, lasts)
            | Fault::Paused(_, lasts)
            | Fault::Suspended(_, lasts)
            | Fault::Cut(.., lasts)
            | Fault::Outage(lasts)
            | Fault::Full(lasts)
            | Fault::Slow(lasts)
            | Fault::Unreadable(lasts)
            | Fault::Port(.., lasts) => lasts,
            _ => Duration::ZERO,
        }
    }
}

/// Draws the faults of a run, with their times. The last one begins before `until`.
pub(super) fn draw(
    chance: &mut Stream,
    sizes: (usize, u64, usize),
    until: Duration,
) -> Vec<(Duration, Fault)> {
    let (controllers, ports, clients) = sizes;
    let number = 2 + chance.below(10);
    // Half of the runs never lose the store, so that nothing is excused.
    let loses = chance.one_in(2);
    let mut faults = Vec::new();
    for _ in 0..number {
        let at = Duration::from_millis(500 + chance.below(until.as_millis() as u64 - 500));
        let controller = chance.below(controllers as u64) as usize;
        let port = PortId(chance.below(ports));
        let short = Duration::from_millis(100 + chance.below(2_000));
        let long = Duration::from_millis(100 + chance.below(6_000));
        let fault = match chance.below(if loses { 31 } else { 27 }) {
            0..4 => Fault::Killed(controller, long),
            4 => Fault::Stopped(controller, short),
            5..8 => Fault::Paused(controller, long),
            8 => Fault::Suspended(controller, long),
            9..14 => {
                let member = [None, Some(0), Some(1)][chance.below(3) as usize];
                let (requests, answers) =
                    [(true, true), (true, false), (false, true)][chance.below(3) as usize];
                Fault::Cut(controller, Cut { member, requests, answers }, long)
            }
            14 => Fault::Outage(long),
            15 => Fault::Full(long),
            16 => Fault::Slow(long),
            17 => Fault::Compacted,
            18..22 => {
                let faults = [PortFault::Refuses, PortFault::LosesAnswers, PortFault::WritesHalf];
                Fault::Port(port, faults[chance.below(3) as usize], short)
            }
            22 => Fault::Reset(port),
            23 => Fault::Overwritten(port),
            24 => Fault::Silent(chance.below(clients as u64) as usize),
            25 => Fault::BackedUp,
            26 => Fault::Unreadable(long),
            27 => Fault::Emptied,
            28 | 29 => Fault::Restored(chance.one_in(2)),
            _ => Fault::Replaced,
        };
        faults.push((at, fault));
    }
    faults.sort_by_key(|of| of.0);
    faults
}
