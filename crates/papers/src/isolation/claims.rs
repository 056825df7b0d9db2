//! Claims of the slides: the verdicts of "At A First Glance", and the sentences of the summary.
//! Each has the numbers on which its verdict rests.

use super::found::{Found, Pair, beside_elephants, beside_mice, stores};
use crate::{Claim, Finding};

/// The largest ratio of two numbers that count as equal.
const ALIKE: f64 = 1.1;

const MEDIAN: &str = "latency p50";
const TAIL: &str = "latency p99.9";
const RATIO: &str = "bandwidth ratio";

/// The way in which two flows share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Fair,
    Unfair,
    DependsOnCpu,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Fair => "fair",
            Verdict::Unfair => "unfair",
            Verdict::DependsOnCpu => "depends on CPU",
        }
    }
}

fn alike(ratio: f64) -> bool {
    (1.0 / ALIKE..=ALIKE).contains(&ratio)
}

/// Our verdict beside the slides' verdict, and the numbers behind ours.
struct Glance {
    scenario: &'static str,
    text: &'static str,
    theirs: Verdict,
    ours: Verdict,
    numbers: String,
}

/// Returns the table of "At A First Glance", without rows that lack their runs.
fn glances(found: Found) -> Vec<Glance> {
    let small = |pair: Pair| {
        let (median, tail) = (found.ratio(&pair, MEDIAN)?, found.ratio(&pair, TAIL)?);
        let rate = found.ratio(&pair, "messages")?;
        let ours = if alike(median) && alike(rate) { Verdict::Fair } else { Verdict::Unfair };
        let numbers = format!(
            "the first's median is {median:.2} times that alone, its 99.9th percentile {tail:.2} times, \
             its messages a second {rate:.2} times"
        );
        Some((ours, numbers))
    };
    let large = |first: &str| {
        let of = |one: &str, other: &str| {
            found.of("polling", &format!("{first} {one} over 1 MB {other}"), RATIO)
        };
        let ratios = [
            of("event", "event")?,
            of("busy", "busy")?,
            of("busy", "event")?,
            of("event", "busy")?,
        ];
        let ours = match ratios.iter().filter(|ratio| alike(**ratio)).count() {
            4 => Verdict::Fair,
            0 => Verdict::Unfair,
            _ => Verdict::DependsOnCpu,
        };
        let [events, busy, first_busy, second_busy] = ratios;
        let numbers = format!(
            "{first} gets {events:.2} times what 1 MB gets when both wait for events, {busy:.2} times when \
             both poll, {first_busy:.2} times when it alone polls, {second_busy:.2} times when the other \
             does"
        );
        Some((ours, numbers))
    };
    let glance = |scenario, text, theirs, ours: Option<(Verdict, String)>| {
        let (ours, numbers) = ours?;
        Some(Glance { scenario, text, theirs, ours, numbers })
    };
    let first =
        |pairs: Vec<Pair>, which: &str| pairs.into_iter().find(|p| p.called.contains(which));
    let mice = first(beside_mice("mice"), "beside 10 B");
    let elephant = first(beside_elephants("mouse-elephant"), "10 B beside 1 MB");
    [
        glance("10 B vs. 10 B", "10 B vs. 10 B: good enough", Verdict::Fair, mice.and_then(small)),
        glance("10 B vs. 1 MB", "10 B vs. 1 MB: unfair", Verdict::Unfair, elephant.and_then(small)),
        glance(
            "1 MB vs. 1 MB",
            "1 MB vs. 1 MB: depends on CPU",
            Verdict::DependsOnCpu,
            large("1 MB"),
        ),
        glance(
            "1 MB vs. 1 GB",
            "1 MB vs. 1 GB: depends on CPU",
            Verdict::DependsOnCpu,
            large("1 GB"),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the claims that have their runs, verdicts first.
pub(super) fn claims(findings: &[Finding]) -> Vec<Claim> {
    let found = Found(findings);
    let verdicts = glances(found).into_iter().map(|glance| Claim {
        section: "At A First Glance",
        text: glance.text,
        fabric: "",
        holds: (glance.ours == glance.theirs).into(),
        numbers: format!("{}: {}", glance.ours.word(), glance.numbers),
    });
    let others = [
        larger_win(found),
        posting_decides(found),
        polling_costs(found),
        worse_tails(found),
        mice_suffer(found, "mouse-elephant"),
        newer_elephants(found),
        newer_mice(found),
        mice_suffer(found, "edr"),
        stores_suffer(found),
    ];
    verdicts.chain(others.into_iter().flatten()).collect()
}

/// Returns the answer to the question: a verdict for each scenario.
pub(super) fn answer(findings: &[Finding]) -> Vec<String> {
    let sentence = |glance: Glance| {
        let Glance { scenario, ours, numbers, .. } = glance;
        format!("{scenario}: {}; {numbers}.", ours.word())
    };
    glances(Found(findings)).into_iter().map(sentence).collect()
}

fn claim(section: &'static str, text: &'static str, holds: bool, numbers: String) -> Option<Claim> {
    Some(Claim { section, text, fabric: "", holds: holds.into(), numbers })
}

/// Returns the smallest value, the largest value, and the range as text.
fn range(values: &[f64]) -> Option<(f64, f64, String)> {
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    Some((least, most, format!("{least:.2} to {most:.2}")))
}

/// Returns the ratio of each pair: the number beside another flow over the number alone.
fn times(found: Found, pairs: Vec<Pair>, metric: &str) -> Vec<f64> {
    pairs.into_iter().filter_map(|pair| found.ratio(&pair, metric)).collect()
}

fn larger_win(found: Found) -> Option<Claim> {
    let is_uneven = |f: &&Finding| {
        f.item == "elephants" && f.case.contains("1 GB over") && f.case.ends_with("1 MB")
    };
    let ratios: Vec<f64> = found.0.iter().filter(is_uneven).map(Finding::value).collect();
    let (least, _, words) = range(&ratios)?;
    let text = "larger flows win: with events, 1 GB gets more than 1 MB whatever the verbs";
    claim("Elephant vs. Elephant", text, least > ALIKE, format!("{words} times as much"))
}

fn posting_decides(found: Found) -> Option<Claim> {
    let of = |case: &str| found.of("waking", case, RATIO);
    let (as_is, awake) = (of("1 GB over 1 MB")?, of("1 GB over 1 MB, no idle states")?);
    let larger = of("1 GB over 10 MB")?;
    let numbers = format!(
        "1 GB over 1 MB is {as_is:.2}, {awake:.2} if cores wake at once, and {larger:.2} beside 10 MB, \
         which posts a tenth as often"
    );
    let text = "how fast an application can post requests is the only thing that matters";
    claim("Summary", text, !alike(as_is) && alike(awake) && alike(larger), numbers)
}

fn polling_costs(found: Found) -> Option<Claim> {
    let cpu = |how: &str| found.of("polling", &format!("1 MB {how} over 1 MB {how}"), "CPU, first");
    let (events, busy) = (cpu("event")?, cpu("busy")?);
    let numbers =
        format!("a flow of 1 MB takes {busy:.0}% of a core busy, {events:.0}% with events");
    let text = "there is a trade-off between CPU and bandwidth";
    claim("Polling Matters", text, busy > ALIKE * events, numbers)
}

fn worse_tails(found: Found) -> Option<Claim> {
    let (_, most, words) = range(&times(found, beside_mice("mice"), TAIL))?;
    let numbers = format!("the 99.9th percentile of 10 B is {words} times that alone");
    claim("Mouse vs. Mouse", "worse tails", most > ALIKE, numbers)
}

fn mice_suffer(found: Found, item: &'static str) -> Option<Claim> {
    let (least, _, words) = range(&times(found, beside_elephants(item), MEDIAN))?;
    let numbers = format!("medians are {words} times those alone");
    let (section, text) = match item {
        "edr" => ("Hardware is Not Enough", "mice are still affected by large background flows"),
        _ => ("Mouse vs. Elephant", "mice suffer"),
    };
    claim(section, text, least > ALIKE, numbers)
}

fn newer_elephants(found: Found) -> Option<Claim> {
    let ratio = found.of("edr", "WRITE 1 GB over WRITE 1 MB", RATIO)?;
    let numbers = format!("1 GB gets {ratio:.2} times what 1 MB gets");
    let text = "between elephants the problem still exists";
    claim("Hardware is Not Enough", text, ratio > ALIKE, numbers)
}

fn newer_mice(found: Found) -> Option<Claim> {
    let (_, most, words) = range(&times(found, beside_mice("edr"), TAIL))?;
    let numbers = format!("the 99.9th percentile of 10 B is {words} times that alone");
    let text = "between mice there are no large variations of the tail";
    claim("Hardware is Not Enough", text, most <= ALIKE, numbers)
}

fn stores_suffer(found: Found) -> Option<Claim> {
    let (least, _, words) = range(&times(found, stores(), MEDIAN))?;
    let numbers = format!("the median of requests is {words} times that alone");
    claim("HERD vs. Elephant", "HERD also suffers", least > ALIKE, numbers)
}

#[cfg(test)]
mod tests {
    use super::super::cases::ELEPHANTS;
    use super::*;
    use crate::Holds;

    fn finding(item: &str, case: &str, metric: &str, value: f64) -> Finding {
        let [item, case, metric] = [item, case, metric].map(str::to_owned);
        Finding { item, case, metric, unit: String::new(), runs: vec![value] }
    }

    /// Weighs the sharing of an elephant of 1 GB or 1 MB with one of 1 MB, by the way of polling.
    fn polling(first: &str, values: [f64; 4]) -> Vec<Finding> {
        let ways = [("event", "event"), ("busy", "busy"), ("busy", "event"), ("event", "busy")];
        let one = |((one, other), value)| {
            finding("polling", &format!("{first} {one} over 1 MB {other}"), RATIO, value)
        };
        ways.into_iter().zip(values).map(one).collect()
    }

    #[test]
    fn verdicts_follow_the_numbers() {
        let verdict = |values| glances(Found(&polling("1 GB", values)))[0].ours;
        assert_eq!(verdict([1.0, 1.0, 1.05, 0.95]), Verdict::Fair);
        assert_eq!(verdict([1.4, 1.02, 1.4, 1.0]), Verdict::DependsOnCpu);
        assert_eq!(verdict([1.4, 1.2, 1.4, 1.2]), Verdict::Unfair);
        let mouse = |beside: f64, rate: f64| {
            let mut all = Vec::new();
            for (case, us, per_second) in
                [("10 B alone", 2.0, 0.5), ("10 B beside 1 MB", beside, rate)]
            {
                all.push(finding("mouse-elephant", case, MEDIAN, us));
                all.push(finding("mouse-elephant", case, TAIL, us));
                all.push(finding("mouse-elephant", case, "messages", per_second));
            }
            claims(&all)
        };
        let suffers = mouse(8.0, 0.1);
        assert!(
            suffers[0].holds == Holds::Yes && suffers[0].numbers.starts_with("unfair: "),
            "{suffers:?}"
        );
        assert!(suffers[0].numbers.contains("4.00 times"), "{suffers:?}");
        let fares_well = mouse(2.1, 0.49);
        assert!(
            fares_well[0].holds == Holds::No && fares_well[0].numbers.starts_with("fair: "),
            "{fares_well:?}"
        );
    }

    #[test]
    fn no_findings_give_no_claims() {
        assert!(claims(&[]).is_empty() && answer(&[]).is_empty());
    }

    #[test]
    fn slow_posting_claim_fails_without_idle_state_effect() {
        let waking = |awake: f64| {
            let all = [
                finding("waking", "1 GB over 1 MB", RATIO, 1.4),
                finding("waking", "1 GB over 1 MB, no idle states", RATIO, awake),
                finding("waking", "1 GB over 10 MB", RATIO, 1.05),
            ];
            posting_decides(Found(&all)).unwrap().holds == Holds::Yes
        };
        assert!(waking(1.03));
        assert!(!waking(1.3));
        let sizes = ELEPHANTS.map(|(called, _)| called);
        assert_eq!(sizes, ["1 GB", "1 MB"], "the names in `larger_win`");
    }
}
