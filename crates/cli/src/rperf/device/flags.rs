//! Flags of `bandwise rperf server` and `client`, as they are given. A flag that perftest has too
//! has the same letter.

use super::address::{host, listened};
use super::here::Here;
use super::peers::Peers;
use super::port::Port;
use super::rate::rate;
use crate::output::Json;
use crate::values::{Refusal, duration, number, refused, size};
use bandwise_agents::Address;
use bandwise_measure::rate::Rate;
use bandwise_units::{Bytes, Time};
use std::net::SocketAddr;

/// Flags of the server.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every client that reaches the address is served, one at a time, and only with measurements. A client
that is silent for 4 s is dropped. Its queue pairs have to be at the address from which it connects,
or at one of --peer: traffic goes to no third host.

Examples:
  bandwise rperf server --listen 0.0.0.0
  bandwise rperf server -d mlx5_0 --listen 10.0.0.1:7000 --once")]
pub(crate) struct Server {
    #[command(flatten)]
    pub(super) port: Port,
    #[command(flatten)]
    pub(super) here: Here,
    /// Address to listen at for clients
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = listened)]
    #[arg(default_value = "127.0.0.1")]
    pub(super) listen: SocketAddr,
    #[command(flatten)]
    pub(super) peers: Peers,
    /// Memory that one client can have
    #[arg(long, value_name = "SIZE", value_parser = memory, default_value = "256 MiB")]
    #[arg(allow_hyphen_values = true)]
    pub(super) memory: Bytes,
    /// Time for which one client is served
    #[arg(long, value_name = "TIME", value_parser = longest, default_value = "3660 s")]
    #[arg(allow_hyphen_values = true)]
    pub(super) longest: Time,
    /// End after the first client
    #[arg(long)]
    pub(super) once: bool,
}

/// Flags of the client.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Short flags are those of perftest if they mean the same. Times are round trips, of which perftest
prints half. Bandwidth is in Gbps, that of perftest in 2^20 B/s.

Examples:
  # The latency of the network without that of hosts: RPerf
  bandwise rperf client node1
  # The same as ib_send_lat and ib_write_bw
  bandwise rperf client node1 --method ping-pong -s 2 -n 10000
  bandwise rperf client node1 --method bulk -s 65536 -q 2 -D 10 --json bulk.json
  # Each message size; small messages from four threads; sleeping in place of busy polling
  bandwise rperf client node1 --method ping-pong -a -n 1000
  bandwise rperf client node1 --method bulk -s 64 --threads 4 --cpu 0-3 -D 10
  bandwise rperf client node1 --method ping-pong -e

