//! Requests over a wire, and the reading and writing of a port.

use super::{InfiniBand, Wire};
use crate::infiniband::{
    Attribute, Data, Exchange, Kind, NodeInfo, Part, PortAt, PortInfo, Request, Route, Smp, Tables,
    Unanswered,
};

/// The reason for which a port could not be read or written, for people.
#[derive(Debug)]
pub(super) struct Reason(pub(super) String);

impl<W: Wire> InfiniBand<W> {
    /// Sends requests, and passes the result of each to `answered`. After `false` no further request is sent, but the
    /// outstanding ones are awaited.
    pub(super) fn ask<K>(
        &mut self,
        asks: Vec<(K, Request)>,
        mut answered: impl FnMut(K, Request, Result<Data, Unanswered>) -> bool,
    ) -> Result<(), Reason> {
        let mut turn = self.line.turn();
        let (wire, number) = &mut *turn;
        let mut exchange = Exchange::new(self.patience, *number);
        asks.into_iter().for_each(|(key, request)| exchange.ask(key, request));
        let broken = |error: std::io::Error| Reason(format!("the device failed: {error}"));
        loop {
            while let Some(smp) = exchange.send(wire.now()) {
                *number = exchange.next_number();
                wire.send(&smp.encode(), self.patience.timeout).map_err(broken)?;
            }
            let Some(deadline) = exchange.deadline() else { return Ok(()) };
            let left = deadline.saturating_sub(wire.now());
            if let Some(bytes) = wire.receive(left).map_err(broken)?
                && let Ok(smp) = Smp::decode(&bytes)
            {
                exchange.received(&smp);
            }
            exchange.passed(wire.now());
            while let Some((key, request, answer)) = exchange.done() {
                if !answered(key, request, answer) {
                    exchange.stop();
                }
            }
        }
    }

    /// Returns the answers to requests, in their order, or the first failure.
    fn answers(&mut self, requests: Vec<Request>) -> Result<Vec<Data>, Reason> {
        let mut data: Vec<Option<Data>> = vec![None; requests.len()];
        let mut wrong = None;
        let asks = requests.into_iter().enumerate().collect();
        self.ask(asks, |at: usize, request, answer| match answer {
            Ok(answer) => {
                data[at] = Some(answer);
                true
            }
            Err(why) => {
                wrong.get_or_insert(Reason(format!("{request}: {why}")));
                false
            }
        })?;
        match (wrong, data.into_iter().collect()) {
            (None, Some(data)) => Ok(data),
            (trouble, _) => Err(trouble.unwrap_or(Reason("no answer".into()))),
        }
    }

    /// Returns the properties and tables of a port, if its stored route still leads to it.
    pub(super) fn read(&mut self, at: PortAt) -> Result<(PortAt, PortInfo, Tables), Reason> {
        let gone = || Reason("the port has left the fabric".into());
        let (route, is_switch, inputs) = self.there(at).ok_or_else(gone)?;
        let info = Request::get(&route, Attribute::PortInfo, at.port.into());
        let who = Request::get(&route, Attribute::NodeInfo, 0);
        let head = self.answers(vec![who, info])?;
        let (who, info) = (NodeInfo::decode(&head[0]), PortInfo::decode(&head[1]));
        if who.guid != at.node || (!is_switch && who.local_port != at.port) {
            let (guid, port) = (who.guid, who.local_port);
            return Err(Reason(format!("route {route} now leads to {guid}, port {port}")));
        }
        let mut tables = Tables::empty(inputs, &info);
        let parts = tables.parts();
        let request = |part: &Part| {
            let (attribute, modifier) = part.address(at.port);
            Request::get(&route, attribute, modifier)
        };
        let answers = self.answers(parts.iter().map(request).collect())?;
        for (&part, data) in parts.iter().zip(&answers) {
            tables.decode(part, data);
        }
        Ok((at, info, tables))
    }

    /// Writes parts of tables to a port, in order, one kind after another.
    pub(super) fn write(
        &mut self,
        at: PortAt,
        tables: &Tables,
        parts: &[Part],
    ) -> Result<(), Reason> {
        let gone = || Reason("the port has left the fabric".into());
        let (route, ..) = self.there(at).ok_or_else(gone)?;
        let kind = |part: &Part| std::mem::discriminant(part);
        for parts in parts.chunk_by(|a, b| kind(a) == kind(b)) {
            let request = |&part: &Part| {
                let (attribute, modifier) = part.address(at.port);
                Request {
                    set: Some(tables.encode(part)),
                    ..Request::get(&route, attribute, modifier)
                }
            };
            self.answers(parts.iter().map(request).collect())?;
        }
        Ok(())
    }

    /// Returns the route to a port, `true` if the port is a switch's, and its input ports.
    fn there(&self, at: PortAt) -> Option<(Route, bool, Vec<u8>)> {
        let node = self.fabric.nodes.get(&at.node)?;
        let (route, _) = node.read.get(&at.port)?;
        let is_switch = node.kind == Kind::Switch;
        let first = if node.has_enhanced_port_0 { 0 } else { 1 };
        let inputs = if is_switch { (first..=node.ports).collect() } else { vec![0] };
        Some((route.clone(), is_switch, inputs))
    }
}
