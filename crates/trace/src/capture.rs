//! [`Capture`]: a pcapng file that grows while a scenario runs.

use crate::pcapng;
use bandwise_netsim::ethernet::{CaptureFilter, CaptureRecord};
use bandwise_scenario::ethernet::{EthernetScenario, Wire};
use bandwise_topology::{Fabric, Port};
use bandwise_units::Time;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;

/// The packets to capture, and the size that a capture may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Ports and flows whose packets are captured.
    pub filter: CaptureFilter,
    /// Number of packets after which the capture ends; the run continues.
    pub packets: u64,
    /// Bytes kept of each packet; 0 keeps all.
    pub snap: u32,
}

/// An error for a scenario whose packets have no wire format, such as those of Homa.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("packets of this transport have no format that can be written")]
pub struct NoFormat;

/// The totals of a finished capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Packets written.
    pub packets: u64,
    /// Ports that the file lists as interfaces.
    pub ports: usize,
    /// Time of the last packet.
    pub last: Time,
    /// True if the capture ended at [`Limits::packets`].
    pub is_full: bool,
    /// The first flow of [`Limits::filter`] that the run did not have.
    pub missing_flow: Option<u32>,
}

/// A capture in progress, which writes to `W`.
///
/// The first write error ends the capture; [`Capture::finish`] returns it.
#[derive(Debug)]
pub struct Capture<'a, W> {
    limits: &'a Limits,
    fabric: &'a Fabric,
    wire: Wire<'a>,
    out: W,
    /// Interface numbers of ports, in the order in which the file lists them.
    interfaces: BTreeMap<Port, u32>,
    packets: u64,
    last: Time,
    frame: Vec<u8>,
    block: Vec<u8>,
    failed: Option<io::Error>,
}

impl<'a, W: Write> Capture<'a, W> {
    /// Starts a capture of a run of `scenario` and writes the head of the file.
    ///
    /// `application` names the program that writes the file.
    ///
    /// # Errors
    ///
    /// Returns [`NoFormat`] if the scenario's transport has no wire format.
    pub fn begin(
        limits: &'a Limits,
        scenario: &'a EthernetScenario,
        application: &str,
        out: W,
    ) -> Result<Self, NoFormat> {
        let mut capture = Capture {
            limits,
            fabric: scenario.fabric(),
            wire: Wire::new(scenario).ok_or(NoFormat)?,
            out,
            interfaces: BTreeMap::new(),
            packets: 0,
            last: Time::ZERO,
            frame: Vec::new(),
            block: Vec::new(),
            failed: None,
        };
        pcapng::section(application, &mut capture.block);
        for &port in &limits.filter.ports {
            capture.interface(port);
        }
        capture.write();
        Ok(capture)
    }

    /// Returns the ports and flows to capture.
    pub fn filter(&self) -> CaptureFilter {
        self.limits.filter.clone()
    }

    /// Adds a packet. Breaks if the capture is full or has failed.
    pub fn add(&mut self, record: &CaptureRecord) -> ControlFlow<()> {
        let interface = self.interface(record.port);
        self.frame.clear();
        self.wire.frame(record, &mut self.frame);
        let CaptureRecord { at, direction, .. } = *record;
        pcapng::packet(interface, at, direction, &self.frame, self.limits.snap, &mut self.block);
        self.write();
        (self.packets, self.last) = (self.packets + 1, at);
        match self.is_full() || self.has_failed() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Returns whether a write has failed.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Ends the capture of a run that started `flows` flows. Returns the writer, and the totals or
    /// the first write error.
    pub fn finish(self, flows: u64) -> (W, io::Result<Summary>) {
        let first_missing = flows.min(u32::MAX.into()) as u32;
        let summary = Summary {
            packets: self.packets,
            ports: self.interfaces.len(),
            last: self.last,
            is_full: self.is_full(),
            missing_flow: self.limits.filter.flows.range(first_missing..).next().copied(),
        };
        (self.out, self.failed.map_or(Ok(summary), Err))
    }

    fn is_full(&self) -> bool {
        self.packets >= self.limits.packets
    }

    /// Returns the interface number of a port, and lists the port in the file if it is new.
    fn interface(&mut self, port: Port) -> u32 {
        let next = self.interfaces.len() as u32;
        *self.interfaces.entry(port).or_insert_with(|| {
            let (_, link) = self.fabric.peer(port).expect("a port with a cable");
            let name = self.fabric.describe(port);
            pcapng::interface(&name, link.rate, self.limits.snap, &mut self.block);
            next
        })
    }

    fn write(&mut self) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(&self.block).err();
        }
        self.block.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{all_ports, ports_named};
    use bandwise_input::Source;

    fn scenario(text: &str) -> EthernetScenario {
        let none = |name: &str| Err(format!("no file {name}"));
        let text = format!("kind = \"ethernet\"\n{text}");
        EthernetScenario::from_toml(&Source::new("test", &text), none).unwrap().scenario
    }

    /// A writer that fails.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_first_write_error_is_returned() {
        let scenario = scenario("[run]\nseed = 1\n");
        let flows = [3, 9].into();
        let filter = CaptureFilter { flows, ports: all_ports(scenario.fabric()).take(1).collect() };
        let limits = Limits { filter, packets: 1, snap: 0 };
        let capture = Capture::begin(&limits, &scenario, "test", Full).unwrap();
        assert!(capture.has_failed());
        let error = capture.finish(0).1.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let capture = Capture::begin(&limits, &scenario, "test", Vec::new()).unwrap();
        let (file, summary) = capture.finish(4);
        let summary = summary.unwrap();
        assert_eq!((summary.packets, summary.ports, summary.missing_flow), (0, 1, Some(9)));
        assert!(!summary.is_full && !file.is_empty());
    }

    #[test]
    fn homa_has_no_format() {
        let scenario = scenario("[transport]\nkind = \"homa\"\n");
        let limits = Limits { filter: CaptureFilter::default(), packets: 1, snap: 0 };
        assert_eq!(Capture::begin(&limits, &scenario, "test", Vec::new()).err(), Some(NoFormat));
    }

    #[test]
    fn ports_are_found_by_name() {
        let fabric = scenario("[run]\nseed = 1\n").fabric().clone();
        let host = &fabric.node(fabric.hosts()[0]).name;
        let ports = ports_named(&fabric, host).unwrap();
        assert_eq!(ports_named(&fabric, &format!("{host}:{}", ports[0].number)).unwrap(), ports);
        let error = ports_named(&fabric, &format!("{host}:99")).unwrap_err();
        assert_eq!(error.allowed(), format!("port {}", ports[0].number));
        assert!(ports_named(&fabric, "nobody").unwrap_err().to_string().contains("no node"));
    }
}
