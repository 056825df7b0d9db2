//! What came of the runs, for people.

use super::flags::Settings;
use bandwise_profiler::{
    Comparison, Outcome, Round, Setting, Sharing, Spread, Timed, gain, slowdowns,
};
use bandwise_report::model::{Cell, Table};
use bandwise_report::text as tables;

/// What Saba is compared with.
pub(super) const OTHERS: [Sharing; 2] = [Sharing::Uncontrolled, Sharing::Equal];

/// What was measured, and what it comes to.
#[derive(Debug)]
pub(super) struct Answer {
    /// Rounds that are whole.
    pub rounds: Vec<Round>,
    /// By way of sharing.
    pub slowdowns: Vec<Way>,
    /// How many times as fast programs are under Saba.
    pub gains: Vec<(Sharing, Spread)>,
    /// What makes it doubtful.
    pub doubts: Vec<String>,
}

/// What a way of sharing came to.
#[derive(Debug)]
pub(super) struct Way {
    pub sharing: Sharing,
    /// The slowdown of all programs.
    pub all: Spread,
    /// And of each.
    pub each: Vec<Spread>,
}

/// What is shown of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shown {
    /// Saba is faster, by more than rounds differ.
    Faster,
    /// It is slower, by more than that.
    Slower,
    /// Neither.
    Nothing,
    /// How far rounds differ is not known.
    Unknown,
}

impl Shown {
    pub fn of(gain: &Spread) -> Self {
        match gain.within {
            Some((low, _)) if low > 1.0 => Shown::Faster,
            Some((_, high)) if high < 1.0 => Shown::Slower,
            Some(_) => Shown::Nothing,
            None => Shown::Unknown,
        }
    }
}

impl Answer {
    pub fn of(comparison: &Comparison) -> Self {
        let rounds = comparison.rounds();
        let ways = Sharing::ALL.into_iter();
        let slowdowns = ways
            .filter_map(|sharing| {
                slowdowns(&rounds, sharing).map(|(all, each)| Way { sharing, all, each })
            })
            .collect();
        let gains =
            OTHERS.into_iter().filter_map(|over| Some((over, gain(&rounds, over)?))).collect();
        let mut doubts = Vec::new();
        let given_up = comparison.given_up().len();
        if given_up > 0 {
            let runs = if given_up == 1 { "1 run".into() } else { format!("{given_up} runs") };
            doubts.push(format!("{runs} failed each time; their rounds are left out"));
        }
        Answer { rounds, slowdowns, gains, doubts }
    }

    /// What is shown and what is not, in a sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let say = |(over, gain): &(Sharing, Spread)| {
            let (over, mean) = (name(*over), gain.mean);
            let interval = match gain.within {
                Some((low, high)) => format!("95% interval {low:.3} to {high:.3}"),
                None => "one round".into(),
            };
            let what = match Shown::of(gain) {
                Shown::Faster => "Programs are shown to be faster under Saba",
                Shown::Slower => "Programs are shown to be slower under Saba",
                Shown::Nothing => "No difference is shown",
                Shown::Unknown => "How far rounds differ is not known, so no difference is shown",
            };
            let rounds = self.rounds.len();
            let rounds = if rounds == 1 { String::new() } else { format!(", {rounds} rounds") };
            format!("Saba against {over}: {what}: {mean:.3} times as fast ({interval}{rounds}).")
        };
        self.gains.iter().map(say).collect()
    }
}

/// A way of sharing, as people know it.
pub(super) fn name(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Uncontrolled => "no controller",
        Sharing::Equal => "equal weights",
        Sharing::Saba => "Saba",
    }
}

/// What runs at once.
pub(super) fn setting(settings: &Settings, setting: Setting) -> String {
    match setting {
        Setting::Alone(app) => format!("{} alone", settings.apps[app].name),
        Setting::Together(sharing) => format!("all, shared by {}", name(sharing)),
    }
}

/// How a program ended and when.
pub(super) fn ended(name: &str, timed: &Timed) -> String {
    let seconds = timed.time.as_s_f64();
    match timed.outcome {
        Outcome::Success => format!("{name} {seconds:.3} s"),
        _ => format!("{name} {} after {seconds:.3} s", outcome(&timed.outcome)),
    }
}

pub(super) fn outcome(outcome: &Outcome) -> String {
    crate::saba::profile::outcome(outcome)
}