After an interrupt or the loss of the other side, the command prints partial results, marked
`Partial`, and exits with 130 or 1.")]
pub(crate) struct Client {
    /// Host of `bandwise rperf server`, and its port if it is not 18516
    #[arg(value_name = "HOST[:PORT]", value_parser = host)]
    pub(super) server: Address,
    #[command(flatten)]
    pub(super) port: Port,
    #[command(flatten)]
    pub(super) here: Here,
    #[command(flatten)]
    pub(super) peers: Peers,
    /// Measuring method
    #[arg(long, value_enum, value_name = "METHOD", default_value = "rperf")]
    pub(super) method: MethodFlag,
    /// Operation of messages. Closed-loop takes any; ping-pong and bulk take those that the other
    /// side receives [default: write for post-poll and for bulk over connections, else send]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) operation: Option<OperationFlag>,
    /// Transport service: reliable connections, or datagrams for ping-pong and bulk by SEND
    #[arg(short = 'c', long, value_enum, value_name = "SERVICE", default_value = "rc")]
    pub(super) transport: TransportFlag,
    /// Payload of a message; 8 B for atomic [default: 64 B; bulk: 64 KiB, or the most that a
    /// datagram holds]
    #[arg(short = 's', long, value_name = "SIZE", value_parser = size)]
    #[arg(allow_hyphen_values = true)]
    pub(super) size: Option<Bytes>,
    /// Measure all sizes, each with -n or -D: 2 B, 4 B, 8 B … up to 8 MiB, or up to -s
    #[arg(short = 'a', long)]
    pub(super) all: bool,
    /// Samples; for bulk, messages [default: 10000]
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration")]
    #[arg(value_parser = number(1..=1_000_000_000))]
    pub(super) samples: Option<u64>,
    /// Duration in place of -n: seconds, or a time such as '500 ms'
    #[arg(short = 'D', long, value_name = "TIME", value_parser = seconds)]
    #[arg(allow_hyphen_values = true)]
    pub(super) duration: Option<Time>,
    /// Threads, each with its own queue pairs and completion queue; bulk only [default: 1]
    #[arg(long, value_name = "N", value_parser = number(1..=64))]
    pub(super) threads: Option<u64>,
    /// Rate limit; bulk only: a number of Gbps, a rate with its unit, or messages per second, such
    /// as '2 Mpps'
    #[arg(long, value_name = "RATE", value_parser = rate)]
    #[arg(allow_hyphen_values = true)]
    pub(super) rate: Option<Rate>,
    /// Time slice for peak and minimum of the bandwidth; bulk only [default: 100 ms]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    #[arg(allow_hyphen_values = true)]
    pub(super) window: Option<Time>,
    /// Queue pairs of a thread; bulk only [default: 1]
    #[arg(short = 'q', long, value_name = "N", value_parser = number(1..=1024))]
    pub(super) qps: Option<u64>,
    /// Messages in flight per queue pair; bulk and closed-loop only [default: 128; closed-loop: 1]
    #[arg(short = 't', long, value_name = "N", value_parser = number(1..=16384))]
    pub(super) tx_depth: Option<u64>,
    /// Largest payload of a packet, 256 to 4096 [default: the most that both ports take]
    #[arg(short = 'm', long, value_name = "BYTES", value_parser = number(256..=4096))]
    pub(super) mtu: Option<u64>,
    /// Service level; on Ethernet, the priority
    #[arg(short = 'S', long, value_name = "N", value_parser = number(0..=15), default_value = "0")]
    pub(super) sl: u64,
    /// Traffic class of packets; on IP, the byte with DSCP and ECN
    #[arg(long, value_name = "N", value_parser = number(0..=255), default_value = "0")]
    pub(super) traffic_class: u64,
    /// Largest payload inlined in a WQE [default: 0; ping-pong: 236, by WRITE 220]
    #[arg(short = 'I', long, value_name = "BYTES", value_parser = number(0..=4096))]
    pub(super) inline_size: Option<u64>,
    /// Connect by the RDMA connection manager (RDMA-CM) instead of an exchange over TCP
    #[arg(short = 'R', long)]
    pub(super) rdma_cm: bool,
    /// Sleep until a completion event on both sides, instead of busy polling
    #[arg(short = 'e', long)]
    pub(super) events: bool,
    /// Seed of the random pauses between samples
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), default_value = "1")]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) json: Json,
}

/// A measuring method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum MethodFlag {
    /// Time of a SEND over the wire minus that of one over the loopback
    Rperf,
    /// A message answered by software, as in perftest
    PingPong,
    /// A WRITE and its completion, as in qperf
    PostPoll,
    /// A request and its completion, with -t requests in flight
    ClosedLoop,
    /// Bulk traffic: bandwidth instead of latency
    Bulk,
}

/// A transport service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TransportFlag {
    /// Reliable connections
    Rc,
    /// Unreliable datagrams of one packet; a ping-pong waits forever for a lost one
    Ud,
}

/// The operation of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum OperationFlag {
    /// SEND, which needs a RECV of the other side
    Send,
    /// WRITE to the other side's memory
    Write,
    /// WRITE with immediate, which needs a RECV too
    WriteImm,
    /// READ from the other side's memory; closed-loop only
    Read,
    /// Fetch and add on the other side's memory; closed-loop only
    Atomic,
}

/// Parses whole seconds, as perftest has them, or a time with its unit.
fn seconds(text: &str) -> Result<Time, Refusal> {
    match text.trim().bytes().all(|b| b.is_ascii_digit()) {
        true => duration(&format!("{} s", text.trim())),
        false => duration(text),
    }
}

/// Parses the memory of a client.
fn memory(text: &str) -> Result<Bytes, Refusal> {
    let allowed = || "1 MiB to 1 TiB, such as \"3 GiB\"".to_owned();
    match text.parse::<Bytes>() {
        Ok(bytes) if (1 << 20..=1 << 40).contains(&bytes.get()) => Ok(bytes),
        Ok(_) => refused(None, allowed()),
        Err(error) => refused(Some(error.to_string()), allowed()),
    }
}

/// Parses the time of a client.
fn longest(text: &str) -> Result<Time, Refusal> {
    let (least, most) = (Time::from_ms(1_000), Time::from_ms(7 * 24 * 3_600_000));
    let allowed = || format!("{least} to {most}, such as \"600 s\"");
    match text.parse::<Time>() {
        Ok(time) if (least..=most).contains(&time) => Ok(time),
        Ok(_) => refused(None, allowed()),
        Err(error) => refused(Some(error.to_string()), allowed()),
    }
}
