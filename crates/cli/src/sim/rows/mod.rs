//! A row for each flow, as CSV or Parquet.

mod csv;
mod parquet;

use crate::failure::Failure;
use crate::output::{Outputs, Stream};
use bandwise_scenario::ethernet::FlowRecord;

/// A writer of rows, which keeps the first error until [`FlowRows::finish`].
pub(super) struct FlowRows {
    to: Option<Format>,
    failed: Option<anyhow::Error>,
}

/// A file in one of the formats.
enum Format {
    Csv(csv::Rows),
    Parquet(Box<parquet::Rows>),
}

impl FlowRows {
    /// Creates the file, if the flag is given.
    pub(super) fn begin(outputs: &Outputs) -> Result<Self, Failure> {
        let begin = |to: Stream| -> anyhow::Result<Format> {
            Ok(match outputs.rows_are_parquet() {
                true => Format::Parquet(Box::new(parquet::Rows::begin(to)?)),
                false => Format::Csv(csv::Rows::begin(to)?),
            })
        };
        Ok(FlowRows { to: outputs.rows()?.map(begin).transpose()?, failed: None })
    }

    /// Adds a flow.
    pub(super) fn add(&mut self, flow: &FlowRecord) {
        if self.has_failed() {
            return;
        }
        self.failed = match &mut self.to {
            Some(Format::Csv(rows)) => rows.add(flow).err(),
            Some(Format::Parquet(rows)) => rows.add(flow).err(),
            None => None,
        };
    }

    /// Returns `true` after a failed write.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Completes the file.
    pub(super) fn finish(self) -> Result<(), Failure> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        match self.to {
            Some(Format::Csv(rows)) => rows.finish(),
            Some(Format::Parquet(rows)) => rows.finish(),
            None => Ok(()),
        }
    }
}
