//! The content of a report, independent of the format: plain values with public fields.

use serde::{Deserialize, Serialize};

/// A whole report: a question, its answer, and the evidence.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// The headline and title of the page.
    pub title: String,
    /// The reader's question.
    pub question: String,
    /// Short findings, which come first.
    pub answer: Vec<String>,
    /// Plots, in reading order.
    pub figures: Vec<Figure>,
    /// Courses over time, below the plots.
    pub lanes: Vec<Lanes>,
    /// Tables, in reading order.
    pub tables: Vec<Table>,
    /// Measured values beside published ones.
    pub rows: Vec<Row>,
    /// The data needed to reproduce the report.
    pub provenance: Provenance,
    /// Caveats and explanations, one paragraph each.
    pub notes: Vec<String>,
}

/// One plot.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Figure {
    /// A short name such as `fig7a`, which becomes the anchor `#fig7a` of the page.
    pub id: String,
    /// The common title of consecutive figures that are shown side by side. Empty for a single
    /// figure.
    pub group: String,
    /// A short title.
    pub title: String,
    /// The message of the plot, and the method of measurement.
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, bars and markers.
    pub series: Vec<Series>,
}

impl Figure {
    /// Returns the title with that of the group.
    pub(crate) fn name(&self) -> String {
        match self.group.as_str() {
            "" => self.title.clone(),
            group => format!("{group}, {}", self.title),
        }
    }
}

/// Lanes below each other over one axis of time: activities by owner.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Lanes {
    /// A short name, which becomes the anchor of the page.
    pub id: String,
    /// A short title.
    pub title: String,
    /// The message of the lanes.
    pub caption: String,
    /// The axis of time, which begins at 0 and is linear.
    pub x: Axis,
    /// The legend's names for each lane's tracks, in order.
    pub tracks: Vec<String>,
    /// The legend's name for the strip below each track.
    pub meanwhile: String,
    /// The height that fills a track.
    pub most: f64,
    /// The lanes from top to bottom.
    pub lanes: Vec<Lane>,
}

/// One of [`Lanes`].
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Lane {
    /// The owner's name.
    pub name: String,
    /// The tracks, one for each name in [`Lanes::tracks`].
    pub tracks: Vec<Track>,
}

/// A course over time, in steps of equal width from 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Track {
    /// The steps.
    pub steps: Vec<Step>,
    /// The duration of a step, in the unit of the axis.
    pub width: f64,
    /// The end of the track, in the same unit.
    pub end: f64,
    /// The text of the tooltip and the table.
    pub note: String,
}

/// A step of a [`Track`]. A value that is not a number counts as 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Step {
    /// The height of the area, from 0.
    pub height: f64,
    /// The height of the strip, from 0 to 1.
    pub share: f64,
}

/// One axis of a [`Figure`].
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Axis {
    /// The quantity, without its unit: `Round-trip time`.
    pub label: String,
    /// The unit, such as `µs`, or an empty text.
    pub unit: String,
    /// The mapping of values to places.
    pub scale: Scale,
}

/// The mapping of values to places on an axis.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal distances are equal differences. Includes zero unless all values are far from it.
    #[default]
    Linear,
    /// Equal distances are equal ratios, with ticks at powers of two. Zero and negative values are
    /// omitted with a remark.
    Log2,
    /// The same as [`Scale::Log2`], but with ticks at powers of ten.
    Log10,
    /// Named places. `x` of a [`Point`] is the index of the name. On a vertical axis the same as
    /// [`Scale::Linear`].
    Category(Vec<String>),
}

/// A curve, a set of bars or a set of markers.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The form.
    pub kind: SeriesKind,
    /// The origin of the values.
    pub source: SourceKind,
    /// The values, in the order in which a line joins them.
    pub points: Vec<Point>,
}

/// The form of a [`Series`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesKind {
    /// Markers joined by a line.
    #[default]
    Line,
    /// Bars from zero, side by side if several series have them.
    Bars,
    /// Markers alone.
    Points,
}

/// The origin of values. It determines colour and marker, so that our values and published ones are
/// always distinguishable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Measured or predicted by Bandwise: filled markers.
    #[default]
    Ours,
    /// From a publication: hollow markers, drawn on top.
    Published,
    /// Known by construction, such as the state of a simulator: a dashed line in text colour.
    Truth,
}

/// One value of a [`Series`].
///
/// A point is omitted with a remark if `x` or `y` is not finite. An end of its whisker that is not
/// finite is omitted alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Point {
    /// The place on the horizontal axis, or the index of the name on a [`Scale::Category`].
    pub x: f64,
    /// The place on the vertical axis.
    pub y: f64,
    /// The lower end of the whisker.
    pub low: Option<f64>,
    /// The upper end of the whisker, for example the 99.9th percentile.
    pub high: Option<f64>,
    /// The text of the tooltip beside the values.
    pub note: Option<String>,
}

