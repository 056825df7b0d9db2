//! The writer thread: carries out orders at ports one by one. Orders that may write go first, then first reads of ports,
//! then periodic checks. So after a restart, ports with connections are right before all others are read.

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
}

/// The place of an order among those that wait: the lowest first.
type Place = (u8, OrderId);

impl Order {
    fn place(&self) -> Place {
        let rank = match self.task {
            Task::Share(_) | Task::AsFound => 0,
            Task::Read => 1,
            Task::Check(_) => 2,
        };
        (rank, self.order)
    }
}

/// Carries out orders until the sender of orders is dropped.
pub(super) fn run(
    mut switches: impl Switches,
    orders: &Receiver<Order>,
    fence: &Fence,
    events: &Queue,
) {
    let mut waiting = BTreeMap::<Place, Order>::new();
    loop {
        if waiting.is_empty() {
            let Ok(first) = orders.recv() else { return };
            waiting.insert(first.place(), first);
        }
        waiting.extend(orders.try_iter().map(|of| (of.place(), of)));
        let Some((_, Order { order, port, task })) = waiting.pop_first() else { continue };
        let outcome = match carry_out(&mut switches, port, task, fence) {
            Ok(outcome) => outcome,
            Err(fault) => OrderOutcome::Failed { error: fault.to_string() },
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
    fence: &Fence,
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
    if !fence.is_open() {
        let error = "another controller may hold the port, since the lease of this one has ended";
        return Ok(OrderOutcome::Failed { error: error.into() });
    }
    let applied = switches.apply(&plan)?;
    Ok(OrderOutcome::Done { is_written: applied.is_written, config: applied.config })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_saba::controller::PortConfig;
    use bandwise_switches::{Applied, Port};
    use std::fmt;
    use std::time::{Duration, Instant};

    struct Change;

    impl fmt::Display for Change {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("all of it")
        }
    }

    impl Plan for Change {
        fn is_empty(&self) -> bool {
            false
        }
    }

    /// Ports that count writes.
    #[derive(Default)]
    struct Counted {
        writes: u32,
    }

    impl Switches for Counted {
        type Plan = Change;

        fn discover(&mut self) -> Result<Vec<Port>, Fault> {
            Ok(Vec::new())
        }

        fn path(&mut self, _: &str, _: &str) -> Result<Vec<PortId>, Fault> {
            Ok(Vec::new())
        }

        fn plan(&mut self, _: PortId, _: &Wanted) -> Result<Change, Fault> {
            Ok(Change)
        }

        fn apply(&mut self, _: &Change) -> Result<Applied, Fault> {
            self.writes += 1;
            Ok(Applied { is_written: true, config: PortConfig::default() })
        }

        fn read_back(&mut self, _: PortId) -> Result<PortConfig, Fault> {
            Ok(PortConfig::default())
        }
    }

    #[test]
    fn order_from_before_the_lease_ended_is_not_carried_out() {
        let fence = Fence::new(Instant::now());
        let mut switches = Counted::default();
        let mut carried_out = |fence: &Fence| {
            let task = Task::Share(PortConfig::default());
            carry_out(&mut switches, PortId(0), task, fence).unwrap();
            switches.writes
        };
        assert_eq!(carried_out(&fence), 0);
        fence.set(Duration::from_secs(3600));
        assert_eq!(carried_out(&fence), 1);
        fence.set(Duration::ZERO);
        assert_eq!(carried_out(&fence), 1);
    }
}
