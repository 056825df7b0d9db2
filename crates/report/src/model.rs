//! What a report says, before it says it in any format: plain values with public fields.

use serde::Serialize;

/// A whole report: one question, its answer, and what the answer rests on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// The headline, which is also the title of the page.
    pub title: String,
    /// What the reader wanted to know.
    pub question: String,
    /// Short findings; the first thing the reader sees.
    pub answer: Vec<String>,
    /// Plots, in reading order.
    pub figures: Vec<Figure>,
    /// What went on when, below the plots.
    pub lanes: Vec<Lanes>,
    /// Tables, in reading order.
    pub tables: Vec<Table>,
    /// Measured values beside published ones.
    pub rows: Vec<Row>,
    /// What it takes to get the same report again.
    pub provenance: Provenance,
    /// Caveats and explanations, one paragraph each.
    pub notes: Vec<String>,
}

/// One plot.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Figure {
    /// A short name such as `fig7a`; becomes the anchor `#fig7a` of the page.
    pub id: String,
    /// What figures that follow each other show together, which then stand side by side below it;
    /// empty where a figure stands by itself.
    pub group: String,
    /// What the plot shows, in a few words.
    pub title: String,
    /// What the reader should see in it, and how it was measured.
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
}

impl Figure {
    /// What the plot shows, also for who does not see what it stands below.
    pub(crate) fn name(&self) -> String {
        match self.group.as_str() {
            "" => self.title.clone(),
            group => format!("{group}, {}", self.title),
        }
    }
}

/// Lanes below each other over one axis of time: who did what when.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Lanes {
    /// A short name, which becomes the anchor of the page.
    pub id: String,
    /// What the lanes show, in a few words.
    pub title: String,
    /// What the reader should see in them.
    pub caption: String,
    /// The axis of time; it begins at 0 and is linear.
    pub x: Axis,
    /// What the legend calls the tracks that each lane has, in their order.
    pub tracks: Vec<String>,
    /// What the legend calls the strip below each track.
    pub meanwhile: String,
    /// The height that fills a track.
    pub most: f64,
    /// From top to bottom.
    pub lanes: Vec<Lane>,
}

/// One of [`Lanes`].
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Lane {
    /// Whose it is.
    pub name: String,
    /// As many as the lanes have names of tracks.
    pub tracks: Vec<Track>,
}

/// One course of things, in steps of one width from 0 on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Track {
    /// The steps.
    pub steps: Vec<Step>,
    /// How long a step is, in the unit of the axis.
    pub width: f64,
    /// When it is over, in the same.
    pub end: f64,
    /// What the tooltip says, and the table below.
    pub note: String,
}

/// A step of a [`Track`]; not a number counts as 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Step {
    /// What the area shows, from 0 on.
    pub height: f64,
    /// What the strip shows, from 0 to 1.
    pub share: f64,
}

/// One axis of a [`Figure`].
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Axis {
    /// The quantity, without its unit: `Round-trip time`.
    pub label: String,
    /// The unit, empty where there is none: `µs`.
    pub unit: String,
    /// How values become places on the axis.
    pub scale: Scale,
}

/// How values become places on an axis.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal distances are equal differences. Includes zero unless all values are far from it.
    #[default]
    Linear,
    /// Equal distances are equal ratios, with ticks at powers of two. Zero and negative values
    /// have no place on it and are left out with a remark.
    Log2,
    /// As [`Scale::Log2`] with ticks at powers of ten.
    Log10,
    /// Named places; `x` of a [`Point`] is the index into the names. A vertical axis takes it for
    /// [`Scale::Linear`].
    Category(Vec<String>),
}

/// One curve, set of bars or set of markers.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// How it is drawn.
    pub kind: SeriesKind,
    /// Who says so.
    pub source: SourceKind,
    /// The values, in the order in which a line joins them.
    pub points: Vec<Point>,
}

/// How a [`Series`] is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesKind {
    /// Markers joined by a line.
    #[default]
    Line,
    /// Bars from zero, side by side where several series have them.
    Bars,
    /// Markers alone.
    Points,
}

