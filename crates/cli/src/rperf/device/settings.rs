//! From flags of the client to what is measured.

use super::flags::{Client, MethodFlag, OperationFlag, TransportFlag};
use crate::failure::Failure;
use crate::output::Outputs;
use bandwise_agents::{Address, DEPTH, usual_bytes, usual_inline};
use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::Chosen;
use bandwise_verbs::session::{Method, Operation, Part, Task};

/// What is measured, checked.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) server: Address,
    pub(super) chosen: Chosen,
    pub(super) task: Task,
    /// How many samples, or messages, or for how long.
    pub(super) until: Until,
    pub(super) seed: u64,
}

/// When it is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rperf) enum Until {
    /// After so many samples, or messages.
    Samples(u64),
    /// After that time.
    Time(Time),
}

impl Until {
    /// How many samples are wanted at most.
    pub(super) fn samples(self) -> u64 {
        match self {
            Until::Samples(samples) => samples,
            Until::Time(_) => u64::MAX,
        }
    }
}

/// Samples, or messages.
const SAMPLES: u64 = 10_000;

impl Client {
    pub(super) fn resolve(self) -> Result<(Settings, Outputs), Failure> {
        // What flags say comes first: it is wrong on any host.
        let method = self.method()?;
        let mtu = self.mtu()?;
        let transport = self.transport();
        let outputs = self.json.resolve(&[])?;
        let is_bulk = matches!(method, Method::Bulk(_));
        for (flag, given) in [("-q", self.qps), ("-t", self.tx_depth)] {
            if given.is_some() && !is_bulk {
                let message =
                    format!("{flag} says nothing about a latency, of one message at a time");
                return Err(Failure::usage(message, format!("{flag} with --method bulk")));
            }
        }
        let inline = self.inline_size.map_or_else(|| usual_inline(method), |inline| inline as u32);
        let bytes = self.size.map_or_else(|| usual_bytes(method), |size| size.get() as u32);
        if is_bulk && bytes == 0 {
            return Err(Failure::usage("-s 0: empty messages have no bandwidth", "-s from 1"));
        }
        let within = "within its range, by the flag's parser or the constant";
        let number = |number: Option<u64>, or: u64| number.unwrap_or(or) as u32;
        let mut task = Task {
            method,
            transport,
            bytes: bytes.try_into().expect(within),
            inline: inline.try_into().expect(within),
            queue_pairs: number(self.qps, 1).try_into().expect(within),
            depth: number(self.tx_depth, u64::from(DEPTH)).try_into().expect(within),
            mtu: mtu.unwrap_or(Mtu::MAX),
            sl: (self.sl as u32).try_into().expect(within),
            traffic_class: (self.traffic_class as u32).try_into().expect(within),
            events: self.events,
        };
        if let Err(error) = task.plan(Part::Client) {
            return Err(Failure::usage(
                error.to_string(),
                "other values of -s, -q, -t, -c, --operation",
            ));
        }
        let chosen = self.port.resolve()?;
        if let Some(mtu) = mtu.filter(|&mtu| mtu > chosen.mtu) {
            let message =
                format!("-m {}: {} has an MTU of {}", mtu.get(), chosen.device, chosen.mtu);
            return Err(Failure::usage(message, format!("up to {}", chosen.mtu.get())));
        }
        task.mtu = task.mtu.min(chosen.mtu);
        if task.transport == Transport::Ud && bytes > task.mtu.get() {
            if self.size.is_some() {
                let message =
                    format!("-s {bytes}: a datagram is one packet, of up to {}", task.mtu);
                return Err(Failure::usage(message, format!("up to {}, or -c rc", task.mtu.get())));
            }
            task.bytes = task.mtu.get().try_into().expect(within);
        }
        let until = match self.duration {
            Some(duration) => Until::Time(duration),
            None => Until::Samples(self.samples.unwrap_or(SAMPLES)),
        };
        Ok((Settings { server: self.server, chosen, task, until, seed: self.seed }, outputs))
    }

    fn transport(&self) -> Transport {
        match self.transport {
            TransportFlag::Rc => Transport::Rc,
            TransportFlag::Ud => Transport::Ud,
        }
    }

    fn method(&self) -> Result<Method, Failure> {
        let operation = self.operation.map(|operation| match operation {
            OperationFlag::Send => Operation::Send,
            OperationFlag::Write => Operation::Write,
            OperationFlag::WriteImm => Operation::WriteImm,
            OperationFlag::Read => Operation::Read,
            OperationFlag::Atomic => Operation::Atomic,
        });
        let only = |name: &str, allowed: &str| {
            Err(Failure::usage(format!("{name} moves its messages in one way alone"), allowed))
        };
        match (self.method, operation) {
            (MethodFlag::Rperf, None | Some(Operation::Send)) => Ok(Method::Rperf),
            (MethodFlag::Rperf, _) => only("rperf", "--operation send"),
            (MethodFlag::PostPoll, None | Some(Operation::Write)) => Ok(Method::PostPoll),
            (MethodFlag::PostPoll, _) => only("post-poll", "--operation write"),
            (MethodFlag::PingPong, given) => Ok(Method::PingPong(given.unwrap_or(Operation::Send))),
            (MethodFlag::ClosedLoop, given) => {
                Ok(Method::ClosedLoop(given.unwrap_or(Operation::Send)))
            }
            (MethodFlag::Bulk, given) => {
                let usual = match self.transport {
                    TransportFlag::Rc => Operation::Write,
                    TransportFlag::Ud => Operation::Send,
                };
                Ok(Method::Bulk(given.unwrap_or(usual)))
            }
        }
    }

    fn mtu(&self) -> Result<Option<Mtu>, Failure> {
        let Some(bytes) = self.mtu else { return Ok(None) };
        match Mtu::try_from(bytes as u32) {
            Ok(mtu) => Ok(Some(mtu)),
            Err(_) => {
                let message = format!("-m {bytes}: there is no such MTU");
                Err(Failure::usage(message, "256, 512, 1024, 2048 or 4096"))
            }
        }
    }
}
