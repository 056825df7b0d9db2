//! The times and limits in a settings file.

use super::document::Document;
use super::value::{at, parsed};
use crate::core::{Limits, Rules};
use bandwise_input::{InputError, Source};
use bandwise_saba::controller::Weighting;
use bandwise_units::Time;
use std::time::Duration;
use toml::Spanned;

pub(super) fn rules(source: &Source, document: &Document) -> Result<Rules, InputError> {
    let time = |value: &Option<Spanned<String>>, default: Duration, (least, most): (&str, &str)| {
        let Some(value) = value else { return Ok(default) };
        let allowed = format!("{least} to {most}");
        let time: Time = parsed(source, value, &allowed)?;
        let bound = |text: &str| text.parse::<Time>().expect("a time");
        match (bound(least)..=bound(most)).contains(&time) {
            true => Ok(Duration::from_nanos(time.as_ps() / 1000)),
            false => Err(at(source, value, format!("{time} is out of range")).allowed(allowed)),
        }
    };
    let number = |value: &Option<Spanned<i64>>, default: u32| {
        let Some(value) = value else { return Ok(default) };
        let number = u32::try_from(*value.get_ref()).ok().filter(|n| (1..=10_000_000).contains(n));
        let wrong = || at(source, value, format!("a limit of {}", value.get_ref()));
        number.ok_or_else(|| wrong().allowed("1 to 10000000"))
    };
    let guaranteed = |default: f64| {
        let Some(value) = &document.guaranteed else { return Ok(default) };
        let part = value.get_ref().0;
        let wrong = || at(source, value, format!("{part} of an equal part"));
        let is_part = (0.0..=1.0).contains(&part);
        if is_part { Ok(part) } else { Err(wrong().allowed("0 to 1, such as 0.5 for half")) }
    };
    let (times, limits, default) = (&document.times, &document.limits, Rules::default());
    Ok(Rules {
        lease: time(&times.lease, default.lease, ("100 ms", "86400 s"))?,
        order_gap: time(&times.order_gap, default.order_gap, ("1 ms", "60 s"))?,
        check_interval: time(&times.check_interval, default.check_interval, ("100 ms", "86400 s"))?,
        discovery_interval: time(
            &times.discovery_interval,
            default.discovery_interval,
            ("100 ms", "86400 s"),
        )?,
        late_after: time(&times.late_after, default.late_after, ("10 ms", "3600 s"))?,
        retry: time(&times.retry, default.retry, ("1 ms", "3600 s"))?,
        max_retry: time(&times.max_retry, default.max_retry, ("1 ms", "86400 s"))?,
        max_changes: None,
        weighting: Weighting::default(),
        guaranteed: guaranteed(default.guaranteed)?,
        limits: Limits {
            clients: number(&limits.clients, default.limits.clients)?,
            applications: number(&limits.applications, default.limits.applications)?,
            connections: number(&limits.connections, default.limits.connections)?,
            unacknowledged: number(&limits.unacknowledged, default.limits.unacknowledged)?,
            answers: number(&limits.answers, default.limits.answers)?,
        },
    })
}
