//! `[plot]`: the axes of a study's figures.

use super::{Axis, SEED};
use crate::ethernet::Metric;
use bandwise_input::{InputError, Source};
use serde::Deserialize;
use toml::Spanned;
use toml::de::DeValue;

/// A plot of a study: a figure for each metric, with a curve for each combination of places on the
/// axes other than `x`, averaged over seeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plot {
    /// Axis from left to right; `None` without axes.
    pub x: Option<usize>,
    /// Metrics on the y axis.
    pub y: Vec<Metric>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PlotSpec {
    x: Option<Spanned<String>>,
    y: Option<Spanned<Vec<Spanned<String>>>>,
}

pub(super) fn read(
    source: &Source,
    given: Option<Spanned<DeValue>>,
    axes: &[Axis],
    sweeps: bool,
) -> Result<Plot, InputError> {
    let Some(given) = given else { return Ok(Plot { x: usual(axes), y: Metric::USUAL.to_vec() }) };
    let at = given.span();
    let error = |message: &str| source.error(at.clone(), message);
    if !sweeps {
        return Err(error("a plot of one run").allowed("[plot] beside a [sweep]"));
    }
    let DeValue::Table(table) = given.into_inner() else {
        return Err(error("`plot` is not a table").allowed("[plot] with x and y"));
    };
    let spec: PlotSpec = source.read::<PlotSpec>(Spanned::new(at.clone(), table))?;
    let x = match spec.x {
        Some(name) => Some(axis(source, &name, axes)?),
        None => usual(axes),
    };
    let y = match spec.y {
        Some(names) if names.get_ref().is_empty() => {
            return Err(source.error(names.span(), "a plot without a metric").allowed(metrics()));
        }
        Some(names) => {
            names.get_ref().iter().map(|name| metric(source, name)).collect::<Result<_, _>>()?
        }
        None => Metric::USUAL.to_vec(),
    };
    Ok(Plot { x, y })
}

/// Returns the first axis whose places are numbers, or else the first axis. The axis of seeds is
/// the last choice.
fn usual(axes: &[Axis]) -> Option<usize> {
    let first = |wanted: fn(&Axis) -> bool| axes.iter().position(wanted);
    first(|axis| axis.numbers.is_some() && axis.name != SEED)
        .or_else(|| first(|axis| axis.name != SEED))
        .or_else(|| first(|_| true))
}

fn axis(source: &Source, name: &Spanned<String>, axes: &[Axis]) -> Result<usize, InputError> {
    axes.iter().position(|axis| axis.name == *name.get_ref()).ok_or_else(|| {
        let message = format!("the sweep has no axis {:?}", name.get_ref());
        let names: Vec<&str> = axes.iter().map(|axis| &*axis.name).collect();
        source.error(name.span(), message).allowed(names.join(", "))
    })
}

fn metric(source: &Source, name: &Spanned<String>) -> Result<Metric, InputError> {
    Metric::named(name.get_ref()).ok_or_else(|| {
        let message = format!("there is no metric {:?}", name.get_ref());
        source.error(name.span(), message).allowed(metrics())
    })
}

fn metrics() -> String {
    Metric::ALL.map(Metric::name).join(", ")
}
