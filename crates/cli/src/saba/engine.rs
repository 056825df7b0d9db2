//! Flags of the engine that carries the data of jobs.

use crate::failure::Failure;
use crate::values::number;
use bandwise_scenario::jobs::{
    JobsScenario, PACKET_POLICIES, PacketError, PacketSettings, SharingPolicy,
};
use bandwise_threads::Team;
use std::num::{NonZeroU32, NonZeroUsize};

/// The engine that carries the data of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Engine {
    /// Rates of flows: exact and fast
    #[default]
    Flows,
    /// Packets over InfiniBand hosts, switches, lanes and credits; homa over Ethernet
    Packets,
}

/// Flags of the packet level.
#[derive(Debug, Default, clap::Args)]
pub(super) struct PacketFlags {
    /// Engine that carries the jobs' data
    #[arg(long, value_name = "WHICH", default_value = "flows")]
    engine: Engine,
    /// Divisor of volumes and computing times, by which resulting times are multiplied; packets
    /// only. Latencies and packet sizes are not scaled [default: 1000]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(1..=u64::from(u32::MAX)))]
    scale: Option<u64>,
    /// Threads for the parts of the fabric; packets only. They change no result [default: 1]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(1..=1024))]
    threads: Option<u64>,
}

/// The settings of a simulation of packets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packets {
    pub(super) settings: PacketSettings,
    pub(super) team: Team,
}

/// The default divisor of volumes, with which a job of minutes has some hundred thousand packets
/// per host.
const SCALE: u32 = 1_000;

impl PacketFlags {
    pub(super) fn resolve(&self) -> Result<Option<Packets>, Failure> {
        if self.engine == Engine::Flows {
            let flags = [(self.scale.is_some(), "--scale"), (self.threads.is_some(), "--threads")];
            return match flags.into_iter().find(|(given, _)| *given) {
                Some((_, flag)) => {
                    let message = format!("{flag}: flows have no packets");
                    Err(Failure::usage(message, "--engine packets besides"))
                }
                None => Ok(None),
            };
        }
        let scale = self.scale.and_then(|scale| NonZeroU32::new(scale as u32));
        let scale = scale.or(NonZeroU32::new(SCALE)).expect("it is not zero");
        let threads = self.threads.and_then(|threads| NonZeroUsize::new(threads as usize));
        let team = Team::new(threads.unwrap_or(NonZeroUsize::MIN));
        Ok(Some(Packets { settings: PacketSettings { scale }, team }))
    }
}

/// Keeps only the policies that exist at packet level and have enough lanes and paths.
pub(super) fn keep_possible(
    scenario: &JobsScenario,
    settings: PacketSettings,
    policies: &mut Vec<SharingPolicy>,
    left_out: &mut Vec<String>,
) {
    policies.retain(|&policy| PACKET_POLICIES.contains(&policy));
    policies.retain(|&policy| match scenario.under_packets(policy, settings) {
        Err(
            error @ (PacketError::Jobs { .. } | PacketError::Path { .. } | PacketError::Ports(_)),
        ) => {
            left_out.push(error.to_string());
            false
        }
        _ => true,
    });
}

/// Returns the failure for jobs that can't be simulated at packet level.
pub(super) fn refused(error: PacketError) -> Failure {
    let allowed = match &error {
        PacketError::Policy(_) => PACKET_POLICIES.map(SharingPolicy::as_str).join(", "),
        PacketError::Jobs { .. } => "1 to 15 jobs, or policies without a lane a job".into(),
        PacketError::Part(_) => "part = 1.0 in [queues]".into(),
        PacketError::Queues(_) => "--queues 1 to 15".into(),
        PacketError::Ports(error) => format!("homa, or switches of {}", error.allowed()),
        PacketError::Path { .. } => "another policy, or a fabric of shorter paths".into(),
        PacketError::Connections { .. } => "fewer or smaller jobs".into(),
    };
    Failure::usage(format!("--engine packets: {error}"), allowed)
}
