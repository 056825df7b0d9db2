//! The paper's claims, each with the verdict of the findings and the numbers on which it rests:
//! averages over the seeds.

use super::found::{Found, average};
use super::names::{CONTROLS, FCT, SLOWDOWN, THREE, over, with};
use crate::{Claim, Finding};

/// Returns the claims that have their runs.
pub(super) fn claims(findings: &[Finding]) -> Vec<Claim> {
    let found = Found(findings);
    [
        irn_beats_roce(found),
        irn_needs_no_pfc(found),
        roce_needs_pfc(found),
        recovery_matters(found),
        cap_matters(found),
        recovery_matters_more(found),
        backing_off_helps(found),
        recovery_beats_backing_off(found),
        everywhere_better(found),
        pfc_always_harms(found),
        pfc_hardly_helps(found),
        small_messages(found),
        incast(found),
        aimd_gains_most(found),
        iwarp(found),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn claim(section: &'static str, text: &'static str, holds: bool, numbers: String) -> Option<Claim> {
    Some(Claim { section, text, fabric: "", holds: holds.into(), numbers })
}

/// Returns the averages of the cases `one over other`, for all congestion controls and metrics that
/// have findings.
fn values(found: Found, items: [&str; 2], one: &str, other: &str) -> Vec<f64> {
    let mut values = Vec::new();
    for item in items {
        for control in CONTROLS {
            let case = over(&with(one, control), &with(other, control));
            let of_metric = THREE.iter().filter_map(|m| found.of(item, &case, m));
            values.extend(of_metric.map(Finding::value));
        }
    }
    values
}

/// Returns the smallest value, the largest value, and the range as text.
fn range(values: &[f64]) -> Option<(f64, f64, String)> {
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    Some((least, most, format!("{least:.2} to {most:.2}")))
}

pub(super) fn irn_beats_roce(found: Found) -> Option<Claim> {
    let (least, _, words) = range(&values(found, ["fig1", "fig4"], "RoCE+PFC", "IRN"))?;
    let numbers = format!("each metric of RoCE with PFC is {words} times that of IRN");
    claim("4.2", "IRN (without PFC) performs better than RoCE (with PFC)", least > 1.0, numbers)
}

/// Returns the claim that IRN needs no PFC. Appendix A: a ratio "less than 1.1" of IRN over IRN
/// with PFC "shows that IRN does not require PFC".
pub(super) fn irn_needs_no_pfc(found: Found) -> Option<Claim> {
    let (least, _, words) = range(&values(found, ["fig2", "fig5"], "IRN+PFC", "IRN"))?;
    let numbers = format!("each metric of IRN with PFC is {words} times that of IRN without");
    claim("4.2", "IRN does not require PFC", 1.0 / least < 1.1, numbers)
}

fn roce_needs_pfc(found: Found) -> Option<Claim> {
    let (least, _, words) = range(&values(found, ["fig3", "fig6"], "RoCE", "RoCE+PFC"))?;
    let numbers = format!("each metric of RoCE without PFC is {words} times that of RoCE with it");
    claim("4.2", "RoCE requires PFC", least > 1.0, numbers)
}

/// Returns the average FCT of `one` over that of `other`, for each congestion control.
fn fcts(found: Found, one: &str, other: &str) -> Vec<f64> {
    let ratio = |control: &&str| {
        let of = |transport| Some(found.of("fig7", &with(transport, control), FCT)?.value());
        Some(of(one)? / of(other)?)
    };
    CONTROLS.iter().filter_map(ratio).collect()
}

fn recovery_matters(found: Found) -> Option<Claim> {
    let (least, _, words) = range(&fcts(found, "IRN with go-back-N", "IRN"))?;
    let numbers = format!("its average FCT is {words} times that of IRN");
    claim("4.3", "IRN with go-back-N is significantly worse than IRN", least > 1.0, numbers)
}

fn cap_matters(found: Found) -> Option<Claim> {
    let (least, _, words) = range(&fcts(found, "IRN without BDP-FC", "IRN"))?;
    let numbers = format!("its average FCT is {words} times that of IRN");
    claim("4.3", "IRN without BDP-FC is significantly worse than IRN", least > 1.0, numbers)
}

fn recovery_matters_more(found: Found) -> Option<Claim> {
    let ratios = fcts(found, "IRN with go-back-N", "IRN without BDP-FC");
    let (_, _, words) = range(&ratios)?;
    // "Generally" means in most of the three.
    let worse = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    let numbers = format!("the former's average FCT is {words} times the latter's");
    let text = "IRN with go-back-N is generally worse than IRN without BDP-FC";
    claim("4.3", text, 2 * worse > ratios.len(), numbers)
}

/// Returns the smallest and the largest value of a case of section 4.3 about backing off, in
/// percent.
fn backing_off(found: Found, case: &str) -> Option<(f64, f64)> {
    let end = |end| Some(found.of("text-4.3", &format!("{case}: {end}"), FCT)?.value());
    Some((end("least")?, end("most")?))
}

fn backing_off_helps(found: Found) -> Option<Claim> {
    let gains = |control: &str| {
        let irn = with("IRN", control);
        let (plain, other) =
            (format!("{irn} with go-back-N"), format!("{irn} with go-back-N that backs off"));
        backing_off(found, &format!("{other} below {plain}"))
    };
    let (timely, dcqcn) = (gains("Timely")?, gains("DCQCN")?);
    let numbers = format!(
        "its average FCT is {:.1}% to {:.1}% smaller with Timely, {:.1}% to {:.1}% with DCQCN",
        timely.0, timely.1, dcqcn.0, dcqcn.1
    );
    let text = "backing off on losses improves go-back-N with Timely, though not with DCQCN";
    claim("4.3", text, timely.0 > 0.0 && dcqcn.1 <= 0.0, numbers)
}

fn recovery_beats_backing_off(found: Found) -> Option<Claim> {
    let case = "IRN+Timely below IRN+Timely with go-back-N that backs off";
    let (least, most) = backing_off(found, case)?;
    let numbers = format!("its average FCT is {least:.0}% to {most:.0}% smaller");
    let text = "IRN with Timely is significantly better than go-back-N that backs off";
    claim("4.3", text, least > 0.0, numbers)
}

const ANYWHERE: &str = "text-4.4.1";
const ALL_THREE: &str = "the three metrics";

fn anywhere(found: Found, case: &str) -> Option<f64> {
    found.of(ANYWHERE, case, ALL_THREE).map(Finding::value)
}

fn cells(found: Found, case: &str) -> Option<f64> {
    found.of(ANYWHERE, case, "share of cells").map(Finding::value)
}

fn everywhere_better(found: Found) -> Option<Claim> {
    let least = anywhere(found, "IRN below RoCE+PFC in any scenario: least")?;
    let most = anywhere(found, "IRN below RoCE+PFC in any scenario: most")?;
    let share = cells(found, "IRN better than RoCE+PFC")?;
    let numbers = format!("it is better in {share:.0}% of the cells, by {least:.0}% to {most:.0}%");
    let text = "(a) IRN (without PFC) always performs better than RoCE (with PFC)";
    claim("4.4.1", text, least > 0.0, numbers)
}

fn pfc_always_harms(found: Found) -> Option<Claim> {
    let least = anywhere(found, "IRN+PFC over IRN in any scenario: least")?;
    let most = anywhere(found, "IRN+PFC over IRN in any scenario: most")?;
    let share = cells(found, "IRN better than IRN+PFC")?;
    let numbers = format!(
        "it does in {share:.0}% of the cells: with PFC metrics are {least:.2} to {most:.2} times \
         those without"
    );
    let text = "(b) without congestion control, PFC always degrades IRN's performance";
    claim("4.4.1", text, least > 1.0, numbers)
}

/// Returns the claim that PFC hardly helps, as the paper quantifies it: gains stay within 1.6% for
/// Timely and 5% for DCQCN.
fn pfc_hardly_helps(found: Found) -> Option<Claim> {
    let gain = |control: &str| {
        let (with_pfc, without) = (with("IRN+PFC", control), with("IRN", control));
        anywhere(found, &format!("{with_pfc} below {without} in any scenario: most"))
    };
    let (timely, dcqcn) = (gain("Timely")?, gain("DCQCN")?);
    let numbers = format!("at most {timely:.2}% with Timely, {dcqcn:.2}% with DCQCN");
    let text = "(c) with Timely or DCQCN, what PFC gains IRN stays within 1.6% and 5%";
    claim("4.4.1", text, timely <= 1.6 && dcqcn <= 5.0, numbers)
}

fn small_messages(found: Found) -> Option<Claim> {
    let ratio = |control: &str, metric: &str| {
        let of = |transport| Some(found.of("fig8", &with(transport, control), metric)?.value());
        Some(of("RoCE+PFC")? / of("IRN")?)
    };
    let metrics = ["FCT p90", "FCT p99", "FCT p99.9"];
    let pairs = CONTROLS.iter().flat_map(|control| metrics.map(|metric| (*control, metric)));
    let ratios: Vec<f64> = pairs.filter_map(|(control, metric)| ratio(control, metric)).collect();
    let (least, _, words) = range(&ratios)?;
    let numbers = format!("at 90%, 99% and 99.9%, RoCE's is {words} times IRN's");
    let text = "the tail of single-packet messages is shorter with IRN than with RoCE and PFC";
    claim("4.4.2", text, least > 1.0, numbers)
}

fn incast(found: Found) -> Option<Claim> {
    let most = found.of("fig9", "IRN above RoCE+PFC: most", "RCT")?.value();
    let numbers = format!("at most {most:.1}% longer");
    let text = "without cross-traffic, requests of an incast take at most 2.5% longer with IRN";
    claim("4.4.3", text, most <= 2.5, numbers)
}

fn aimd_gains_most(found: Found) -> Option<Claim> {
    let gain = |metric: &&str| {
        let with_aimd = found.ratio("text-4.4.4", "IRN+PFC+AIMD", "IRN+AIMD", metric)?;
        Some((average(&with_aimd), found.of("fig2", "IRN+PFC over IRN", metric)?.value()))
    };
    let gains: Vec<(f64, f64)> = THREE.iter().filter_map(gain).collect();
    let (_, _, with_aimd) = range(&gains.iter().map(|gain| gain.0).collect::<Vec<_>>())?;
    let (_, _, without) = range(&gains.iter().map(|gain| gain.1).collect::<Vec<_>>())?;
    let numbers =
        format!("metrics with PFC are {with_aimd} times those without, and {without} without AIMD");
    let text = "with AIMD the benefits of disabling PFC are even stronger";
    claim("4.4.4", text, gains.iter().all(|(with, without)| with > without), numbers)
}

fn iwarp(found: Found) -> Option<Claim> {
    let below = found.of("fig11", "IRN below iWARP", SLOWDOWN)?.value();
    let text = "IRN's slowdown is smaller than that of iWARP's TCP";
    claim("4.6", text, below > 0.0, format!("{below:.0}% smaller"))
}
