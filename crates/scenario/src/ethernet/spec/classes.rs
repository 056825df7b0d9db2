//! Traffic classes: their number, lossless ones, and their schedule.

use super::homa;
use super::key::Key;
use super::switch::SwitchSpec;
use crate::ethernet::TransportKind;
use crate::reader::values::{Given, Number, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::packet::CLASSES;
use bandwise_netsim::ethernet::{Classes, Schedule};
use serde::Deserialize;
use toml::Spanned;

/// The key `schedule`.
#[derive(Debug)]
pub(super) enum ScheduleKey {
    Strict,
    Weighted(WeightsSpec),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct WeightsSpec {
    weights: Spanned<Vec<Spanned<Number>>>,
    strict: Option<Spanned<Vec<Spanned<Number>>>>,
}

impl Key for ScheduleKey {
    const EXAMPLE: &'static str =
        "\"strict\", { weights = [1, 3] } or { weights = [1, 3], strict = [2] }";
    type Table = WeightsSpec;
    fn text(text: &str) -> Option<Self> {
        (text == "strict").then_some(ScheduleKey::Strict)
    }
    fn table(table: WeightsSpec) -> Option<Self> {
        Some(ScheduleKey::Weighted(table))
    }
}

/// Largest weight. Beside a larger one, a class of weight 1 would hardly send.
const MOST_WEIGHT: u64 = 1_000;

impl SwitchSpec {
    /// Returns the traffic classes of the network. Homa needs at least one for each kind of packets.
    pub(super) fn classes(
        &self,
        source: &Source,
        transport: TransportKind,
    ) -> Result<Classes, InputError> {
        let most = CLASSES as u64;
        let (usual, least) = match transport {
            TransportKind::Homa => (homa::CLASSES, 2),
            _ => (1, 1),
        };
        let count = match &self.classes {
            None => usual,
            Some(given) => within(source, "classes", given, least..=most)? as u8,
        };
        let lossless = match &self.lossless {
            None => Classes::ONE.lossless,
            Some(list) => set(source, "class", list.get_ref(), count)?,
        };
        let schedule = match self.schedule.as_ref().map(Spanned::get_ref) {
            None | Some(ScheduleKey::Strict) => Schedule::Strict,
            Some(ScheduleKey::Weighted(spec)) => spec.resolve(source, count)?,
        };
        Ok(Classes { count, lossless, schedule })
    }
}

impl WeightsSpec {
    /// Returns the schedule: strict classes, and weights of the others in order.
    fn resolve(&self, source: &Source, count: u8) -> Result<Schedule, InputError> {
        let strict = match &self.strict {
            None => 0,
            Some(list) => set(source, "strict class", list.get_ref(), count)?,
        };
        let weighted: Vec<u8> = (0..count).filter(|class| strict >> class & 1 == 0).collect();
        let given = self.weights.get_ref();
        if given.len() != weighted.len() {
            let message = format!("{} weights for {} classes", given.len(), weighted.len());
            let error = source.error(self.weights.span(), message);
            return Err(error.allowed(match strict {
                0 => "a weight for each class, that of class 0 first",
                _ => "a weight for each class that is not strict, that of the lowest first",
            }));
        }
        let mut weights = [1; CLASSES];
        for (&class, given) in weighted.iter().zip(given) {
            let Number(value) = *given.get_ref();
            let value = Spanned::new(given.span(), value);
            weights[usize::from(class)] =
                within(source, "a weight", &value, 1..=MOST_WEIGHT)? as u16;
        }
        Ok(Schedule::Weighted { weights, strict })
    }
}

/// Returns a set of classes below `count`.
fn set(source: &Source, name: &str, list: &[Spanned<Number>], count: u8) -> Result<u8, InputError> {
    list.iter().try_fold(0, |set, class| Ok(set | 1 << numbered(source, name, class, count)?))
}

/// Returns the number of a class, below `count`.
fn numbered(
    source: &Source,
    name: &str,
    given: &Spanned<Number>,
    count: u8,
) -> Result<u8, InputError> {
    let Number(class) = *given.get_ref();
    let most = u64::from(count) - 1;
    if class <= most {
        return Ok(class as u8);
    }
    let message = format!("{name} {class} of {count}: they count from 0");
    let error = source.error(given.span(), message);
    Err(error.allowed(format!("0 to {most}, or more `classes` in [switch]")))
}

/// Returns the class that the key `name` gives, if it is given.
pub(super) fn priority(
    source: &Source,
    name: &str,
    given: &Given<u64>,
    classes: &Classes,
) -> Result<Option<u8>, InputError> {
    let class = |given: &Spanned<u64>| {
        let class = Spanned::new(given.span(), Number(*given.get_ref()));
        numbered(source, name, &class, classes.count)
    };
    given.as_ref().map(class).transpose()
}
