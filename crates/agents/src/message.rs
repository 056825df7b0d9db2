//! [`Greeting`], [`ToAgent`] and [`FromAgent`]: the messages of coordinator and agents. The first line of each side is
//! a [`Greeting`] in the clear; all others are sealed.

use crate::{Challenge, Report, Span};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Part, Side, Task};
use bandwise_units::Time;
use serde::{Deserialize, Serialize};

/// A line in the clear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Greeting {
    /// The first line of both sides.
    Challenge(Challenge),
    /// The last line of an agent that refuses the connection; the reason.
    Refused(String),
}

/// One side of a flow, which an agent carries out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The number of the flow in the plan.
    pub flow: u16,
    /// The side.
    pub part: Part,
    /// The measurement.
    pub task: Task,
    /// The longest pause after a message, for methods that send one at a time.
    pub think: Time,
    /// The time span of the flow, from the start of the run.
    pub active: Span,
    /// The time span in which all flows are active, if clocks differ by less than the margins.
    pub window: Span,
    /// The random seed of the pauses.
    pub seed: u64,
}

/// A message of the coordinator, or of another agent that asks this one to vouch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ToAgent {
    /// Requests the use of the agent.
    Hello,
    /// Requests a reading of the agent's clock; the number of the request.
    Clock(u64),
    /// Requests queue pairs for a job.
    Prepare(Job),
    /// Requests the connection of queue pairs.
    Connect {
        /// The flow.
        flow: u16,
        /// The other side.
        side: Side,
        /// The port of the other side's agent, which can vouch for it.
        port: u16,
    },
    /// Asks on behalf of another agent whether a side is this agent's.
    Vouch {
        /// The flow.
        flow: u16,
        /// The side.
        side: Side,
    },
    /// Starts all flows when the agent's clock reads this time.
    Start(Time),
    /// Stops all flows after a failure elsewhere, and requests the reports.
    Stop,
    /// Ends the run.
    Finish,
}

/// A message of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FromAgent {
    /// Accepts the coordinator.
    Welcome {
        /// The device and port, for people.
        device: String,
        /// The clock that times are taken by.
        clock: String,
    },
    /// A reading of the agent's clock.
    Clock {
        /// The number of the request.
        number: u64,
        /// The reading.
        read: Time,
    },
    /// Queue pairs of a flow are made.
    Prepared {
        /// The flow.
        flow: u16,
        /// Their addresses.
        side: Side,
    },
    /// Queue pairs of a flow are connected.
    Connected {
        /// The flow.
        flow: u16,
        /// The largest payload of a packet.
        mtu: Mtu,
    },
    /// Accepts the start.
    Starting,
    /// The results of a flow.
    Report {
        /// The flow.
        flow: u16,
        /// The results.
        report: Box<Report>,
    },
    /// A request has failed, or a flow can't continue.
    Failed {
        /// The flow, if there is one.
        flow: Option<u16>,
        /// The reason.
        why: String,
    },
    /// The answer to [`ToAgent::Vouch`]: `true` if the current run has made these queue pairs for this flow.
    Vouched(bool),
    /// All resources are released.
    Finished,
}
