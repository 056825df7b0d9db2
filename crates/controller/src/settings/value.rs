//! Errors and conversions of single values.

use bandwise_input::{InputError, Source};
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Returns an error at a value.
pub(super) fn at<T>(source: &Source, value: &Spanned<T>, message: impl Into<String>) -> InputError {
    source.error(value.span(), message)
}

/// Returns a path relative to the folder of the settings.
pub(super) fn file(
    source: &Source,
    name: &Spanned<String>,
    folder: &Path,
) -> Result<PathBuf, InputError> {
    match name.get_ref().is_empty() {
        true => Err(at(source, name, "a file without a name").allowed("the path of a file")),
        false => Ok(folder.join(name.get_ref())),
    }
}

/// Parses a value. The error names the allowed ones.
pub(super) fn parsed<T>(
    source: &Source,
    value: &Spanned<String>,
    allowed: &str,
) -> Result<T, InputError>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let wrong = |error: T::Err| at(source, value, error.to_string()).allowed(allowed);
    value.get_ref().parse().map_err(wrong)
}

/// Returns the number of queues of a port for Saba; 8 by default.
pub(super) fn queues(
    source: &Source,
    queues: &Option<Spanned<i64>>,
) -> Result<NonZeroU8, InputError> {
    let Some(queues) = queues else { return Ok(NonZeroU8::new(8).expect("8")) };
    let number = u8::try_from(*queues.get_ref()).ok().filter(|number| *number <= 64);
    let wrong = || at(source, queues, format!("{} queues", queues.get_ref()));
    number.and_then(NonZeroU8::new).ok_or_else(|| wrong().allowed("1 to 64"))
}
