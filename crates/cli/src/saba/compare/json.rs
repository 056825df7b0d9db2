//! What came of the runs, for programs.

use super::answer::{Answer, Shown, Way};
use super::flags::{App, Settings};
use bandwise_profiler::{Comparison, Setting, Sharing, Spread, Step, Timed};
use serde_json::{Value, json};

/// The document.
pub(super) fn document(settings: &Settings, comparison: &Comparison, answer: &Answer) -> Value {
    let app = |app: &App| json!({ "name": app.name, "command": app.command });
    let run = |(step, timed): &(Step, Vec<Timed>)| {
        let programs = super::members(settings, step.setting).zip(timed).map(|(app, timed)| {
            json!({
                "application": settings.apps[app].name,
                "time_s": timed.time.as_s_f64(),
                "outcome": timed.outcome,
            })
        });
        json!({
            "round": step.round,
            "shared_by": sharing(step.setting),
            "failed_before": step.failed,
            "programs": programs.collect::<Vec<_>>(),
        })
    };
    let slowdown = |Way { sharing, all, each }: &Way| {
        let each = settings.apps.iter().zip(each).map(|(app, of)| {
            let mut spread = spread(of);
            spread["application"] = app.name.clone().into();
            spread
        });
        let programs: Vec<Value> = each.collect();
        let rounds: Vec<f64> = answer.rounds.iter().map(|of| of.mean_slowdown(*sharing)).collect();
        json!({ "shared_by": sharing, "all": spread(all), "rounds": rounds, "programs": programs })
    };
    let gain = |(over, gain): &(Sharing, Spread)| {
        let rounds: Vec<f64> = answer.rounds.iter().map(|round| round.gain(*over)).collect();
        json!({ "over": over, "gain": spread(gain), "rounds": rounds, "shown": Shown::of(gain) })
    };
    json!({
        "schema": 1,
        "config": settings.place.config().display().to_string(),
        "applications": settings.apps.iter().map(app).collect::<Vec<_>>(),
        "ready": settings.ready,
        "seed": settings.seed,
        "rounds": answer.rounds.iter().map(|round| round.number).collect::<Vec<_>>(),
        "slowdowns": answer.slowdowns.iter().map(slowdown).collect::<Vec<_>>(),
        "gains": answer.gains.iter().map(gain).collect::<Vec<_>>(),
        "doubts": answer.doubts,
        "runs": comparison.steps().iter().map(run).collect::<Vec<_>>(),
        "left": comparison.left(),
        "stats": { "version": env!("CARGO_PKG_VERSION") },
    })
}

/// Null where a program runs alone.
fn sharing(setting: Setting) -> Value {
    match setting {
        Setting::Alone(_) => Value::Null,
        Setting::Together(sharing) => json!(sharing),
    }
}

fn spread(spread: &Spread) -> Value {
    json!({ "mean": spread.mean, "within": spread.within })
}
