//! The switch: input-queued, virtual output queues, round-robin over inputs at each output
//! (IRN 4.1); store and forward.
//!
//! A packet that finds its output idle passes at once. Otherwise it waits in its input's buffer,
//! and leaves that when its first bit leaves the switch. Without flow control a packet that the
//! buffer has no room for is dropped; with it the sender is told to stop before that.

use super::output::{Net, Output, Pause};
use super::packet::{Kind, Packet};
use super::queues::Queues;
use crate::engine::{ARRIVAL, Event, Node};
use bandwise_random::Stream;
use bandwise_rdma::congestion::RedMarker;
use bandwise_units::{Bytes, Time};

/// How a switch behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchModel {
    /// Buffer of each input port.
    pub buffer: Bytes,
    /// Priority flow control; without it packets are dropped.
    pub pfc: Option<Pfc>,
    /// Which packets are marked (ECN), by what waits for their output when they come in.
    pub ecn: Option<RedMarker>,
}

/// When priority flow control says stop, and go on again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pfc {
    /// Beyond that much in an input's buffer: stop (X-OFF).
    pub stop: Bytes,
    /// At that much or less: go on (X-ON).
    pub go: Bytes,
}

/// What a port counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Frames that left by it.
    pub sent: u64,
    /// Frames that came in by it and were dropped.
    pub dropped: u64,
    /// Frames that were marked before they left by it.
    pub marked: u64,
    /// How often it told its sender to stop.
    pub pauses: u64,
    /// For how long in all, up to the last time it told it to go on.
    pub paused: Time,
    /// The most that its buffer held.
    pub peak: Bytes,
}

#[derive(Debug)]
struct Port {
    output: Output,
    /// Inputs with something for this output, and the one whose turn is next.
    waiting: u64,
    turn: u32,
    /// Bytes that wait for this output.
    queued: u32,
    /// Bytes in this input's buffer.
    held: u32,
    /// Since when its sender is told to stop.
    stopped: Option<Time>,
    counters: PortCounters,
}

/// A switch.
#[derive(Debug)]
pub(crate) struct Switch {
    model: SwitchModel,
    ports: Vec<Port>,
    /// By output and input.
    queues: Queues<Packet>,
    random: Stream,
}

impl Node for Switch {
    type Packet = Packet;
    type Back = Pause;

    /// Does what is due.
    #[inline]
    fn handle(&mut self, event: Event, net: &mut Net) {
        if event.kind() == ARRIVAL {
            self.arrival(event.at(), event.object(), net);
        } else {
            net.woke(self.ports[event.object()].output.end, event.at());
            self.serve(event.at(), event.object(), net);
        }
    }
}

impl Switch {
    /// A switch with these outputs, one a port.
    pub fn new(model: SwitchModel, outputs: Vec<Output>, random: Stream) -> Self {
        let n = outputs.len();
        assert!(n <= 64, "a set of ports is a word");
        let port = |output| Port {
            output,
            waiting: 0,
            turn: 0,
            queued: 0,
            held: 0,
            stopped: None,
            counters: PortCounters::default(),
        };
        Switch {
            model,
            ports: outputs.into_iter().map(port).collect(),
            queues: Queues::new(n * n),
            random,
        }
    }

    #[inline]
    fn arrival(&mut self, now: Time, input: usize, net: &mut Net) {
        let mut packet = net.arrived(self.ports[input].output.end);
        let output = packet.turn();
        let port = &mut self.ports[output];
        if port.waiting == 0 && port.output.is_open(now, net) {
            port.turn = input as u32 + 1;
            return port.output.transmit(now, packet, net);
        }
        if !self.admit(now, input, &packet, net) {
            return;
        }
        let queue = output * self.ports.len() + input;
        let port = &mut self.ports[output];
        if let Some(ecn) = &self.model.ecn
            && packet.kind() == Kind::Data
            && ecn.marks(Bytes::new(port.queued.into()), self.random.below(u64::MAX))
        {
            packet.mark(true);
            port.counters.marked += 1;
        }
        port.queued += u32::from(packet.bytes());
        self.queues.push(queue, packet);
        port.waiting |= 1 << input;
        port.output.wake(now, net);
    }

    /// Takes a packet into an input's buffer, if there is room.
    #[inline]
    fn admit(&mut self, now: Time, input: usize, packet: &Packet, net: &mut Net) -> bool {
        let Port { held, stopped, counters, output, .. } = &mut self.ports[input];
        let after = *held + u32::from(packet.bytes());
        if u64::from(after) > self.model.buffer.get() {
            counters.dropped += 1;
            return false;
        }
        *held = after;
        counters.peak = counters.peak.max(Bytes::new(after.into()));
        if let Some(pfc) = self.model.pfc
            && stopped.is_none()
            && u64::from(after) > pfc.stop.get()
        {
            *stopped = Some(now);
            counters.pauses += 1;
            output.pause(now, true, net);
        }
        true
    }

    /// A packet leaves an input's buffer.
    #[inline]
    fn release(&mut self, now: Time, input: usize, packet: &Packet, net: &mut Net) {
        let Port { held, stopped, counters, output, .. } = &mut self.ports[input];
        *held -= u32::from(packet.bytes());
        if let (Some(pfc), Some(since)) = (self.model.pfc, *stopped)
            && u64::from(*held) <= pfc.go.get()
        {
            *stopped = None;
            counters.paused += now - since;
            output.pause(now, false, net);
        }
    }

    /// An output that was looked at takes the next packet.
    #[inline]
    fn serve(&mut self, now: Time, output: usize, net: &mut Net) {
        let n = self.ports.len();
        let port = &mut self.ports[output];
        if port.waiting == 0 {
            return;
        }
        if !port.output.is_open(now, net) {
            return port.output.wake(now, net);
        }
        let input = next_in_turn(port.waiting, port.turn);
        port.turn = input + 1;
        let queue = output * n + input as usize;
        let packet = self.queues.pop(queue).expect("an input that waits has a packet");
        if self.queues.is_empty(queue) {
            port.waiting &= !(1 << input);
        }
        port.queued -= u32::from(packet.bytes());
        port.output.transmit(now, packet, net);
        if port.waiting != 0 {
            port.output.wake(now, net);
        }
        self.release(now, input as usize, &packet, net);
    }

    /// What its ports counted.
    pub fn counters(&self) -> impl Iterator<Item = PortCounters> + '_ {
        self.ports.iter().map(|port| PortCounters { sent: port.output.sent, ..port.counters })
    }

    /// Packets in its buffers.
    pub fn buffered(&self) -> usize {
        self.queues.len()
    }
}

/// The first of a set from `turn` on, or the first of all.
#[inline]
fn next_in_turn(set: u64, turn: u32) -> u32 {
    let later = if turn < 64 { set & (u64::MAX << turn) } else { 0 };
    if later != 0 { later.trailing_zeros() } else { set.trailing_zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_take_turns() {
        assert_eq!(next_in_turn(0b1010, 0), 1);
        assert_eq!(next_in_turn(0b1010, 2), 3);
        assert_eq!(next_in_turn(0b1010, 4), 1);
        assert_eq!(next_in_turn(1 << 63, 64), 63);
    }
}