impl Point {
    /// Returns a point without whisker and note.
    pub fn new(x: f64, y: f64) -> Self {
        Point { x, y, ..Point::default() }
    }

    /// Sets the lower end of the whisker.
    #[must_use]
    pub fn low(mut self, low: f64) -> Self {
        self.low = Some(low);
        self
    }

    /// Sets the upper end of the whisker.
    #[must_use]
    pub fn high(mut self, high: f64) -> Self {
        self.high = Some(high);
        self
    }

    /// Sets the note in the tooltip.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// One table.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Table {
    /// A short title.
    pub title: String,
    /// The message of the table.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The cells. Rows that are shorter than the header are padded with empty cells.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a [`Table`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    /// A text.
    Text(String),
    /// A number, which prints as `–` if it is not finite.
    Number {
        /// The value.
        value: f64,
        /// The unit, or an empty text if there is none or if the header states it.
        unit: String,
    },
    /// A judgement with a text.
    Verdict {
        /// The text after the sign of the verdict; may be empty.
        text: String,
        /// The judgement.
        verdict: Verdict,
    },
}

/// A judgement, printed as a sign (✓ ✗ –), and coloured if colours are available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Good: ✓
    Good,
    /// Bad: ✗
    Bad,
    /// Not judged: –
    Neutral,
}

impl Cell {
    /// Returns a cell with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Cell::Text(text.into())
    }

    /// Returns a cell with a number and its unit.
    pub fn number(value: f64, unit: impl Into<String>) -> Self {
        Cell::Number { value, unit: unit.into() }
    }

    /// Returns a cell with a judgement and a text.
    pub fn verdict(verdict: Verdict, text: impl Into<String>) -> Self {
        Cell::Verdict { text: text.into(), verdict }
    }
}

impl Verdict {
    /// Returns the sign, which is sufficient without colour.
    pub fn sign(self) -> &'static str {
        match self {
            Verdict::Good => "✓",
            Verdict::Bad => "✗",
            Verdict::Neutral => "–",
        }
    }
}

impl From<Option<bool>> for Verdict {
    fn from(agrees: Option<bool>) -> Self {
        match agrees {
            Some(true) => Verdict::Good,
            Some(false) => Verdict::Bad,
            None => Verdict::Neutral,
        }
    }
}

/// The meaning of a published value that is a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// "At most", "up to", "less than".
    Most,
    /// "At least", "over".
    Least,
}

/// The reason for which a published value is not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dependence {
    /// The paper states the same number elsewhere: the place that counts.
    Repeats(String),
    /// The paper computes the number from others that it states: the calculation.
    Derived(String),
}

/// A measured value, with the published value if there is one.
///
/// The creator of the row sets `agrees`; this crate displays it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Row {
    /// The paper: `rperf`.
    pub paper: String,
    /// The figure or table as the paper numbers it: `fig7a`.
    pub item: String,
    /// The case, one of the item's values: `5 bulk senders`.
    pub case: String,
    /// The measured quantity: `RTT p50`.
    pub metric: String,
    /// The unit: `us`.
    pub unit: String,
    /// The published value, if there is one.
    pub published: Option<f64>,
    /// The measured value.
    pub measured: f64,
    /// The least and the largest value of several runs, if they are reported.
    pub spread: Option<(f64, f64)>,
    /// The tolerated relative difference from the published value: `0.1` is ten percent.
    pub tolerance: Option<f64>,
    /// True if the value is within the tolerance, or `None` if there is no published value.
    pub agrees: Option<bool>,
    /// The meaning of the published value if it is a bound.
    pub bound: Option<Bound>,
    /// True if the value is more than 15% off and agrees, because the tolerance has a floor for
    /// small numbers.
    pub by_floor: bool,
    /// The reason for which the published value is not counted.
    pub dependence: Option<Dependence>,
}

impl Row {
    /// Returns true if the row has a published value that counts.
    pub fn counts(&self) -> bool {
        self.agrees.is_some() && self.dependence.is_none()
    }
}

/// The data needed to reproduce a report.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Provenance {
    /// The version of Bandwise.
    pub version: String,
    /// The command line.
    pub command: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The scenario as TOML text.
    pub scenario: Option<String>,
    /// The machine, if the numbers depend on it.
    pub machine: Option<String>,
    /// The date, if the caller knows it.
    pub date: Option<String>,
    /// Further facts, as names and values.
    pub extra: Vec<(String, String)>,
}
