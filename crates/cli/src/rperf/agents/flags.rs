//! Flags of `bandwise rperf agent` and `rperf run`, as they are given.

use super::super::device::address::{host_with, listened_with};
use super::super::device::peers::Peers;
use super::super::device::port::Port;
use super::token::TokenFlag;
use crate::output::{Json, Report};
use crate::values::Refusal;
use bandwise_agents::Address;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The default port of agents.
pub(super) const AGENT_PORT: u16 = 18517;

/// Flags of the agent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An agent only measures, for one coordinator at a time that has the token. It prints the reason for
the end of each connection on standard error. It connects its queue pairs only with those for which
an agent with the token vouches at their own address, by TCP, or with those at an address of --peer.

Examples:
  openssl rand -hex 32 > token && chmod 600 token    # the same file on all hosts
  bandwise rperf agent --token-file token --listen 10.0.0.1
  bandwise rperf agent --token-file token -d mlx5_0 --listen 0.0.0.0:7000")]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(super) port: Port,
    #[command(flatten)]
    pub(super) token: TokenFlag,
    #[command(flatten)]
    pub(super) peers: Peers,
    /// Address to listen at for coordinators
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = listened)]
    #[arg(default_value = "127.0.0.1")]
    pub(super) listen: SocketAddr,
}

/// Flags of the coordinator.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A plan has hosts, with the addresses of their agents, and flows between them. All flows begin
together. Results cover the time in which all are active.

  # plan.toml: the latency of small messages while two hosts send bulk traffic to the same host
  duration = \"10 s\"
  host = [
    { name = \"a\", agent = \"10.0.0.1\" }, { name = \"b\", agent = \"10.0.0.2\" },
    { name = \"c\", agent = \"10.0.0.3\" }, { name = \"d\", agent = \"10.0.0.4\" },
  ]
  flow = [
    { from = [\"b\", \"c\"], to = \"a\", method = \"bulk\", sl = 1 },
    { from = \"d\", to = \"a\", method = \"rperf\" },
    # a key-value store in the manner of HERD: two client threads on d, two workers on a
    { from = \"d\", to = \"a\", method = \"key-value\", clients = 2, workers = 2 },
  ]

Example:
  bandwise rperf run plan.toml --token-file token --report report.html

After an interrupt or the failure of a host, all flows stop. The command prints partial results,
marked `Partial`, and exits with 130 or 1.")]
pub(crate) struct RunFlags {
    /// Plan of hosts and flows in TOML; - for standard input
    #[arg(value_name = "PLAN.toml")]
    pub(super) plan: PathBuf,
    #[command(flatten)]
    pub(super) token: TokenFlag,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) report: Report,
}

/// Parses the address of an agent, `HOST[:PORT]`.
pub(crate) fn agent(text: &str) -> Result<Address, Refusal> {
    host_with(text, AGENT_PORT)
}

fn listened(text: &str) -> Result<SocketAddr, Refusal> {
    listened_with(text, AGENT_PORT)
}
