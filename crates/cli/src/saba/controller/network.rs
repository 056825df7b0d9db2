//! The network of a controller, as the settings define it.

use crate::fabric;
use crate::failure::Failure;
use crate::files::Text;
use crate::output::note;
use anyhow::Error;
use bandwise_controller::Marking;
use bandwise_controller::settings::{self, InfiniBand, Network, Settings, Shape, names_of};
use bandwise_enforce::ets;
use bandwise_enforce::htb::Marks;
use bandwise_enforce::tc::{LinuxTc, Namespaces};
use bandwise_enforce::umad::{self, NoDevice, Umad};
use bandwise_enforce_simulated::Simulated;
use bandwise_input::Source;
use bandwise_lab::{Lab, LabError, Record, needs_root};
use bandwise_switches::{Named, Names, Port, Switches};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An opened network.
pub(super) struct Opened<S> {
    /// All ports.
    pub ports: Vec<Port>,
    /// The network for writes.
    pub writer: S,
    /// The network for paths.
    pub paths: S,
    /// The network for discovery.
    pub discovery: S,
}

impl<S: Switches> Opened<S> {
    /// Checks the hosts that the settings name. Of hosts that may be down, a missing one is only noted.
    fn checked(
        mut self,
        of: &Settings,
        source: &Source,
        may_be_down: bool,
    ) -> Result<Self, Failure> {
        for host in &of.hosts {
            host.check_names(source, &mut self.paths)?;
            match host.check(source, &mut self.paths) {
                Err(missing) if may_be_down => note(format_args!("warning: {missing}")),
                checked => checked?,
            }
        }
        Ok(self)
    }

    /// Adds names of hosts.
    fn named(self, names: &Names) -> Opened<Named<S>> {
        let Opened { ports, writer, paths, discovery } = self;
        let [writer, paths, discovery] =
            [writer, paths, discovery].map(|switches| Named::new(switches, names.clone()));
        Opened { ports, writer, paths, discovery }
    }
}

/// An operation on a network of any kind.
pub(super) trait Use {
    /// Runs the operation.
    fn with<S: Switches + Send + 'static>(self, opened: Opened<S>) -> Result<(), Failure>;
}

/// Returns the marks of packets by level.
pub(super) fn marking(network: &Network) -> Marking {
    match network {
        Network::InfiniBand(fabric) => Marking::ServiceLevels(fabric.lanes.sls().to_vec()),
        Network::Ports(ports) => {
            let mut ports = LinuxTc::new(ports.clone(), Marks::local(), Namespaces::default());
            // A switch has fewer priorities than there are marks.
            let levels = if ports.has_hardware() { ets::MOST } else { u8::MAX };
            Marking::Dscp(Marks::local().of_first(levels))
        }
        Network::Lab(_) | Network::Simulated(_) => Marking::Dscp(Marks::local()),
    }
}

/// Discovers the ports, and hands the network over to `to`. Nothing is written.
pub(super) fn open(settings: &Settings, source: &Source, to: impl Use) -> Result<(), Failure> {
    let names = &names_of(&settings.hosts);
    match &settings.network {
        Network::Lab(name) => {
            needs_root()?;
            // The hosts of a lab have addresses, which programs use as names.
            let lab = || -> Result<Lab, LabError> {
                let record = Record::open(name)?;
                record.verify()?;
                Ok(record.lab)
            };
            let mut all: BTreeMap<_, _> = lab()?.addresses().collect();
            all.extend((**names).clone());
            let open = || -> Result<LinuxTc, Failure> {
                Ok(lab()?.switches_with(Marks::local()).map_err(Error::from)?)
            };
            let opened = opened([open()?, open()?, open()?])?;
            to.with(opened.checked(settings, source, false)?.named(&Arc::new(all)))
        }
        Network::Ports(ports) => {
            let open = || LinuxTc::new(ports.clone(), Marks::local(), Namespaces::default());
            let opened = opened([open(), open(), open()])?;
            to.with(opened.checked(settings, source, false)?.named(names))
        }
        Network::InfiniBand(given) => {
            let opened = infiniband(given, source)?;
            to.with(opened.checked(settings, source, true)?.named(names))
        }
        Network::Simulated(given) => {
            let network = simulated(given)?;
            let opened = opened([network.clone(), network.clone(), network])?;
            to.with(opened.checked(settings, source, false)?.named(names))
        }
    }
}

/// Returns the network in memory of the settings, with nothing written to it.
pub(super) fn simulated(given: &settings::Simulated) -> Result<Simulated, Failure> {
    let fabric = match &given.shape {
        Shape::Given(fabric) => (**fabric).clone(),
        Shape::File(file) => {
            fabric::connected(&Text::read_regular(file)?.source(), bandwise_topology::MAX_PORTS)?
        }
    };
    Ok(Simulated::new(fabric, given.queues))
}

fn opened<S: Switches>([mut writer, paths, discovery]: [S; 3]) -> Result<Opened<S>, Failure> {
    let ports = writer.discover().map_err(Error::from)?;
    Ok(Opened { ports, writer, paths, discovery })
}

fn infiniband(given: &InfiniBand, source: &Source) -> Result<Opened<umad::InfiniBand>, Failure> {
    let wrong = |what: String, allowed: &str| {
        Failure::from(source.error(given.place.clone(), what).allowed(allowed))
    };
    let wire = Umad::open(given.device.as_deref(), given.port).map_err(|error| match error {
        NoDevice::Open { .. } => {
            wrong(error.to_string(), "a device that `ibstat` lists, and its port")
        }
        NoDevice::Library(_) => Failure::Work(error.into()),
    })?;
    let fabric = umad::InfiniBand::new(wire, given.lanes.clone(), given.patience);
    let (paths, discovery) = (fabric.another(), fabric.another());
    let opened = opened([fabric, paths, discovery])?;
    for missing in &opened.writer.fabric().missing {
        note(format_args!("warning: not read: {missing}"));
    }
    match opened.ports.is_empty() {
        true => Err(wrong(
            "no port of the fabric has the first of these lanes in use".into(),
            "lanes that links have: `smpquery portinfo` says how many, as OperVLs",
        )),
        false => Ok(opened),
    }
}
