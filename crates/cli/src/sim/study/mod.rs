//! `bandwise sim run` of a file with a `[sweep]`: all points in parallel, in one table.

mod answer;
mod csv;
mod point;
mod report;
mod run;
mod settings;
mod store;
mod table;

pub(super) use run::run;
pub(super) use settings::StudySettings;
