//! Flags of `bandwise rperf server` and `client`, as they are given. Where perftest has a flag for the same, its
//! letter is the same.

use super::address::{host, listened};
use super::here::Here;
use super::port::Port;
use super::rate::rate;
use crate::output::Json;
use crate::values::{Refusal, duration, number, size};
use bandwise_agents::Address;
use bandwise_measure::rate::Rate;
use bandwise_units::{Bytes, Time};
use std::net::SocketAddr;

/// Flags of the server.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Whoever reaches the address can have this host answer, one at a time; nothing else is done for them.
Who is gone is given up after 4 s.

Examples:
  bandwise rperf server --listen 0.0.0.0
  bandwise rperf server -d mlx5_0 --listen 10.0.0.1:7000 --once")]
pub struct Server {
    #[command(flatten)]
    pub(super) port: Port,
    #[command(flatten)]
    pub(super) here: Here,
    /// The address to listen at for those who measure
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = listened)]
    #[arg(default_value = "127.0.0.1")]
    pub(super) listen: SocketAddr,
    /// End after the first who measured
    #[arg(long)]
    pub(super) once: bool,
}

/// Flags of the client.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Letters are those of perftest where they mean the same. Times are round trips, of which perftest
prints half; its bandwidth is in 2^20 B/s, here it is in Gbps.

Examples:
  # The network alone, without what hosts add: RPerf
  bandwise rperf client node1
  # What ib_send_lat and ib_write_bw measure
  bandwise rperf client node1 --method ping-pong -s 2 -n 10000
  bandwise rperf client node1 --method bulk -s 65536 -q 2 -D 10 --json bulk.json
  # Each message size; small messages from four threads; sleeping in place of looking all the time
  bandwise rperf client node1 --method ping-pong -a -n 1000
  bandwise rperf client node1 --method bulk -s 64 --threads 4 --cpu 0-3 -D 10
  bandwise rperf client node1 --method ping-pong -e

