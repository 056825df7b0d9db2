//! Conversion of texts of a table into values.

use super::super::{Application, Date, DateError, NameError, Text, TextError};
use crate::sensitivity::{Dataset, DatasetError};
use crate::{Share, ShareError};
use bandwise_input::{InputError, Source};
use bandwise_units::Time;
use std::num::NonZeroU32;
use std::ops::Range;

/// A text of a table with its place in the source.
pub(super) struct Field<'a, 's> {
    pub(super) source: &'a Source<'s>,
    pub(super) at: Range<usize>,
}

impl Field<'_, '_> {
    fn error(&self, message: impl std::fmt::Display, allowed: &str) -> InputError {
        self.source.error(self.at.clone(), message.to_string()).allowed(allowed)
    }

    pub(super) fn name(&self, text: &str) -> Result<Application, InputError> {
        Application::try_from(text).map_err(|e| self.error(e, NameError::ALLOWED))
    }

    pub(super) fn share(&self, share: f64) -> Result<Share, InputError> {
        Share::try_from(share).map_err(|e| self.error(e, ShareError::ALLOWED))
    }

    /// Reads a time with its unit.
    pub(super) fn time(&self, text: &str) -> Result<Time, InputError> {
        text.parse().map_err(|e| self.error(e, "a time such as \"172 s\" or \"93.5 s\""))
    }

    /// Reads a time in seconds.
    pub(super) fn seconds(&self, text: &str) -> Result<Time, InputError> {
        // Digits and a point only. `Time` accepts more.
        let is_decimal = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let time = is_decimal.then(|| format!("{text} s").parse().ok()).flatten();
        time.ok_or_else(|| {
            let allowed = "seconds such as 172 or 93.5, down to a picosecond and up to 106 days";
            self.error(format_args!("a time of {text:?} s"), allowed)
        })
    }

    pub(super) fn nodes(&self, nodes: Option<u32>, text: &str) -> Result<NonZeroU32, InputError> {
        nodes.and_then(NonZeroU32::new).ok_or_else(|| {
            self.error(format_args!("measured on {text} nodes"), "a whole number from 1 on")
        })
    }

    pub(super) fn dataset(&self, text: &str) -> Result<Dataset, InputError> {
        text.parse().map_err(|e| self.error(e, DatasetError::ALLOWED))
    }

    pub(super) fn date(&self, text: &str) -> Result<Date, InputError> {
        text.parse().map_err(|e| self.error(e, DateError::ALLOWED))
    }

    pub(super) fn comment(&self, text: &str) -> Result<Text, InputError> {
        Text::try_from(text).map_err(|e| self.error(e, TextError::ALLOWED))
    }
}
