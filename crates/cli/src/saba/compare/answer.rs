//! [`CompareAnswer`]: the runs of a comparison, slowdowns and gains.

use super::flags::Settings;
use crate::answer::{Answer, Stats, seconds};
use bandwise_profiler::{
    Comparison, ComparisonResults, Conclusion, Gain, Outcome, Setting, Sharing, Slowdowns, Spread,
    Step, Timed,
};
use bandwise_report::Report;
use bandwise_runner::Program;
use bandwise_units::Time;
use serde::Serialize;

/// The runs of a comparison, slowdowns and gains.
#[derive(Debug, Serialize)]
pub(super) struct CompareAnswer {
    schema: u32,
    pub(super) config: String,
    pub(super) applications: Vec<ApplicationRow>,
    pub(super) ready: Option<String>,
    pub(super) seed: u64,
    /// The numbers of the complete rounds.
    pub(super) rounds: Vec<u32>,
    pub(super) slowdowns: Vec<SlowdownRow>,
    pub(super) gains: Vec<GainRow>,
    pub(super) doubts: Vec<String>,
    pub(super) runs: Vec<RunRow>,
    left: usize,
    stats: Stats,
    /// The file with the output of programs.
    #[serde(skip)]
    pub(super) output: String,
}

/// A program.
#[derive(Debug, Serialize)]
pub(super) struct ApplicationRow {
    pub(super) name: String,
    pub(super) command: String,
}

/// The slowdowns with one sharing.
#[derive(Debug, Serialize)]
pub(super) struct SlowdownRow {
    #[serde(rename = "shared_by")]
    pub(super) sharing: Sharing,
    pub(super) all: SpreadRow,
    /// The geometric mean of each round.
    rounds: Vec<f64>,
    pub(super) programs: Vec<ProgramRow>,
}

/// The slowdown of a program.
#[derive(Debug, Serialize)]
pub(super) struct ProgramRow {
    #[serde(flatten)]
    pub(super) spread: SpreadRow,
    application: String,
}

/// A geometric mean and the ends of its 95% interval.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct SpreadRow {
    pub(super) mean: f64,
    pub(super) within: Option<(f64, f64)>,
}

/// The speedup under Saba over one sharing.
#[derive(Debug, Serialize)]
pub(super) struct GainRow {
    pub(super) over: Sharing,
    #[serde(rename = "gain")]
    pub(super) spread: SpreadRow,
    /// The speedup in each round.
    pub(super) rounds: Vec<f64>,
    #[serde(rename = "shown")]
    pub(super) conclusion: Conclusion,
}

/// A step.
#[derive(Debug, Serialize)]
pub(super) struct RunRow {
    pub(super) round: u32,
    /// `None` if a program runs alone.
    shared_by: Option<Sharing>,
    failed_before: u32,
    pub(super) programs: Vec<TimedRow>,
    /// The setting as text.
    #[serde(skip)]
    pub(super) setting: String,
}

/// A program of a step.
#[derive(Debug, Serialize)]
pub(super) struct TimedRow {
    pub(super) application: String,
    #[serde(rename = "time_s", serialize_with = "seconds")]
    pub(super) time: Time,
    pub(super) outcome: Outcome,
}

impl CompareAnswer {
    /// Returns the answer for the steps so far.
    pub(super) fn new(
        settings: &Settings,
        comparison: &Comparison,
        results: &ComparisonResults,
    ) -> Self {
        let together = &settings.together;
        let application = |program: &Program| ApplicationRow {
            name: program.name.clone(),
            command: program.command.clone(),
        };
        CompareAnswer {
            schema: 1,
            config: together.controller.config.display().to_string(),
            applications: together.programs.iter().map(application).collect(),
            ready: together.ready.clone(),
            seed: settings.seed,
            rounds: results.rounds.iter().map(|round| round.number).collect(),
            slowdowns: results.slowdowns.iter().map(|of| slowdown(settings, results, of)).collect(),
            gains: results.gains.iter().map(|of| gain(results, of)).collect(),
            doubts: results.doubts.iter().map(ToString::to_string).collect(),
            runs: comparison.steps().iter().map(|of| run(settings, of)).collect(),
            left: comparison.left(),
            stats: Stats::HERE,
            output: together.output.path().display().to_string(),
        }
    }
}

impl Answer for CompareAnswer {
    fn text(&self) -> String {
        super::tables::text(self)
    }

    fn report(&self) -> Option<Report> {
        Some(super::report::report(self))
    }
}

impl From<&Spread> for SpreadRow {
    fn from(spread: &Spread) -> Self {
        SpreadRow { mean: spread.mean, within: spread.within }
    }
}

fn slowdown(settings: &Settings, results: &ComparisonResults, of: &Slowdowns) -> SlowdownRow {
    let programs = settings.together.programs.iter().zip(&of.each);
    let program = |(program, spread): (&Program, &Spread)| ProgramRow {
        spread: spread.into(),
        application: program.name.clone(),
    };
    SlowdownRow {
        sharing: of.sharing,
        all: (&of.all).into(),
        rounds: results.rounds.iter().map(|round| round.mean_slowdown(of.sharing)).collect(),
        programs: programs.map(program).collect(),
    }
}

fn gain(results: &ComparisonResults, of: &Gain) -> GainRow {
    GainRow {
        over: of.over,
        spread: (&of.spread).into(),
        rounds: results.rounds.iter().map(|round| round.gain(of.over)).collect(),
        conclusion: of.conclusion(),
    }
}

fn run(settings: &Settings, (step, timed): &(Step, Vec<Timed>)) -> RunRow {
    let programs = &settings.together.programs;
    let numbers = step.setting.programs(programs.len());
    let row = |(program, timed): (usize, &Timed)| TimedRow {
        application: programs[program].name.clone(),
        time: timed.time,
        outcome: timed.outcome.clone(),
    };
    RunRow {
        round: step.round,
        shared_by: match step.setting {
            Setting::Alone(_) => None,
            Setting::Together(sharing) => Some(sharing),
        },
        failed_before: step.failed,
        programs: numbers.zip(timed).map(row).collect(),
        setting: settings.together.describe(step.setting),
    }
}
