//! A [`Study`]: one scenario many times, with some of its keys changed.
//!
//! ```toml
//! [sweep]                                         # runs every combination of these values
//! workload.poisson.load = [0.3, 0.5, 0.7, 0.9]    # an axis: a key of the file, and its values
//! run.seed = [1, 2, 3]
//!
//! [sweep.variants.transport]                      # an axis with a name: the name of each place,
//! "IRN" = { transport.kind = "irn" }              # and the keys that it changes
//! "RoCE with PFC" = { transport.kind = "roce", switch.pfc = true }
//!
//! [plot]                                          # the defaults
//! x = "workload.poisson.load"                     # the first axis whose values are numbers
//! y = ["average slowdown", "average FCT", "FCT p99"]
//! ```
//!
//! An axis changes the document, not the scenario: its values replace those of the document before
//! the document is read, and errors name the line of the axis. Points are in the order of the axes in
//! the file, the last axis changing fastest.

mod axes;
mod document;
mod plot;

pub use axes::Axis;
pub use plot::Plot;

use super::spec;
use super::{EthernetScenario, Workload};
use crate::reader::files::File;
use bandwise_input::{InputError, Source};

/// One scenario many times, with some of its keys changed.
#[derive(Debug, Clone)]
pub struct Study {
    /// Title, one line.
    pub title: String,
    /// Axes; empty for a document without `[sweep]`.
    pub axes: Vec<Axis>,
    /// Every combination of places on the axes; a single point without axes.
    pub points: Vec<Point>,
    /// Plots.
    pub plot: Plot,
    /// Warnings about the documents of all points, without duplicates.
    pub warnings: Vec<InputError>,
}

/// A scenario of a study.
#[derive(Debug, Clone)]
pub struct Point {
    /// Place on each axis.
    pub places: Vec<usize>,
    /// Scenario.
    pub scenario: EthernetScenario,
}

/// Most points of a study, since each holds a fabric.
const MOST_POINTS: usize = 1_000;

impl Study {
    /// Reads a TOML network scenario with or without a sweep. `files` is as for
    /// [`EthernetScenario::from_toml`].
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] at the first mistake, also if only one point of the sweep has it.
    pub fn from_toml(
        source: &Source,
        mut files: impl FnMut(&str) -> Result<File, String>,
    ) -> Result<Study, InputError> {
        let mut base = spec::document(source)?;
        let sweep = base.get_mut().remove("sweep");
        let plot = base.get_mut().remove("plot");
        let (axes, changes) = axes::read(source, sweep.as_ref())?;
        let plot = plot::read(source, plot, &axes, sweep.is_some())?;
        let (mut points, mut warnings) = (Vec::new(), Vec::new());
        for places in combinations(&axes) {
            let mut document = base.clone();
            for (changes, &place) in changes.iter().zip(&places) {
                document::change(document.get_mut(), &changes[place]);
            }
            let scenario = spec::from_document(source, document, &mut files);
            let scenario = scenario.map_err(|error| match axes.is_empty() {
                true => error,
                false => error.of(&label(&axes, &places)),
            })?;
            for warning in scenario.warnings {
                let text = warning.to_string();
                if warnings.iter().all(|other: &InputError| other.to_string() != text) {
                    warnings.push(warning);
                }
            }
            points.push(Point { places, scenario: scenario.scenario });
        }
        let title = points.first().map(|point| point.scenario.title.clone()).unwrap_or_default();
        Ok(Study { title, axes, points, plot, warnings })
    }

    /// Sets the seed of all points.
    pub fn set_seed(&mut self, seed: u64) {
        self.points.iter_mut().for_each(|point| point.scenario.seed = seed);
    }

    /// Replaces the workload of all points by a list of flows with this name.
    pub fn set_list(&mut self, name: &str) {
        for point in &mut self.points {
            point.scenario.workload = Workload::List(name.to_owned());
        }
    }

    /// Returns the label of a point: its place on each axis.
    pub fn label(&self, point: &Point) -> String {
        label(&self.axes, &point.places)
    }

    /// Returns the axis of seeds, if there is one.
    pub fn seeds(&self) -> Option<usize> {
        self.axes.iter().position(|axis| axis.name == SEED)
    }
}

/// The key whose values are averaged, not compared.
const SEED: &str = "run.seed";

fn label(axes: &[Axis], places: &[usize]) -> String {
    let parts = axes.iter().zip(places).map(|(axis, &place)| axis.place(place));
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns every combination of places, the last axis changing fastest.
fn combinations(axes: &[Axis]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let count = axes.iter().map(|axis| axis.values.len()).product();
    (0..count).map(move |mut number: usize| {
        let mut places = vec![0; axes.len()];
        for (place, axis) in places.iter_mut().zip(axes).rev() {
            *place = number % axis.values.len();
            number /= axis.values.len();
        }
        places
    })
}
