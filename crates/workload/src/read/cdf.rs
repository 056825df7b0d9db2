//! Reader for size distributions: a size and a share of flows in each line.

use super::fields::Field;
use crate::{MAX_FLOW, SizeDistribution, Spread};
use bandwise_input::{InputError, Source};
use bandwise_units::Bytes;

/// Reads a file of points of a cumulative distribution (CDF), in the two formats that simulators
/// exchange. The share in the last line distinguishes them: 1 for fractions, 100 for percent.
///
/// ```text
/// # size   percent
/// 0        0
/// 10000    15
/// 30000000 100
/// ```
///
/// Sizes are whole multiples of `unit`: 1 B, or the payload of a packet if they count packets.
///
/// Values are separated by blanks or a comma; a comment follows `#`. For the meaning of points and
/// `spread`, see [`SizeDistribution::cdf`].
///
/// # Errors
///
/// Returns an [`InputError`] at the first line that is invalid, and for a file of another simulator
/// that has a mean in its first line or three columns.
///
/// # Panics
///
/// Panics if `unit` is 0.
pub fn cdf(source: &Source, spread: Spread, unit: Bytes) -> Result<SizeDistribution, InputError> {
    source.check_own()?;
    let (mut points, mut places) = (Vec::new(), Vec::new());
    let mut next = 0;
    for line in source.text.split_inclusive('\n') {
        let at = next;
        next += line.len();
        let values = line.split('#').next().unwrap_or_default();
        if values.trim().is_empty() {
            continue;
        }
        points.push(point(source, values, at, unit)?);
        places.push(at..at + values.trim_end().len());
    }
    SizeDistribution::cdf(&points, spread).map_err(|error| {
        // An error of the whole distribution points to the last line.
        let place = error.point().and_then(|point| places.get(point)).or(places.last());
        source.error(place.cloned().unwrap_or(0..0), error.to_string()).allowed(error.allowed())
    })
}

/// Returns the size and the share of a line that begins at byte `at` of the text, with sizes in
/// `unit`.
fn point(source: &Source, line: &str, at: usize, unit: Bytes) -> Result<(Bytes, f64), InputError> {
    let fields: Vec<Field> = match line.contains(',') {
        true => Field::between_commas(line, at).collect(),
        false => Field::between_blanks(line, at).collect(),
    };
    let [size, share] = &fields[..] else {
        let found = fields.len();
        let message = format!("{found} value{} in a line", if found == 1 { "" } else { "s" });
        let error = source.error(at..at + line.trim_end().len(), message);
        return Err(error.allowed("a size in bytes and a share of flows, such as 10000 0.15"));
    };
    let most = MAX_FLOW.get() / unit.get();
    let units = number(size).filter(|n| n.fract() == 0.0 && *n <= most as f64);
    let units = units.ok_or_else(|| {
        let allowed = match unit.get() {
            1 => format!("whole bytes from 0 to {most}, which is 2^40"),
            _ => format!("whole units of {unit} from 0 to {most}, which is 2^40 bytes"),
        };
        size.error(source, "a size").allowed(allowed)
    })?;
    let share = number(share)
        .ok_or_else(|| share.error(source, "a share").allowed("a number from 0 to 1, or to 100"))?;
    Ok((Bytes::new(units as u64 * unit.get()), share))
}

/// Returns a number that is not negative. Notations such as 1e6 are allowed.
fn number(field: &Field) -> Option<f64> {
    let number: f64 = field.text.parse().ok()?;
    (number.is_finite() && number.is_sign_positive()).then_some(number)
}
