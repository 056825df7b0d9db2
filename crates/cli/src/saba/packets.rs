//! `bandwise saba plan --engine packets`: the same jobs at packet level, beside the flow level.

use super::findings::Findings;
use super::settings::Settings;
use crate::fabric::circle;
use crate::failure::Failure;
use crate::output::note;
use crate::values::number;
use bandwise_report::{Cell, Table};
use bandwise_scenario::jobs::{
    JobsScenario, JobsWatch, PACKET_POLICIES, PacketComparison, PacketSettings, PacketsError,
    REACTION, SharingPolicy,
};
use bandwise_threads::Team;
use serde_json::{Value, json};
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Instant;

/// What carries the data of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Engine {
    /// Rates of flows, exactly and fast
    #[default]
    Flows,
    /// Packets over InfiniBand hosts, switches, lanes and credits; homa over Ethernet
    Packets,
}

/// Flags about packets.
#[derive(Debug, Default, clap::Args)]
pub(super) struct PacketFlags {
    /// What carries the jobs' data
    #[arg(long, value_name = "WHICH", default_value = "flows")]
    engine: Engine,
    /// With packets: volumes and computing times are divided by this, and the times that come out
    /// multiplied; 1000 if not given. Latencies and packets stay as they are
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number(1..=u64::from(u32::MAX)))]
    scale: Option<u64>,
    /// With packets: threads that share the fabric; 1 if not given. They change no result
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number(1..=1024))]
    threads: Option<u64>,
}

/// How packets are simulated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packets {
    settings: PacketSettings,
    team: Team,
}

/// By what volumes are divided if nobody says: jobs of minutes then have some hundred thousand packets
/// a host.
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

/// Keeps the policies that exist at packet level and that there are lanes and paths for.
pub(super) fn keep_possible(
    scenario: &JobsScenario,
    policies: &mut Vec<SharingPolicy>,
    left_out: &mut Vec<String>,
) {
    policies.retain(|&policy| PACKET_POLICIES.contains(&policy));
    policies.retain(|&policy| match scenario.check_packets(policy) {
        Err(error @ (PacketsError::Jobs { .. } | PacketsError::Path(_))) => {
            left_out.push(error.to_string());
            false
        }
        _ => true,
    });
}

/// Refuses policies that can't be run.
pub(super) fn check(scenario: &JobsScenario, policies: &[SharingPolicy]) -> Result<(), Failure> {
    policies.iter().try_for_each(|&policy| scenario.check_packets(policy).map_err(refused))
}

fn refused(error: PacketsError) -> Failure {
    let allowed = match error {
        PacketsError::Policy(_) => PACKET_POLICIES.map(SharingPolicy::as_str).join(", "),
        PacketsError::Jobs { .. } => "1 to 15 jobs, or policies without a lane a job".into(),
        PacketsError::Part(_) => "part = 1.0 in [queues]".into(),
        PacketsError::Queues(_) => "--queues 1 to 15".into(),
        PacketsError::Path(_) => "another policy, or a fabric of shorter paths".into(),
        PacketsError::Connections { .. } => "fewer or smaller jobs".into(),
    };
    Failure::usage(format!("--engine packets: {error}"), allowed)
}

/// Runs the policies.
pub(super) fn compare(
    settings: &Settings,
    packets: Packets,
    watch: JobsWatch<'_>,
) -> Result<PacketComparison, Failure> {
    let Settings { scenario, policies, .. } = settings;
    let began = Instant::now();
    let compared =
        PacketComparison::run(scenario, policies, packets.settings, &packets.team, watch)
            .map_err(refused)?;
    let hops: u64 = compared.runs.iter().map(|run| run.counters.packet_hops).sum();
    let wall = began.elapsed().as_secs_f64();
    note(format_args!(
        "{:.1} million packet-hops, {:.1} million/s",
        hops as f64 / 1e6,
        hops as f64 / 1e6 / wall
    ));
    Ok(compared)
}

/// The failure that a deadlock is.
pub(super) fn deadlock(settings: &Settings, findings: &Findings) -> Option<Failure> {
    let runs = &findings.compared.as_ref()?.runs;
    let run = runs.iter().find(|run| run.deadlock.is_some())?;
    let ports = circle(&settings.scenario.fabric, run.deadlock.as_deref()?).join(" -> ");
    let policy = run.results.policy.as_str();
    let what = "deadlock: these ports wait for each other's credits for ever";
    Some(anyhow::anyhow!("{policy}: {what}: {ports}").into())
}

/// What packets make of it beyond rates.
pub(super) fn table(settings: &Settings, findings: &Findings) -> Option<Table> {
    let (packets, compared) = (settings.packets?, findings.compared.as_ref()?);
    let differences = compared.differences();
    let mut header = vec!["job".to_owned()];
    header.extend(compared.flows.iter().map(|results| results.policy.as_str().to_owned()));
    let row = |(i, job): (usize, &bandwise_scenario::jobs::SharedJob)| {
        let mut cells = vec![Cell::text(&job.name)];
        let percent = |of: &Vec<Option<f64>>| of[i].unwrap_or(f64::NAN) * 100.0;
        cells.extend(differences.iter().map(|of| Cell::number(percent(of), "%")));
        cells
    };
    Some(Table {
        title: "Packets beside rates".into(),
        caption: format!(
            "By how much a job takes longer at packet level than at flow level, where headers are \
             counted in. Volumes and computing times are 1/{} of what they are; what has arrived is \
             noticed every {REACTION}.",
            packets.settings.scale
        ),
        header,
        rows: settings.scenario.jobs.iter().enumerate().map(row).collect(),
    })
}

/// The same for programs.
pub(super) fn json(settings: &Settings, findings: &Findings) -> Option<Value> {
    let (packets, compared) = (settings.packets?, findings.compared.as_ref()?);
    let policies = compared.flows.iter().zip(&compared.runs).zip(compared.differences());
    let policy = policies.map(|((flows, run), beyond)| {
        let took = flows.took.iter().map(|took| took.map(|took| took.as_s_f64()));
        json!({
            "policy": flows.policy.as_str(),
            "flow_level_took_s": took.collect::<Vec<_>>(),
            "beyond_flow_level": beyond,
            "simulated_s": run.simulated.as_s_f64(),
            "packets_delivered": run.counters.packets_delivered,
            "packet_hops": run.counters.packet_hops,
        })
    });
    Some(json!({
        "scale": packets.settings.scale,
        "reaction_s": REACTION.as_s_f64(),
        "policies": policy.collect::<Vec<_>>(),
    }))
}