/// Who says so: decides colour and marker, so that ours is never mistaken for theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Measured or predicted by Bandwise: filled markers.
    #[default]
    Ours,
    /// From a publication: hollow markers, drawn on top.
    Published,
    /// Known by construction, such as what the simulator did: a dashed line in text colour.
    Truth,
}

/// One value of a [`Series`].
///
/// A point whose `x` or `y` is not a finite number is left out and the figure says so; an end of
/// the whisker that is not finite is left out alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Point {
    /// Place on the horizontal axis; the index of the name on a [`Scale::Category`].
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// Lower end of the whisker.
    pub low: Option<f64>,
    /// Upper end of the whisker, for example the 99.9 percentile.
    pub high: Option<f64>,
    /// What the tooltip says besides the values.
    pub note: Option<String>,
}

impl Point {
    /// A point without whisker or note.
    pub fn new(x: f64, y: f64) -> Self {
        Point { x, y, ..Point::default() }
    }

    /// With that lower end of the whisker.
    #[must_use]
    pub fn low(mut self, low: f64) -> Self {
        self.low = Some(low);
        self
    }

    /// With that upper end of the whisker.
    #[must_use]
    pub fn high(mut self, high: f64) -> Self {
        self.high = Some(high);
        self
    }

    /// With that note in the tooltip.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// One table.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Table {
    /// What the table shows, in a few words.
    pub title: String,
    /// What the reader should see in it.
    pub caption: String,
    /// One text a column.
    pub header: Vec<String>,
    /// The cells; a row that is shorter than the header is filled up with nothing.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a [`Table`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number; one that is not finite prints as `–`.
    Number {
        /// The value.
        value: f64,
        /// Its unit, empty where there is none or the header says it.
        unit: String,
    },
    /// Words that judge.
    Verdict {
        /// The words; may be empty, the sign of the verdict stands before them.
        text: String,
        /// The judgement.
        verdict: Verdict,
    },
}

/// A judgement, printed as a sign (✓ ✗ –) and coloured where there is colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it should be: ✓
    Good,
    /// Not as it should be: ✗
    Bad,
    /// Nothing to judge by: –
    Neutral,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Cell::Text(text.into())
    }

    /// A number with its unit.
    pub fn number(value: f64, unit: impl Into<String>) -> Self {
        Cell::Number { value, unit: unit.into() }
    }

    /// A judgement with words.
    pub fn verdict(verdict: Verdict, text: impl Into<String>) -> Self {
        Cell::Verdict { text: text.into(), verdict }
    }
}

impl Verdict {
    /// The sign that says the same without colour.
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

/// One measured value, beside the published one where there is one.
///
/// Whoever makes the row judges `agrees`; this crate only shows it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Row {
    /// The paper: `rperf`.
    pub paper: String,
    /// The figure or table as the paper numbers it: `fig7a`.
    pub item: String,
    /// Which of the item's values: `5 bulk senders`.
    pub case: String,
    /// What was measured: `RTT p50`.
    pub metric: String,
    /// Its unit: `us`.
    pub unit: String,
    /// The paper's number, where it gives one.
    pub published: Option<f64>,
    /// Our number.
    pub measured: f64,
    /// The least and the most of our runs, where there were several and they are told.
    pub spread: Option<(f64, f64)>,
    /// How far ours may be from theirs as a fraction of theirs: `0.1` is ten percent.
    pub tolerance: Option<f64>,
    /// Whether ours is within the tolerance; `None` where there is nothing to compare with.
    pub agrees: Option<bool>,
}

/// What it takes to get the same report again.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Provenance {
    /// Version of Bandwise.
    pub version: String,
    /// The command line.
    pub command: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The scenario as TOML text.
    pub scenario: Option<String>,
    /// The machine, where the numbers depend on it.
    pub machine: Option<String>,
    /// The day, where the caller knows it.
    pub date: Option<String>,
    /// Anything else, as names and values.
    pub extra: Vec<(String, String)>,
}
