//! Conversion of the TOML form into a fabric.

use super::error::at;
use super::spec::{BuildSpec, CableSpec, FabricSpec, LinkKey, LinkSpec, UplinkKey};
use super::values::{Count, Quantity};
use crate::infiniband::CABLE_DELAY;
use crate::{
    Fabric, FabricBuilder, FabricError, LONGEST_DELAY, NodeKind, Port, SLOWEST_LINK, builders,
};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use std::ops::Range;
use toml::Spanned;

impl FabricSpec {
    /// Converts the specification into a fabric. `source` is the document of the specification.
    /// `most_ports` is the maximum number of ports of a node, such as
    /// [`infiniband::MAX_PORTS`](crate::infiniband::MAX_PORTS).
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] at the first value that is invalid.
    pub fn resolve(&self, source: &Source, most_ports: u16) -> Result<Fabric, InputError> {
        let resolver = Resolver { source, spec: self, most_ports, builder: FabricBuilder::new() };
        match &self.build {
            Some(build) => resolver.shape(build),
            None => resolver.lists(),
        }
    }
}

struct Resolver<'a> {
    source: &'a Source<'a>,
    spec: &'a FabricSpec,
    most_ports: u16,
    builder: FabricBuilder,
}

impl Resolver<'_> {
    fn shape(self, build: &Spanned<BuildSpec>) -> Result<Fabric, InputError> {
        let FabricSpec { link, switch, host, cable, .. } = self.spec;
        let cables = !cable.is_empty() || matches!(link, LinkKey::Cables(_));
        if cables || !switch.is_empty() || !host.is_empty() {
            let message = "`build` makes all nodes and cables, and this fabric also lists some";
            let allowed = "either `build` or lists of switches, hosts and cables";
            return Err(self.source.error(build.span(), message).allowed(allowed));
        }
        if let LinkKey::Default(LinkSpec { rate: None, .. }) = link {
            let message = "`build` without a rate for its links";
            let error = self.source.error(build.span(), message);
            return Err(error.allowed("`build` and a line such as link = { rate = \"100 Gbps\" }"));
        }
        let (rate, delay) = self.speed(build.span(), None, None)?;
        // The bound exceeds all sizes that can be built, but is small enough for the builder to
        // report it.
        let size = |n: &Spanned<Count>| -> Result<u16, InputError> {
            u16::try_from(n.get_ref().0).map_err(|_| {
                let message =
                    format!("{} is not a number of hosts, ports or switches", n.get_ref().0);
                self.source.error(n.span(), message).allowed("1 or more")
            })
        };
        let built = match build.get_ref() {
            BuildSpec::BackToBack => builders::back_to_back(rate, delay),
            BuildSpec::SingleSwitch(hosts) => builders::single_switch(size(hosts)?, rate, delay),
            BuildSpec::FatTree(k) => builders::fat_tree(size(k)?, rate, delay),
            BuildSpec::LeafSpine { leaves, spines, hosts } => {
                let (leaves, spines, hosts) = (size(leaves)?, size(spines)?, size(hosts)?);
                builders::leaf_spine(leaves, spines, hosts, rate, delay)
            }
            BuildSpec::Directors { count, ports } => {
                builders::directors(size(count)?, size(ports)?, rate, delay)
            }
        };
        let built = built.and_then(|fabric| fabric.check_ports(self.most_ports).map(|()| fabric));
        let built = built.map_err(|e| at(self.source, build.span(), &e))?;
        let Some(uplink) = &self.spec.uplink else { return Ok(built) };
        let tiers = built.uplink_tiers();
        if tiers == 0 {
            let message = "`uplink` is not used: this fabric has no cable between switches";
            let error = self.source.error(uplink.span(), message);
            return Err(error.allowed("`uplink` with fat-tree, leaf-spine or directors"));
        }
        let given = match uplink.get_ref() {
            UplinkKey::All(all) => vec![all; tiers],
            UplinkKey::Tiers(each) if each.len() == tiers => each.iter().collect(),
            UplinkKey::Tiers(each) => {
                let message =
                    format!("uplinks of {} tiers, where the shape has {tiers}", each.len());
                let error = self.source.error(uplink.span(), message);
                return Err(error
                    .allowed("a table for each tier, that of the leaves first, or one for all"));
            }
        };
        let speed = |link: &LinkSpec| self.uplink_speed(uplink.span(), link);
        let given = given.into_iter().map(speed).collect::<Result<Vec<_>, _>>()?;
        built.with_uplinks(&given).map_err(|e| at(self.source, uplink.span(), &e))
    }

    /// Returns the rate and delay of cables between switches: what is not given is that of `link`.
    fn uplink_speed(
        &self,
        span: Range<usize>,
        link: &LinkSpec,
    ) -> Result<(BitRate, Time), InputError> {
        if link.rate.is_none() && link.delay.is_none() {
            let error = self.source.error(span, "`uplink` without a rate and a delay");
            return Err(error.allowed("a `rate`, a `delay` or both, such as rate = \"400 Gbps\""));
        }
        self.speed(span, link.rate.as_ref(), link.delay.as_ref())
    }

    fn lists(mut self) -> Result<Fabric, InputError> {
        if let Some(uplink) = &self.spec.uplink {
            let message = "`uplink` is not used: this fabric lists its cables";
            let error = self.source.error(uplink.span(), message);
            return Err(
                error.allowed("a `rate` and a `delay` of a cable, or `uplink` with `build`")
            );
        }
        self.nodes()?;
        for host in &self.spec.host {
            if let Some(to) = &host.port {
                let node = self.builder.find(host.name.get_ref()).expect("it was just added");
                let to = Spanned::new(to.span(), self.port(to)?);
                let from = Spanned::new(host.name.span(), Port { node, number: 1 });
                self.connect(from, to, None, None)?;
            }
        }
        let links = match &self.spec.link {
            LinkKey::Cables(cables) => cables.as_slice(),
            LinkKey::Default(_) => &[],
        };
        for CableSpec { from, to, rate, delay } in self.spec.cable.iter().chain(links) {
            let from = Spanned::new(from.span(), self.port(from)?);
            let to = Spanned::new(to.span(), self.port(to)?);
            self.connect(from, to, rate.as_ref(), delay.as_ref())?;
        }
        self.builder.build().map_err(|e| {
            let host = |h: &&super::spec::HostSpec| Some(h.name.get_ref().as_str()) == e.node();
            let table = || self.source.text.find("[fabric").map_or(0..0, |at| at..at + 8);
            let span = self.spec.host.iter().find(host).map_or_else(table, |h| h.name.span());
            at(self.source, span, &e)
        })
    }

    /// Adds all nodes, numbered in the order of the document.
    fn nodes(&mut self) -> Result<(), InputError> {
        let switches = &self.spec.switch;
        let hosts = &self.spec.host;
        let mut nodes: Vec<_> = switches
            .iter()
            .map(|s| (&s.name, NodeKind::Switch, Some(&s.ports)))
            .chain(hosts.iter().map(|h| (&h.name, NodeKind::Host, h.ports.as_ref())))
            .collect();
        nodes.sort_by_key(|(name, ..)| name.span().start);
        for (name, kind, ports) in nodes {
            let count = match ports {
                None => 1,
                Some(ports) => self.port_count(ports)?,
            };
            let added = self.builder.add(name.get_ref().clone(), kind, count);
            added.map_err(|e| at(self.source, name.span(), &e))?;
        }
        Ok(())
    }

    fn port_count(&self, ports: &Spanned<Count>) -> Result<u16, InputError> {
        let most = self.most_ports;
        let count = u16::try_from(ports.get_ref().0).ok().filter(|n| (1..=most).contains(n));
        count.ok_or_else(|| {
            let message = format!("a node can't have {} ports", ports.get_ref().0);
            self.source.error(ports.span(), message).allowed(format!("1 to {most} ports"))
        })
    }

    /// Reads `node:port`, or the name of a host for its port 1. Names may contain colons, so the
    /// number follows the last one.
    fn port(&self, text: &Spanned<String>) -> Result<Port, InputError> {
        let error = |message: String| self.source.error(text.span(), message);
        let name = text.get_ref();
        if let Some((node, digits)) = name.rsplit_once(':')
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
            && let Some(node) = self.builder.find(node)
        {
            let ports = self.builder.port_count(node);
            let number = digits.parse::<u16>().ok().filter(|n| (1..=ports).contains(n));
            let number = number.ok_or_else(|| {
                error(format!("there is no port {name:?}")).allowed(format!("ports 1 to {ports}"))
            })?;
            return Ok(Port { node, number });
        }
        match self.builder.find(name) {
            Some(node) if self.builder.kind(node) == NodeKind::Host => Ok(Port { node, number: 1 }),
            Some(node) => {
                let ports = self.builder.port_count(node);
                let error = error(format!("switch {name:?} without a port number"));
                Err(error.allowed(format!("{name}:1 to {name}:{ports}")))
            }
            None => Err(error(format!("there is no node {name:?} in this fabric"))
                .allowed("the name of a host or switch and a port number, such as \"tor:1\"")),
        }
    }

    /// Connects two ports. An error points to the end that causes it.
    fn connect(
        &mut self,
        from: Spanned<Port>,
        to: Spanned<Port>,
        rate: Option<&Spanned<Quantity<BitRate>>>,
        delay: Option<&Spanned<Quantity<Time>>>,
    ) -> Result<(), InputError> {
        let (rate, delay) = self.speed(to.span(), rate, delay)?;
        let from_is_free = self.builder.peer(*from.get_ref()).is_none();
        self.builder.connect(*from.get_ref(), *to.get_ref(), rate, delay).map_err(|e| {
            let taken = matches!(e, FabricError::PortTaken { .. });
            let fault = if taken && !from_is_free { from.span() } else { to.span() };
            at(self.source, fault, &e)
        })
    }

    /// Returns the rate and delay of a cable: its own, or the default.
    fn speed(
        &self,
        span: Range<usize>,
        rate: Option<&Spanned<Quantity<BitRate>>>,
        delay: Option<&Spanned<Quantity<Time>>>,
    ) -> Result<(BitRate, Time), InputError> {
        let none = LinkSpec::default();
        let default = match &self.spec.link {
            LinkKey::Default(default) => default,
            LinkKey::Cables(_) => &none,
        };
        let Some(rate) = rate.or(default.rate.as_ref()) else {
            return Err(self.source.error(span, "this link has no rate").allowed(
                "a `rate` of its own, or link = { rate = \"100 Gbps\" } in [fabric] for all",
            ));
        };
        let Quantity(bit_rate) = *rate.get_ref();
        if bit_rate < SLOWEST_LINK {
            let message = format!("a link can't have a rate of {bit_rate}");
            let allowed = format!("at least {SLOWEST_LINK}, such as \"100 Gbps\"");
            return Err(self.source.error(rate.span(), message).allowed(allowed));
        }
        let Some(delay) = delay.or(default.delay.as_ref()) else {
            return Ok((bit_rate, CABLE_DELAY));
        };
        let Quantity(time) = *delay.get_ref();
        if time > LONGEST_DELAY {
            let message = format!("a link can't have a delay of {time}");
            let allowed = format!("up to {LONGEST_DELAY}, such as \"10 ns\"");
            return Err(self.source.error(delay.span(), message).allowed(allowed));
        }
        Ok((bit_rate, time))
    }
}
