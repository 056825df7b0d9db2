//! [`InfiniBand`]: an InfiniBand fabric, and the lanes that Saba shares.

use super::document::InfiniBandSpec;
use super::value::{at, parsed};
use bandwise_enforce::infiniband::{Lanes, NoLanes, Patience, listed};
use bandwise_input::{InputError, Source};
use bandwise_rdma::qos::{Sl, Vl};
use bandwise_units::Time;
use std::ops::Range;
use toml::Spanned;

/// An InfiniBand fabric, and the lanes that Saba shares.
#[derive(Debug, Clone)]
pub struct InfiniBand {
    /// The device that sends SMPs; by default the first with an active port.
    pub device: Option<String>,
    /// The port of the device; by default the first active one.
    pub port: Option<u8>,
    /// The service levels and virtual lanes that the operator assigns to Saba.
    pub lanes: Lanes,
    /// The timeout and the attempts of SMPs.
    pub patience: Patience,
    /// The span of the table in the file, for errors when the fabric is opened.
    pub place: Range<usize>,
}

/// The default service levels and virtual lanes.
const SLS: &str = "1-8";
const LANES: &str = "1-4";

pub(super) fn infiniband(
    source: &Source,
    spec: &Spanned<InfiniBandSpec>,
) -> Result<InfiniBand, InputError> {
    let place = spec.span();
    let spec = spec.get_ref();
    let whole = |value: &Option<Spanned<i64>>, default: Option<u8>, what: &str| {
        let Some(value) = value else { return Ok(default) };
        let number = u8::try_from(*value.get_ref()).ok().filter(|&number| number > 0);
        let wrong = || at(source, value, format!("{what} {}", value.get_ref()));
        number.map(Some).ok_or_else(|| wrong().allowed("1 to 255"))
    };
    let default = Patience::default();
    let timeout = match &spec.timeout {
        None => default.timeout,
        Some(value) => {
            let allowed = "1 ms to 60 s";
            let time: Time = parsed(source, value, allowed)?;
            let is_one = (Time::from_ms(1)..=Time::from_ms(60_000)).contains(&time);
            let wrong = || at(source, value, format!("waiting {time} for an answer"));
            if is_one { time } else { return Err(wrong().allowed(allowed)) }
        }
    };
    let attempts = whole(&spec.attempts, Some(default.attempts), "attempts:")?;
    let patience = Patience {
        timeout,
        attempts: attempts.unwrap_or(default.attempts),
        m_key: m_key(source, &spec.m_key)?,
        ..default
    };
    if let Some(device) = spec.device.as_ref().filter(|name| name.get_ref().is_empty()) {
        let error = at(source, device, "a device without a name");
        return Err(error.allowed("the name of a device, as `ibstat` lists it"));
    }
    Ok(InfiniBand {
        device: spec.device.as_ref().map(|name| name.get_ref().clone()),
        port: whole(&spec.port, None, "port")?,
        lanes: lanes(source, spec, &place)?,
        patience,
        place,
    })
}

/// Returns the management key of the fabric; 0 without one.
fn m_key(source: &Source, value: &Option<Spanned<String>>) -> Result<u64, InputError> {
    let Some(value) = value else { return Ok(0) };
    let hex = value.get_ref().strip_prefix("0x");
    let key = hex.and_then(|hex| u64::from_str_radix(hex, 16).ok());
    // The key is a secret, so the error does not repeat it.
    let wrong = || at(source, value, "an invalid management key");
    key.ok_or_else(|| wrong().allowed("\"0x\" and up to 16 hexadecimal digits"))
}

fn lanes(
    source: &Source,
    spec: &InfiniBandSpec,
    place: &Range<usize>,
) -> Result<Lanes, InputError> {
    fn list<T: TryFrom<u8>>(
        source: &Source,
        value: &Option<Spanned<String>>,
        default: &str,
        allowed: &str,
    ) -> Result<Vec<T>, InputError> {
        let text = value.as_ref().map_or(default, |value| value.get_ref());
        let wrong = || {
            let span = value.as_ref().map_or(0..0, Spanned::span);
            source.error(span, format!("{text:?} is invalid")).allowed(allowed)
        };
        listed(text).ok_or_else(wrong)
    }
    let sls: Vec<Sl> =
        list(source, &spec.sls, SLS, "service levels from 1 to 15, such as \"1-8\"")?;
    let vls: Vec<Vl> = list(source, &spec.lanes, LANES, "lanes from 1 to 14, such as \"1-4\"")?;
    Lanes::new(sls, vls).map_err(|why| {
        let (NoLanes::None(what) | NoLanes::Zero(what) | NoLanes::Twice(what, _)) = why;
        let value = if what == "virtual lane" { &spec.lanes } else { &spec.sls };
        let span = value.as_ref().map_or_else(|| place.clone(), Spanned::span);
        source.error(span, why.to_string()).allowed("each once, from 1 on")
    })
}
