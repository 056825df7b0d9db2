//! The studies in `papers/irn/*.toml`, and the names of their points.

use super::names::{NONE, with};
use bandwise_input::Source;
use bandwise_scenario::ethernet::{EthernetScenario, Study};
use std::num::NonZeroU32;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$((
            concat!($name, ".toml"),
            include_str!(concat!("../../../../papers/irn/", $name, ".toml")),
        )),+]
    };
}

/// All studies, as pairs of name and text.
pub(super) const FILES: &[(&str, &str)] = files![
    "basic",
    "lossy-roce",
    "lossy-roce-with-congestion-control",
    "factors",
    "backing-off",
    "incast",
    "incast-variations",
    "incast-with-cross-traffic",
    "windows",
    "iwarp",
    "overheads",
    "table3",
    "table4",
    "table5",
    "table6",
    "table7",
    "table8",
    "table9",
];

/// Divisor of the time in which flows start, with `--quick`.
const QUICK: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// A point of a study.
pub(super) struct Point {
    /// Variant besides the transport; may be empty.
    pub variant: String,
    /// Transport, with or without PFC.
    pub transport: String,
    /// Congestion control.
    pub control: String,
    pub scenario: EthernetScenario,
}

impl Point {
    /// Returns the name in the paper's tables: `load 30% IRN+PFC+Timely`.
    pub(super) fn name(&self) -> String {
        let name = with(&self.transport, &self.control);
        match &*self.variant {
            "" => name,
            variant => format!("{variant} {name}"),
        }
    }
}

/// Returns the points of a study, given the name of its file.
pub(super) fn points(file: &str, quick: bool) -> Vec<Point> {
    let (name, text) = FILES
        .iter()
        .find(|(name, _)| name.strip_suffix(".toml") == Some(file))
        .expect("the paper's own studies are there");
    let study = Study::from_toml(&Source::new(name, text), |file| Err(format!("no {file} here")));
    let study = study.expect("the paper's own studies are tested");
    let places = |point: &bandwise_scenario::ethernet::Point, wanted: fn(&str) -> bool| {
        let axes = study.axes.iter().zip(&point.places).filter(|(axis, _)| wanted(&axis.name));
        axes.map(|(axis, &place)| axis.values[place].clone()).collect::<Vec<_>>().join(" ")
    };
    let of = |point: &bandwise_scenario::ethernet::Point| {
        let control = places(point, |name| name == CONTROL);
        let scenario = point.scenario.clone();
        Point {
            variant: places(point, |name| ![TRANSPORT, CONTROL].contains(&name)),
            transport: places(point, |name| name == TRANSPORT),
            control: if control.is_empty() { NONE.to_owned() } else { control },
            scenario: if quick { scenario.shortened(QUICK) } else { scenario },
        }
    };
    study.points.iter().map(of).collect()
}

/// The names of the axes of transports and congestion controls.
const TRANSPORT: &str = "transport";
const CONTROL: &str = "congestion-control";
