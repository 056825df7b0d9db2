//! The runs of the points of a study.

use super::answer::StudyAnswer;
use super::csv;
use super::point::Finished;
use super::settings::StudySettings;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use crate::progress::Progress;
use crate::sim::tables::all_warmup;
use anyhow::anyhow;
use bandwise_netsim::engine::Sequential;
use bandwise_scenario::ethernet::{Arrival, Fingerprint, Point};
use bandwise_scenario::{Progress as At, Stop};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Simulates and prints.
pub(crate) fn run(settings: &StudySettings, interrupt: &Interrupt) -> Result<(), Failure> {
    let study = &settings.study;
    let progress = Progress::begin(&format!("simulating {}", study.title));
    progress.steps(study.points.len() as u64);
    let skipped = AtomicUsize::new(0);
    let jobs: Vec<usize> = (0..study.points.len()).collect();
    let finished = bandwise_threads::in_order(settings.threads, &jobs, |&i| {
        let (point, from_store) = point(settings, i, interrupt)?;
        skipped.fetch_add(from_store.into(), Relaxed);
        progress.step();
        Ok::<_, Failure>(point)
    })?;
    let took = progress.end();
    let hops: u64 = finished.iter().flatten().map(|point| point.packet_hops).sum();
    let skipped = match skipped.into_inner() {
        0 => String::new(),
        skipped => format!(", {skipped} of them were there already"),
    };
    note(format_args!(
        "{} points in {:.1} s{skipped}, {:.1} million packet-hops",
        finished.iter().flatten().count(),
        took.as_secs_f64(),
        hops as f64 / 1e6
    ));
    let outputs = &settings.outputs;
    outputs.answer(&StudyAnswer::new(settings, &finished))?;
    if outputs.wants_points() {
        outputs.points(&csv::of(study, &finished)?)?;
    }
    end(&finished)
}

/// Returns the result of the command.
fn end(finished: &[Option<Finished>]) -> Result<(), Failure> {
    if finished.iter().any(Option::is_none) {
        return Err(Failure::Interrupted);
    }
    match finished.iter().flatten().filter(|point| point.stop == "stuck").count() {
        0 => Ok(()),
        stuck => Err(anyhow!(
            "in {stuck} points flows have not arrived and no event is pending: packets of these \
             flows were lost, and no timeout detects it"
        )
        .into()),
    }
}

/// Returns the results of a point, or `None` after an interrupt; and whether the results were
/// stored already.
fn point(
    settings: &StudySettings,
    i: usize,
    interrupt: &Interrupt,
) -> Result<(Option<Finished>, bool), Failure> {
    let point = &settings.study.points[i];
    let store = match &settings.store {
        Some(store) => Some((store, store.key(fingerprint(settings, i, point)?))),
        None => None,
    };
    if let Some(stored) = store.and_then(|(store, key)| store.find(key)) {
        return Ok((Some(stored), true));
    }
    if interrupt.asked() {
        return Ok((None, false));
    }
    let mut watch = |_: At| interrupt.control();
    let results = match &settings.lists[i] {
        Some(list) => {
            let flows = list.flows()?.map(|flow| flow.map(Arrival::from));
            point.scenario.run_with(&Sequential, flows, &mut watch)?
        }
        None => point.scenario.run(&mut watch),
    };
    if results.stop == Stop::Interrupted {
        return Ok((None, false));
    }
    if let Stop::Deadlock(_) | Stop::Stuck = results.stop {
        let missing = results.started - results.finished;
        let label = settings.study.label(point);
        note(format_args!("warning: {label}: {missing} flows will never arrive"));
    }
    if results.is_all_warmup() {
        let (label, what) = (settings.study.label(point), all_warmup(&point.scenario, &results));
        note(format_args!("warning: {label}: {what}"));
    }
    let finished = Finished::of(&results);
    if let Some((store, key)) = store {
        store.keep(key, &settings.study.label(point), &finished)?;
    }
    Ok((Some(finished), false))
}

/// Returns the fingerprint of a point's inputs: its scenario and its flow list.
fn fingerprint(settings: &StudySettings, i: usize, point: &Point) -> Result<Fingerprint, Failure> {
    let fingerprint = point.scenario.fingerprint();
    match &settings.lists[i] {
        Some(list) => list.fingerprint(fingerprint),
        None => Ok(fingerprint),
    }
}
