//! `bandwise saba plan --engine packets`: the same jobs at packet level, beside the flow level.

use super::engine::Packets;
use super::settings::Settings;
use crate::fabric::port_cycle;
use crate::failure::Failure;
use crate::output::note;
use bandwise_report::{Cell, Table};
use bandwise_scenario::Watch;
use bandwise_scenario::jobs::{
    Findings, JobsResults, PacketComparison, PacketExperiment, PacketResults, REACTION,
};
use bandwise_units::Time;
use serde::Serialize;
use std::num::NonZeroU32;
use std::time::Instant;

/// Runs the policies at packet level.
pub(super) fn compare(
    experiment: &PacketExperiment,
    packets: &Packets,
    watch: Watch<'_>,
) -> PacketComparison {
    let began = Instant::now();
    let compared = experiment.compare(&packets.team, watch);
    let hops: u64 = compared.runs.iter().map(|run| run.counters.packet_hops).sum();
    let wall = began.elapsed().as_secs_f64();
    note(format_args!(
        "{:.1} million packet-hops, {:.1} million/s",
        hops as f64 / 1e6,
        hops as f64 / 1e6 / wall
    ));
    compared
}

/// Returns the failure if a run ended in a deadlock.
pub(super) fn deadlock(settings: &Settings, findings: &Findings) -> Option<Failure> {
    let runs = &findings.compared.as_ref()?.runs;
    let run = runs.iter().find(|run| run.deadlock.is_some())?;
    let ports = port_cycle(settings.scenario.fabric(), run.deadlock.as_deref()?).join(" -> ");
    let policy = run.results.policy.as_str();
    let what = "deadlock: these ports wait forever for each other's credits";
    Some(anyhow::anyhow!("{policy}: {what}: {ports}").into())
}

/// Returns the table of differences between packets and rates.
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
            "Additional time of a job at packet level, compared with the flow level, which counts headers too. \
             Volumes and computing times are divided by {}. Jobs notice arrivals every {REACTION}.",
            packets.settings.scale
        ),
        header,
        rows: settings.scenario.jobs().iter().enumerate().map(row).collect(),
    })
}

/// The results at packet level in JSON.
#[derive(Serialize)]
pub(super) struct PacketRows {
    scale: NonZeroU32,
    reaction_s: f64,
    policies: Vec<PacketPolicyRow>,
}

/// The results of a policy at both levels, by job.
#[derive(Serialize)]
struct PacketPolicyRow {
    policy: &'static str,
    flow_level_took_s: Vec<Option<f64>>,
    /// The excess of the packet level, as a fraction.
    beyond_flow_level: Vec<Option<f64>>,
    simulated_s: f64,
    packets_delivered: u64,
    packet_hops: u64,
}

impl PacketRows {
    /// Returns the results, if packets were simulated.
    pub(super) fn new(settings: &Settings, findings: &Findings) -> Option<Self> {
        let (packets, compared) = (settings.packets?, findings.compared.as_ref()?);
        let policies = compared.flows.iter().zip(&compared.runs).zip(compared.differences());
        let row = |((flows, run), beyond_flow_level): ((&JobsResults, &PacketResults), _)| {
            PacketPolicyRow {
                policy: flows.policy.as_str(),
                flow_level_took_s: flows.took.iter().map(|took| took.map(Time::as_s_f64)).collect(),
                beyond_flow_level,
                simulated_s: run.simulated.as_s_f64(),
                packets_delivered: run.counters.packets_delivered,
                packet_hops: run.counters.packet_hops,
            }
        };
        Some(PacketRows {
            scale: packets.settings.scale,
            reaction_s: REACTION.as_s_f64(),
            policies: policies.map(row).collect(),
        })
    }
}
