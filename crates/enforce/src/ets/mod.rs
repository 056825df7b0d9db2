//! The sharing of a switch's port in hardware: enhanced transmission selection (ETS, IEEE 802.1Qaz) by the kernel's qdisc
//! `ets`, which a driver offloads. No I/O.
//!
//! A switch assigns a priority to a packet where it enters, and the port that it leaves by serves the priority's band:
//!
//! ```text
//! DSCP of level n   priority n + 1   at all ports of the switch, by its operator: `dcb app`
//! priority          band             by Saba at each port, as the queues of its levels
//! 5aba: ets         band 0           other traffic, priority 0 and the unused ones
//!                   band 1 and up    queue 0 and up, a quantum by weight
//! ```
//!
//! All of that is one change of one qdisc, which is made whole or not at all.

use crate::htb::{HANDLE, Layout, Marks, Unfit};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_units::lowest_terms;
use std::collections::BTreeMap;

/// The largest number of Saba's queues, and of its levels: a switch has eight priorities, and the first is for others.
pub const MOST: u8 = 7;

/// The bands of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bands {
    /// The bytes that each band sends in a round.
    pub quanta: Vec<u32>,
    /// The band of each priority. Linux has 16, switches have the first 8.
    pub of_priority: [u8; 16],
}

/// The root of a switch's port, as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InHardware {
    /// The default of the kernel.
    Kernel,
    /// Saba's tree of HTB, which an earlier version wrote and which has no effect.
    Htb,
    /// Saba's bands.
    Bands {
        /// The bands.
        bands: Bands,
        /// True if the hardware has taken them (TCA_HW_OFFLOAD).
        is_taken: bool,
    },
    /// The root of another program, in tc's words.
    Other(String),
}

/// A port of a switch that forwards packets in hardware (switchdev).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hardware {
    /// The identity of the switch.
    pub switch: String,
    /// The root.
    pub there: InHardware,
    /// The priority of each DSCP that has one, or the reason for which the driver names none.
    pub priorities: Result<BTreeMap<u8, u8>, String>,
}

/// Returns the switch's priority of a level; `None` beyond the last one.
fn priority(level: PriorityLevel) -> Option<u8> {
    u8::try_from(level.0).ok().filter(|&level| level < MOST).map(|level| level + 1)
}

impl Bands {
    /// Returns the bands for a configuration.
    ///
    /// # Errors
    ///
    /// Returns [`Unfit`] if the port can't have the configuration.
    pub fn new(layout: &Layout, config: &PortConfig) -> Result<Self, Unfit> {
        layout.check(config, MOST)?;
        let mut of_priority = [0; 16];
        for (level, queue) in config.table.iter() {
            let priority = priority(level).ok_or(Unfit::NoPriority(level.0))?;
            of_priority[usize::from(priority)] = queue + 1;
        }
        Ok(Bands { quanta: quanta(layout, &config.weights), of_priority })
    }

    /// Returns the configuration of these bands; weights in lowest terms.
    pub fn config(&self) -> PortConfig {
        let queue = |level: PriorityLevel| {
            let band = self.of_priority[usize::from(priority(level)?)];
            let is_there = usize::from(band) < self.quanta.len();
            Some((level, band.checked_sub(1).filter(|_| is_there)?))
        };
        let table = (0..u16::from(MOST)).map(PriorityLevel).filter_map(queue).collect();
        let weights = lowest_terms(self.quanta.get(1..).unwrap_or_default());
        let weight = |weight: u32| u8::try_from(weight).unwrap_or(u8::MAX);
        PortConfig { table, weights: weights.into_iter().map(weight).collect() }
    }

    /// Returns the line of `tc -batch` that sets these bands at a device.
    pub(crate) fn line(&self, device: &str) -> String {
        let bands = self.quanta.len();
        let line = format!("qdisc replace dev {device} root handle {HANDLE:x}: ets bands {bands}");
        let quanta: Vec<String> = self.quanta.iter().map(u32::to_string).collect();
        let priorities: Vec<String> = self.of_priority.iter().map(u8::to_string).collect();
        line + " quanta " + &quanta.join(" ") + " priomap " + &priorities.join(" ")
    }
}

/// Returns the quanta of others and of each queue. Others have their share of all, queues the rest by weight, and each has
/// a packet at least, unless the numbers become too large.
fn quanta(layout: &Layout, weights: &[u8]) -> Vec<u32> {
    let packet = layout.packet().get();
    let weights = lowest_terms(&weights.iter().map(|&weight| weight.into()).collect::<Vec<_>>());
    let Some(&least) = weights.iter().min() else { return vec![packet as u32] };
    let others = layout.others().get();
    let sum: u32 = weights.iter().sum();
    let of_others = f64::from(sum) * others / (1.0 - others);
    let (least, most) = (f64::from(least).min(of_others), f64::from(sum).max(of_others));
    let unit = (packet as f64 / least).ceil().min((f64::from(u32::MAX) / most).floor());
    let first = (of_others * unit).round().max(1.0) as u32;
    [first].into_iter().chain(weights.iter().map(|&weight| weight * unit as u32)).collect()
}

impl Hardware {
    /// Returns the reason for which Saba can't share this port of a device; `None` if it can.
    pub fn obstacle(&self, device: &str, marks: &Marks) -> Option<String> {
        let switch = &self.switch;
        let what = format!(
            "{device} is a port of switch {switch}, which forwards packets in hardware: they never reach HTB in the kernel"
        );
        let there = match &self.priorities {
            Ok(there) => there,
            Err(why) => {
                return Some(format!(
                    "{what}, and its driver offers no ETS with priorities by DSCP (DCB): {why}"
                ));
            }
        };
        let mapping = |level: PriorityLevel| Some((marks.of(level)?.get(), priority(level)?));
        let missing: Vec<String> = (0..u16::from(MOST))
            .filter_map(|level| mapping(PriorityLevel(level)))
            .filter(|(dscp, priority)| there.get(dscp) != Some(priority))
            .map(|(dscp, priority)| format!("{dscp}:{priority}"))
            .collect();
        let command = || missing.join(" ");
        let missing = (!missing.is_empty()).then(command)?;
        Some(format!(
            "{what}. Its ETS needs the priorities of Saba's marks at all ports of the switch: dcb app replace dev {device} \
             dscp-prio {missing}"
        ))
    }
}
