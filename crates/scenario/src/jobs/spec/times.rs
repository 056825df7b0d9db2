//! `times` and `measured-at`: the measured durations of a job with parts of the bandwidth of a link,
//! and a workload with these durations.

use crate::jobs::job::LONGEST;
use crate::jobs::measured_at::{MeasuredAt, RateSource};
use crate::reader::values::{Given, within};
use bandwise_input::{InputError, Source};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Sample, Samples};
use bandwise_units::{BitRate, Time};
use bandwise_workload::job::Workload;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;

/// Times by part of the bandwidth, as a document states them.
pub(super) type Times = Spanned<BTreeMap<Spanned<String>, Spanned<String>>>;

/// Largest difference between model and measured times without a warning.
const TELL_FROM: f64 = 0.05;

/// Rates of links with which times can be measured.
const RATES: RangeInclusive<BitRate> = BitRate::from_bps(1_000_000)..=BitRate::from_gbps(100_000);

/// Returns the links of the times: those of `measured-at`, or else the fabric's host links.
pub(super) fn measured_at(
    source: &Source,
    given: &Given<BitRate>,
    host_link: BitRate,
) -> Result<MeasuredAt, InputError> {
    Ok(match given {
        Some(given) => {
            MeasuredAt { rate: within(source, "measured-at", given, RATES)?, by: RateSource::Key }
        }
        None => MeasuredAt { rate: host_link, by: RateSource::HostLink },
    })
}

/// Returns the workload whose durations are nearest to the measured ones, and warns if the
/// difference is too large.
pub(super) fn fitted(
    source: &Source,
    called: &str,
    samples: &Samples,
    rate: BitRate,
    at: Range<usize>,
    warnings: &mut Vec<InputError>,
) -> Workload {
    // Several runs with one share count as their mean.
    let whole = samples.runs().iter().filter(|run| run.share == Share::ALL);
    let whole: Vec<f64> = whole.map(|run| run.time.as_s_f64()).collect();
    let whole = whole.iter().sum::<f64>() / whole.len() as f64;
    let points = samples.points().iter();
    let times: Vec<(f64, f64)> =
        points.map(|point| (point.share.get(), point.slowdown * whole)).collect();
    let fit = Workload::from_times(called, &times, rate).expect("times that were checked");
    if fit.off_by > TELL_FROM {
        let message = format!(
            "no job of stages takes such times: the one that {called} is simulated as is off by up \
             to {:.0}%",
            fit.off_by * 100.0
        );
        let allowed = "times that rise no faster than 1 / bandwidth, and no slower the less bandwidth \
                       there is";
        warnings.push(source.error(at, message).allowed(allowed));
    }
    fit.workload
}

/// Returns the measured times.
pub(super) fn samples(source: &Source, times: &Times) -> Result<Samples, InputError> {
    let mut samples: Vec<Sample> = Vec::new();
    for (part, time) in times.get_ref() {
        let percent = part.get_ref().strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
        let share = percent.and_then(|percent| Share::try_from(percent / 100.0).ok());
        let Some(share) = share else {
            let what = format!("{:?} is no part of the bandwidth", part.get_ref());
            let allowed = "a percentage above 0%, up to \"100%\"";
            return Err(source.error(part.span(), what).allowed(allowed));
        };
        let time = match time.get_ref().parse::<Time>() {
            Ok(time) if time > Time::ZERO && time <= LONGEST => time,
            Ok(_) => {
                let what = format!("a job that takes {}", time.get_ref());
                let allowed = format!("a time above 0, up to {LONGEST}");
                return Err(source.error(time.span(), what).allowed(allowed));
            }
            Err(error) => {
                let error = source.error(time.span(), error.to_string());
                return Err(error.allowed("a time such as \"120 s\""));
            }
        };
        if samples.iter().any(|other| other.share == share) {
            let what = format!("{} of the bandwidth twice", part.get_ref());
            return Err(source.error(part.span(), what).allowed("each part once"));
        }
        samples.push(Sample { share, time });
    }
    Samples::new(samples).map_err(|error| {
        let allowed = "times at 3 parts of the bandwidth or more, one of them \"100%\", which the \
                       others are compared with";
        source.error(times.span(), error.to_string()).allowed(allowed)
    })
}
