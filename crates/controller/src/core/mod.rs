//! What the daemon decides: who is taken, what is stored before who is told what, which port is written when. No I/O,
//! no clock; [`Input`]s come in with the time, [`Output`]s are polled, and both can be written down.
//!
//! **Stored, then said.** A request changes nothing that anybody sees until its changes are stored: its answer, and
//! the orders to ports that follow from it, come after [`Input::Stored`]. If they could not be stored, the state is as
//! it was and the request is refused. While one write is under way, requests wait and go together into the next.
//!
//! **The same again.** A client numbers its requests; what was answered is kept with what was done, in the same write,
//! until the client says that it has heard it. So a copy or a retry does nothing, before and after a crash.
//!
//! **A port has one order at a time**, and rests for [`Rules::apart`] after each; what comes meanwhile goes together
//! into the next. An order says how the port is to be, not what to change, so giving one again writes nothing if all
//! is well: that is how ports are looked at. One that failed is given again, later each time.
//!
//! **What is seen is put right.** Ports are looked at now and then; one that has something else than was written there
//! is said to be overwritten, and written again. The network is looked over now and then, and when an order has failed:
//! ports come and go with it, and connections that take another way are stored so, and follow.
//!
//! **Several have one history** (Saba 4.3.4). Controllers that share a store each know all that is stored. One decides on
//! what it knows, and its write counts only if nobody has written since; else it learns what they wrote, takes back and
//! decides anew. So all that was ever stored is as one controller would have done it. Each writes the ports of the
//! [`Group`]s that it has and keeps the leases of their clients; which those are it is told ([`Input::Held`]). One that has
//! none takes nothing.
//!
//! **Who starts again knows as much.** What is stored are applications, connections and who is drained. Ports are
//! worked out anew, and of what stands there only what is read counts; clients have a lease from the start on.

mod batch;
mod change;
mod discovery;
mod group;
mod input;
mod leases;
mod machine;
mod outlook;
mod output;
mod owner;
mod port;
mod ports;
mod profiles;
mod request;
mod rules;
mod state;

pub use change::{Answered, Application, Change, Client, Connection, Job, Next};
pub use group::Group;
pub use input::{DiscoveredPort, End, Input, Route, Ticket};
pub use machine::{Core, Moment, Unfit};
pub use outlook::{Differs, Guest};
pub use output::{Cause, OrderId, Output, Task, Why};
pub use owner::Owner;
pub use port::PortState;
pub use profiles::Profiles;
pub use request::{Answer, ClientId, Limited, NumberedRequest, Refusal, Request};
pub use rules::{Limits, Rules};
pub use state::State;
