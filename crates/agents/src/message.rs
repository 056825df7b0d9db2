//! What coordinator and agents say to each other. The first line of each side is a [`Greeting`] in the clear; all
//! others are sealed.

use crate::{Challenge, Report, Span};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Part, Side, Task};
use bandwise_units::Time;
use serde::{Deserialize, Serialize};

/// What is said in the clear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Greeting {
    /// The first that both say.
    Challenge(Challenge),
    /// The agent says nothing more, and why.
    Refused(String),
}

/// What an agent has to do for a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The flow's number in the plan.
    pub flow: u16,
    /// Which side of it.
    pub part: Part,
    /// What is measured.
    pub task: Task,
    /// The longest pause after a message, where there is one at a time.
    pub think: Time,
    /// When it is active, from the start of the run.
    pub active: Span,
    /// When all flows are, as long as clocks differ by less than is left out at both ends.
    pub window: Span,
    /// What pauses between messages are drawn from.
    pub seed: u64,
}

/// What the coordinator says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ToAgent {
    /// It would like to use the agent.
    Hello,
    /// What does the agent's clock read?
    Clock(u64),
    /// Queue pairs are to be made for that.
    Prepare(Job),
    /// They are to be connected with these.
    Connect {
        /// The flow.
        flow: u16,
        /// The other side's.
        side: Side,
    },
    /// All flows begin when the agent's clock reads that.
    Start(Time),
    /// Nothing more is to be measured, because it is over for somebody else: what there is is to be told.
    Stop,
    /// That was all.
    Finish,
}

/// What an agent says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FromAgent {
    /// It is at the coordinator's disposal, with that device and clock.
    Welcome {
        /// Device and port, for people.
        device: String,
        /// What times are taken by.
        clock: String,
    },
    /// Its clock.
    Clock {
        /// The number that was asked with.
        number: u64,
        /// What it read.
        read: Time,
    },
    /// Queue pairs of a flow can be connected with.
    Prepared {
        /// The flow.
        flow: u16,
        /// Where they are.
        side: Side,
    },
    /// They are connected.
    Connected {
        /// The flow.
        flow: u16,
        /// The largest payload of a packet.
        mtu: Mtu,
    },
    /// It will begin when it was told to.
    Starting,
    /// What was measured of a flow.
    Report {
        /// The flow.
        flow: u16,
        /// What of it.
        report: Box<Report>,
    },
    /// It can't do what it was told, or no longer.
    Failed {
        /// The flow, if it is about one.
        flow: Option<u16>,
        /// Why.
        why: String,
    },
    /// It has let go of everything.
    Finished,
}
