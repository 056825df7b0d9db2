//! What came of the runs, for programs.

use super::answer::Answer;
use super::flags::Settings;
use bandwise_profiler::{Campaign, Judged, Measured, Run, Verdict};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Model;
use serde_json::{Value, json};

/// The document.
pub(super) fn document(
    settings: &Settings,
    campaign: &Campaign,
    answer: &Answer,
    stored: bool,
) -> Value {
    let run = |run: &Run| {
        json!({
            "share": run.share.get(),
            "purpose": run.purpose,
            "time_s": run.time.as_s_f64(),
            "outcome": run.outcome,
        })
    };
    let table =
        stored.then(|| settings.table.as_ref().map(|path| path.display().to_string())).flatten();
    json!({
        "schema": 1,
        "application": settings.application.as_str(),
        "command": settings.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>(),
        "links": settings.links.to_string(),
        "runs": campaign.runs().iter().map(run).collect::<Vec<_>>(),
        "left": campaign.left(),
        "given_up": campaign.given_up().iter().map(|next| next.share.get()).collect::<Vec<_>>(),
        "shares": answer.judged.iter().flat_map(|judged| &judged.measured).map(measured).collect::<Vec<_>>(),
        "verdict": answer.judged.as_ref().map(verdict),
        "models": answer.models.iter().map(|(name, model)| self::model(name, model, answer)).collect::<Vec<_>>(),
        "doubts": answer.doubts,
        "table": table,
        "stats": { "version": env!("CARGO_PKG_VERSION") },
    })
}

fn measured(measured: &Measured) -> Value {
    json!({
        "share": measured.share.get(),
        "runs": measured.runs,
        "mean_s": measured.mean_s,
        "least_s": measured.least.as_s_f64(),
        "most_s": measured.most.as_s_f64(),
        "slowdown": measured.slowdown,
        "within": measured.within,
    })
}

fn verdict(judged: &Judged) -> Value {
    match judged.verdict {
        Verdict::Unknown => json!({ "is": "unknown" }),
        Verdict::Enough => json!({ "is": "enough" }),
        Verdict::Noisy { share, within, repeats } => {
            json!({ "is": "noisy", "share": share.get(), "within": within, "repeats": repeats })
        }
    }
}

fn model(name: &str, model: &Model, answer: &Answer) -> Value {
    let r_squared = answer.samples.as_ref().ok().map(|samples| model.r_squared(samples));
    let knot =
        |&(share, slowdown): &(Share, f64)| json!({ "share": share.get(), "slowdown": slowdown });
    match model {
        Model::Monotone(monotone) => json!({
            "kind": name,
            "r_squared": r_squared,
            "knots": monotone.knots().iter().map(knot).collect::<Vec<_>>(),
        }),
        Model::Polynomial(polynomial) => json!({
            "kind": name,
            "r_squared": r_squared,
            "coefficients": polynomial.coefficients(),
        }),
    }
}