Interrupted, or when the other side is gone, it prints what it has and says `Partial`, with exit
code 130, or 1.")]
pub struct Client {
    /// The host where `bandwise rperf server` runs, and its port if it is not 18516
    #[arg(value_name = "HOST[:PORT]", value_parser = host)]
    pub(super) server: Address,
    #[command(flatten)]
    pub(super) port: Port,
    #[command(flatten)]
    pub(super) here: Here,
    /// How to measure
    #[arg(long, value_enum, value_name = "METHOD", default_value = "rperf")]
    pub(super) method: MethodFlag,
    /// How messages are moved; if not given, by SEND, with post-poll and, over connections, bulk by WRITE;
    /// closed-loop takes any, ping-pong and bulk those that the other side receives
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) operation: Option<OperationFlag>,
    /// Over which transport service: reliable connections, or datagrams with ping-pong and bulk by SEND
    #[arg(short = 'c', long, value_enum, value_name = "SERVICE", default_value = "rc")]
    pub(super) transport: TransportFlag,
    /// Payload of a message; if not given, 64 B, for bulk 64 KiB or as much as a
    /// datagram holds; an atomic has 8 B
    #[arg(short = 's', long, value_name = "SIZE", value_parser = size)]
    #[arg(allow_hyphen_values = true)]
    pub(super) size: Option<Bytes>,
    /// One size after another, each with -n or -D: 2 B, 4 B, 8 B … up to 8 MiB, or up to -s
    #[arg(short = 'a', long)]
    pub(super) all: bool,
    /// Samples to take, with bulk messages to send; if not given, 10000
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration")]
    #[arg(allow_negative_numbers = true, value_parser = number(1..=1_000_000_000))]
    pub(super) samples: Option<u64>,
    /// How long to measure in place of that: seconds, or a time such as '500 ms'
    #[arg(short = 'D', long, value_name = "TIME", value_parser = seconds)]
    #[arg(allow_hyphen_values = true)]
    pub(super) duration: Option<Time>,
    /// Threads, each with queue pairs and a completion queue of its own, with bulk alone; if not given, 1
    #[arg(long, value_name = "N", value_parser = number(1..=64))]
    #[arg(allow_negative_numbers = true)]
    pub(super) threads: Option<u64>,
    /// What to send at most, with bulk alone: Gbps as a number, another rate, or messages a second, such as
    /// '2 Mpps'
    #[arg(long, value_name = "RATE", value_parser = rate)]
    #[arg(allow_hyphen_values = true)]
    pub(super) rate: Option<Rate>,
    /// Over how long a peak and a minimum of the bandwidth are taken, with bulk alone; if not given, 100 ms
    #[arg(long, value_name = "TIME", value_parser = duration)]
    #[arg(allow_hyphen_values = true)]
    pub(super) window: Option<Time>,
    /// Queue pairs of a thread, with bulk alone; if not given, 1
    #[arg(short = 'q', long, value_name = "N", value_parser = number(1..=1024))]
    #[arg(allow_negative_numbers = true)]
    pub(super) qps: Option<u64>,
    /// Messages posted at a time to a queue pair, with bulk and closed-loop; if not given, 128, with closed-loop 1
    #[arg(short = 't', long, value_name = "N", value_parser = number(1..=16384))]
    #[arg(allow_negative_numbers = true)]
    pub(super) tx_depth: Option<u64>,
    /// The largest payload of a packet: 256 to 4096; if not given, what both ports take
    #[arg(short = 'm', long, value_name = "BYTES", value_parser = number(256..=4096))]
    #[arg(allow_negative_numbers = true)]
    pub(super) mtu: Option<u64>,
    /// Service level; on Ethernet the priority
    #[arg(short = 'S', long, value_name = "N", value_parser = number(0..=15), default_value = "0")]
    #[arg(allow_negative_numbers = true)]
    pub(super) sl: u64,
    /// The traffic class of packets: on IP, the byte with DSCP and ECN
    #[arg(long, value_name = "N", value_parser = number(0..=255), default_value = "0")]
    #[arg(allow_negative_numbers = true)]
    pub(super) traffic_class: u64,
    /// The largest payload inside a WQE; if not given, 0, with ping-pong 236, by WRITE 220
    #[arg(short = 'I', long, value_name = "BYTES", value_parser = number(0..=4096))]
    #[arg(allow_negative_numbers = true)]
    pub(super) inline_size: Option<u64>,
    /// Connect by RDMA's connection manager (RDMA-CM) in place of what the two sides tell each other
    #[arg(short = 'R', long)]
    pub(super) rdma_cm: bool,
    /// Sleep until a completion wakes, on both sides, in place of looking for it all the time
    #[arg(short = 'e', long)]
    pub(super) events: bool,
    /// What the pauses between samples are drawn from
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), default_value = "1")]
    #[arg(allow_negative_numbers = true)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) json: Json,
}

/// How to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum MethodFlag {
    /// A SEND over the wire less one over the loopback
    Rperf,
    /// A message that software answers, as perftest does
    PingPong,
    /// A WRITE and its completion, as qperf does
    PostPoll,
    /// A request and its completion, one at a time or as many as -t says
    ClosedLoop,
    /// As much as goes through: bandwidth instead of latency
    Bulk,
}

/// Over which transport service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TransportFlag {
    /// Reliable connections
    Rc,
    /// Unreliable datagrams, of one packet; if one is lost, a ping-pong waits for it
    Ud,
}

/// How messages are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum OperationFlag {
    /// SEND, which takes a RECV of the other side
    Send,
    /// WRITE into the other side's memory
    Write,
    /// WRITE with immediate, which takes a RECV too
    WriteImm,
    /// READ from the other side's memory, with closed-loop alone
    Read,
    /// Fetch and add on the other side's memory, with closed-loop alone
    Atomic,
}

/// Whole seconds, as perftest has them, or a time with its unit.
fn seconds(text: &str) -> Result<Time, Refusal> {
    match text.trim().bytes().all(|b| b.is_ascii_digit()) {
        true => duration(&format!("{} s", text.trim())),
        false => duration(text),
    }
}
