//! Flags of `bandwise rperf agent` and `rperf run`, as they are given.

use super::super::device::address::{host_with, listened_with};
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
An agent does nothing but measure, and only for who has the token, one coordinator at a time. Why a
connection has ended stands on standard error.

Examples:
  openssl rand -hex 32 > token && chmod 600 token    # the same file on all hosts
  bandwise rperf agent --token-file token --listen 10.0.0.1
  bandwise rperf agent --token-file token -d mlx5_0 --listen 0.0.0.0:7000")]
pub struct Flags {
    #[command(flatten)]
    pub(super) port: Port,
    #[command(flatten)]
    pub(super) token: TokenFlag,
    /// The address to listen at for coordinators
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = listened)]
    #[arg(default_value = "127.0.0.1")]
    pub(super) listen: SocketAddr,
}

/// Flags of the coordinator.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A plan names hosts with the addresses of their agents, and flows between them. All begin together,
and numbers are of the time in which all are active.

  # plan.toml: what a small message sees while two hosts write to the same one
  duration = \"10 s\"
  host = [
    { name = \"a\", agent = \"10.0.0.1\" }, { name = \"b\", agent = \"10.0.0.2\" },
    { name = \"c\", agent = \"10.0.0.3\" }, { name = \"d\", agent = \"10.0.0.4\" },
  ]
  flow = [
    { from = [\"b\", \"c\"], to = \"a\", method = \"bulk\", sl = 1 },
    { from = \"d\", to = \"a\", method = \"rperf\" },
    # a key-value store in the manner of HERD: two threads of d ask, two of a answer
    { from = \"d\", to = \"a\", method = \"key-value\", clients = 2, workers = 2 },
  ]

Example:
  bandwise rperf run plan.toml --token-file token --report report.html

Interrupted, or when one of the hosts fails, all are stopped; it prints what there is and says
`Partial`, with exit code 130, or 1.")]
pub struct RunFlags {
    /// What is measured between which hosts: TOML, or - for standard input
    #[arg(value_name = "PLAN.toml")]
    pub(super) plan: PathBuf,
    #[command(flatten)]
    pub(super) token: TokenFlag,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) report: Report,
}

/// Where an agent listens: `HOST[:PORT]`.
pub fn agent(text: &str) -> Result<Address, Refusal> {
    host_with(text, AGENT_PORT)
}

fn listened(text: &str) -> Result<SocketAddr, Refusal> {
    listened_with(text, AGENT_PORT)
}