/// All of it.
pub(super) fn text(settings: &Settings, comparison: &Comparison, answer: &Answer) -> String {
    let parts = tables_of(settings, comparison, answer);
    let parts = parts.iter().map(tables::table).collect::<Vec<_>>().join("\n");
    let closing = closing(answer).into_iter().map(|line| format!("{line}\n"));
    format!("{parts}\n{}", closing.collect::<String>())
}

/// What is to be said below tables.
pub(super) fn closing(answer: &Answer) -> Vec<String> {
    let doubts = answer.doubts.iter().map(|doubt| format!("Doubtful: {doubt}."));
    answer.sentences().into_iter().chain(doubts).collect()
}

/// What each way of sharing came to, round by round, and all runs.
pub(super) fn tables_of(
    settings: &Settings,
    comparison: &Comparison,
    answer: &Answer,
) -> Vec<Table> {
    let mut tables = Vec::new();
    if !answer.rounds.is_empty() {
        tables.extend([slowdowns_of(settings, answer), gains_of(answer)]);
    }
    tables.push(runs(settings, comparison));
    tables
}

fn slowdowns_of(settings: &Settings, answer: &Answer) -> Table {
    let mut header = vec!["program".to_owned()];
    for way in &answer.slowdowns {
        header.extend([name(way.sharing).to_owned(), "95%".to_owned()]);
    }
    let each = settings.apps.iter().enumerate();
    let row = |label: &str, of: &dyn Fn(&Way) -> Spread| {
        let cells = answer.slowdowns.iter().flat_map(|way| cells(of(way)));
        [Cell::text(label)].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = each.map(|(at, app)| row(&app.name, &|way| way.each[at])).collect();
    rows.push(row("geometric mean", &|way| way.all));
    let rounds = answer.rounds.len();
    Table {
        title: "Slowdown, by who shares the links".into(),
        caption: format!(
            "Time with all others over time alone in the same round: geometric means over {rounds} {}.",
            if rounds == 1 { "round" } else { "rounds" }
        ),
        header,
        rows,
    }
}

fn cells(spread: Spread) -> [Cell; 2] {
    [Cell::number(spread.mean, ""), Cell::text(interval(&spread))]
}

fn interval(spread: &Spread) -> String {
    spread.within.map_or(String::new(), |(low, high)| format!("{low:.3} to {high:.3}"))
}

fn gains_of(answer: &Answer) -> Table {
    let header = ["round", "over no controller", "over equal weights"].map(String::from).into();
    let row = |round: &Round| {
        let gains = OTHERS.map(|over| Cell::number(round.gain(over), ""));
        [Cell::text(round.number.to_string())].into_iter().chain(gains).collect()
    };
    let mut rows: Vec<Vec<Cell>> = answer.rounds.iter().map(row).collect();
    let row = |label: &str, of: &dyn Fn(&Spread) -> Cell| {
        let gains = answer.gains.iter().map(|(_, gain)| of(gain));
        [Cell::text(label)].into_iter().chain(gains).collect()
    };
    rows.push(row("mean", &|gain| Cell::number(gain.mean, "")));
    rows.push(row("95%", &|gain| Cell::text(interval(gain))));
    Table {
        title: "How many times as fast under Saba".into(),
        caption: "The geometric mean slowdown over Saba's.".into(),
        header,
        rows,
    }
}

fn runs(settings: &Settings, comparison: &Comparison) -> Table {
    let of_step = |(step, timed): &(bandwise_profiler::Step, Vec<Timed>)| {
        let members = super::members(settings, step.setting).zip(timed);
        let row = |(app, timed): (usize, &Timed)| {
            vec![
                Cell::text(step.round.to_string()),
                Cell::text(setting(settings, step.setting)),
                Cell::text(settings.apps[app].name.clone()),
                Cell::number(timed.time.as_s_f64(), "s"),
                Cell::text(outcome(&timed.outcome)),
            ]
        };
        members.map(row).collect::<Vec<_>>()
    };
    Table {
        title: "All runs, in their order".into(),
        caption: format!("What they printed is in {}.", settings.output.display()),
        header: ["round", "what ran", "program", "time", "how"].map(String::from).into(),
        rows: comparison.steps().iter().flat_map(of_step).collect(),
    }
}
