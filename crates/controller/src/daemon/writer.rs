//! Whoever carries orders to ports, one after another; those that write before those that look.

use super::handle::Message;
use crate::core::{End, OrderId, Task};
use bandwise_enforce::{Fault, Plan, Switches, Wanted};
use bandwise_saba::controller::PortId;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender};

/// An order as the writer has it.
pub(super) struct Order {
    pub(super) order: OrderId,
    pub(super) port: PortId,
    pub(super) task: Task,
    /// Nobody waits for it.
    pub(super) is_look: bool,
}

/// Carries orders out until nobody gives any more.
pub(super) fn run(
    mut switches: impl Switches,
    orders: &Receiver<Order>,
    messages: &SyncSender<Message>,
) {
    let mut waiting = BTreeMap::new();
    loop {
        if waiting.is_empty() {
            let Ok(first) = orders.recv() else { return };
            waiting.insert((first.is_look, first.order), first);
        }
        waiting.extend(orders.try_iter().map(|of| ((of.is_look, of.order), of)));
        let Some((_, Order { order, port, task, .. })) = waiting.pop_first() else { continue };
        let end = match carry_out(&mut switches, port, task) {
            Ok(end) => end,
            Err(fault) => End::Failed { said: fault.to_string() },
        };
        if messages.send(Message::Ended { order, end }).is_err() {
            return;
        }
    }
}

fn carry_out(switches: &mut impl Switches, port: PortId, task: Task) -> Result<End, Fault> {
    let wanted = match task {
        Task::Read => {
            let config = switches.read_back(port)?;
            return Ok(End::Done { is_written: false, config });
        }
        Task::Check(config) => {
            // What reads back may be the same, though something else is not as it was written.
            return match switches.plan(port, &Wanted::Shared(config))?.is_empty() {
                true => Ok(End::Stands),
                false => Ok(End::Differs { found: switches.read_back(port)? }),
            };
        }
        Task::Share(config) => Wanted::Shared(config),
        Task::AsFound => Wanted::AsFound,
    };
    let plan = switches.plan(port, &wanted)?;
    if !plan.is_empty() {
        tracing::debug!(port = port.0, lines = %plan, "writes");
    }
    let applied = switches.apply(&plan)?;
    Ok(End::Done { is_written: applied.is_written, config: applied.config })
}
