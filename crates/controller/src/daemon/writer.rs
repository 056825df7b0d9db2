//! The writer thread: carries out orders at ports one by one. Orders that may write go before periodic checks.

use super::fence::Fence;
use super::message::Event;
use super::queue::Queue;
use crate::core::{OrderId, OrderOutcome, Task};
use bandwise_saba::controller::PortId;
use bandwise_switches::{Fault, Plan, Switches, Wanted};
use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

/// An order to the writer.
pub(super) struct Order {
    pub(super) order: OrderId,
    pub(super) port: PortId,
    pub(super) task: Task,
    /// True if the order is a periodic check, for which no caller waits.
    pub(super) is_look: bool,
}

/// Carries out orders until the sender of orders is dropped.
pub(super) fn run(
    mut switches: impl Switches,
    orders: &Receiver<Order>,
    fence: &Fence,
    events: &Queue,
) {
    let mut waiting = BTreeMap::new();
    loop {
        if waiting.is_empty() {
            let Ok(first) = orders.recv() else { return };
            waiting.insert((first.is_look, first.order), first);
        }
        waiting.extend(orders.try_iter().map(|of| ((of.is_look, of.order), of)));
        let Some((_, Order { order, port, task, .. })) = waiting.pop_first() else { continue };
        let outcome = match fence.is_open() {
            true => carry_out(&mut switches, port, task)
                .unwrap_or_else(|fault| OrderOutcome::Failed { error: fault.to_string() }),
            false => OrderOutcome::Failed { error: "another controller may hold the port".into() },
        };
        if events.event(Event::OrderEnded { order, outcome }).is_err() {
            return;
        }
    }
}

fn carry_out(
    switches: &mut impl Switches,
    port: PortId,
    task: Task,
) -> Result<OrderOutcome, Fault> {
    let wanted = match task {
        Task::Read => {
            let config = switches.read_back(port)?;
            return Ok(OrderOutcome::Done { is_written: false, config });
        }
        Task::Check(config) => {
            // Equal weights are not sufficient: other parts of the configuration may have changed.
            return match switches.plan(port, &Wanted::Shared(config))?.is_empty() {
                true => Ok(OrderOutcome::Unchanged),
                false => Ok(OrderOutcome::Differs { found: switches.read_back(port)? }),
            };
        }
        Task::Share(config) => Wanted::Shared(config),
        Task::AsFound => Wanted::AsFound,
    };
    let plan = switches.plan(port, &wanted)?;
    if !plan.is_empty() {
        tracing::debug!(port = port.0, lines = %plan, "writing port");
    }
    let applied = switches.apply(&plan)?;
    Ok(OrderOutcome::Done { is_written: applied.is_written, config: applied.config })
}
