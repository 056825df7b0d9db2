//! Whoever carries orders to ports, one after another.

use super::handle::Message;
use crate::core::{End, OrderId, Task};
use bandwise_enforce::{Fault, Plan, Switches, Wanted};
use bandwise_saba::controller::PortId;
use std::sync::mpsc::{Receiver, SyncSender};

/// An order as the writer has it.
pub(super) struct Order {
    pub(super) order: OrderId,
    pub(super) port: PortId,
    pub(super) task: Task,
}

/// Carries orders out until nobody gives any more.
pub(super) fn run(
    mut switches: impl Switches,
    orders: &Receiver<Order>,
    desk: &SyncSender<Message>,
) {
    while let Ok(Order { order, port, task }) = orders.recv() {
        let end = match carry_out(&mut switches, port, task) {
            Ok(end) => end,
            Err(fault) => End::Failed { said: fault.to_string() },
        };
        if desk.send(Message::Ended { order, end }).is_err() {
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
