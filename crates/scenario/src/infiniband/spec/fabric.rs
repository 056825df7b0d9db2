//! What a scenario asks of its fabric beyond being one.

use crate::infiniband::InfinibandScenario;
use bandwise_input::{InputError, Source};
use bandwise_topology::routes::credit_loop;
use std::ops::Range;

/// Ports of a credit loop that an error names; nobody reads more.
const MOST_PORTS: usize = 32;

/// Routes that can't deadlock. `at` says where errors of a node stand, `loops_allowed` what lets
/// them be.
pub(crate) fn check_credits(
    source: &Source,
    at: impl Fn(&str) -> Range<usize>,
    loops_allowed: &str,
    scenario: &InfinibandScenario,
) -> Result<(), InputError> {
    let Some(ports) = credit_loop(&scenario.fabric, &scenario.routes) else { return Ok(()) };
    let name = |&port: &_| scenario.fabric.describe(port);
    let mut names: Vec<String> = ports.iter().take(MOST_PORTS).map(name).collect();
    if ports.len() > MOST_PORTS {
        names.push(format!("({} more)", ports.len() - MOST_PORTS));
    }
    names.extend(ports.first().map(name));
    let message =
        format!("ports can wait for each other's credits in a circle: {}", names.join(" -> "));
    let allowed = format!("switches that form no ring, or {loops_allowed} to see it happen");
    let first = ports.first().map_or(0..0, |port| at(&scenario.fabric.node(port.node).name));
    Err(source.error(first, message).allowed(allowed))
}
