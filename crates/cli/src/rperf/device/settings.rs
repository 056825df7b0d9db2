//! Flags of the client resolved to settings.

use super::flags::{Client, MethodFlag, OperationFlag, TransportFlag};
use crate::failure::Failure;
use crate::output::Outputs;
use bandwise_agents::{default_bytes, default_depth, default_inline};
use bandwise_measure::client::ClientSettings;
use bandwise_measure::program::Until;
use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::defaults;
use bandwise_session::{Method, Operation, Part, Task};
use bandwise_units::Time;
use bandwise_verbs::ibverbs::manager::usable;

/// The first size of a sweep and its default last one, in bytes, as of perftest's `-a`.
const SMALLEST: u32 = 2;
const LARGEST: u32 = 8 << 20;
/// The default time slice: long enough for a hundred messages of 64 KiB at 1 Gbps, short enough to
/// show bursts.
const WINDOW: Time = Time::from_ms(100);

/// Returns the powers of two from 2 up to `largest`.
fn sizes(largest: u32) -> impl Iterator<Item = u32> {
    (1..31).map(|power| 1 << power).take_while(move |&bytes| bytes <= largest)
}

impl Client {
    pub(super) fn resolve(self) -> Result<(ClientSettings, Outputs), Failure> {
        // Flags are checked before the device, so that a mistake is the same error on every host.
        let method = self.method()?;
        let mtu = self.mtu()?;
        let transport = self.transport();
        let outputs = self.json.resolve(&[])?;
        let is_bulk = matches!(method, Method::Bulk(_));
        for (flag, given) in [
            ("-q", self.qps.is_some()),
            ("--threads", self.threads.is_some()),
            ("--rate", self.rate.is_some()),
            ("--window", self.window.is_some()),
        ] {
            if given && !is_bulk {
                let message = format!(
                    "{flag} does not apply to a latency, which is of one message at a time"
                );
                return Err(Failure::usage(message, format!("{flag} with --method bulk")));
            }
        }
        if self.tx_depth.is_some() && !is_bulk && !matches!(method, Method::ClosedLoop(_)) {
            let message = "-t does not apply to a method with one message at a time";
            return Err(Failure::usage(message, "-t with --method bulk or closed-loop"));
        }
        let inline =
            self.inline_size.map_or_else(|| default_inline(method), |inline| inline as u32);
        if self.all && method.operation() == Operation::Atomic {
            return Err(Failure::usage("-a: an atomic always has 8 B", "no -a"));
        }
        // A sweep is checked with its largest size: either all of its sizes are valid or none is.
        let size = if self.all { LARGEST } else { default_bytes(method) };
        let bytes = self.size.map_or(size, |size| size.get() as u32);
        if self.all && bytes < SMALLEST {
            let allowed = format!("-s from {SMALLEST}");
            return Err(Failure::usage(format!("-a -s {bytes}: there is no size"), allowed));
        }
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
            threads: number(self.threads, 1).try_into().expect(within),
            depth: number(self.tx_depth, u64::from(default_depth(method)))
                .try_into()
                .expect(within),
            mtu: mtu.unwrap_or(Mtu::MAX),
            sl: (self.sl as u32).try_into().expect(within),
            traffic_class: (self.traffic_class as u32).try_into().expect(within),
            manager: self.rdma_cm,
            events: self.events,
        };
        if let Err(error) = task.plan(Part::Client) {
            return Err(Failure::usage(
                error.to_string(),
                "other values of -s, -q, -t, -c, --operation, --threads; no -e, -R",
            ));
        }
        if let Some(rate) = self.rate.filter(|rate| !rate.is_for(bytes, task.threads.get())) {
            let message =
                format!("--rate {rate}: a message of {bytes} B would take more than an hour");
            return Err(Failure::usage(message, "a higher rate, or a lower -s"));
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
        if self.rdma_cm {
            usable(&chosen)
                .map_err(|error| Failure::usage(format!("-R: {error}"), "no -R, or another -x"))?;
        }
        let place = self.here.resolve(&chosen.device)?;
        let until = match self.duration {
            Some(duration) => Until::Time(duration),
            None => Until::Samples(self.samples.unwrap_or(defaults::SAMPLES)),
        };
        let tasks = match self.all {
            false => vec![task],
            true => sizes(task.bytes.get())
                .map(|bytes| Task { bytes: bytes.try_into().expect(within), ..task })
                .collect(),
        };
        let settings = ClientSettings {
            server: self.server,
            chosen,
            placement: place,
            tasks,
            allowed: self.peers.allowed,
            rate: self.rate,
            window: self.window.unwrap_or(WINDOW),
            until,
            seed: self.seed,
        };
        Ok((settings, outputs))
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
            Err(Failure::usage(format!("{name} has a fixed operation"), allowed))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_the_powers_of_two() {
        assert_eq!(sizes(SMALLEST).collect::<Vec<_>>(), [2]);
        assert_eq!(sizes(9).collect::<Vec<_>>(), [2, 4, 8]);
        let all: Vec<_> = sizes(LARGEST).collect();
        assert_eq!((all.len(), all.last()), (23, Some(&LARGEST)));
    }
}
