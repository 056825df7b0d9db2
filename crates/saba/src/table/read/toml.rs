//! The TOML form of a sensitivity table.

use super::field::Field;
use super::{READABLE, Table, add, samples};
use crate::sensitivity::{Sample, Setting};
use crate::table::Entry;
use bandwise_input::{Decimal, InputError, Source};
use serde::Deserialize;
use toml::Spanned;

/// Reads a table as TOML.
///
/// ```toml
/// [[application]]
/// name = "LR"
/// nodes = 8                       # optional, as the next three lines
/// dataset = "10000 samples"
/// measured = "2022-03-01"
/// comment = "Spark, one core a host"
/// samples = [                     # a share of 1, and three shares or more
///     { share = 0.25, time = "447 s" },
///     { share = 0.75, time = "172 s" },
///     { share = 1, time = "132 s" },
/// ]
/// ```
///
/// Several samples of one share are repetitions.
///
/// # Errors
///
/// Returns an [`InputError`] at the first mistake.
pub fn toml(source: &Source) -> Result<Table, InputError> {
    source.check_text(READABLE)?;
    let document: Document = source.toml()?;
    let mut table = Table::new();
    for application in document.application {
        let at = application.name.span();
        let name = place(source, &application.name).name(application.name.get_ref())?;
        let entry = entry(source, &application, &name)?;
        add(&mut table, source, at, name, entry)?;
    }
    Ok(table)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    application: Vec<ApplicationSpec>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApplicationSpec {
    name: Spanned<String>,
    nodes: Option<Spanned<i64>>,
    dataset: Option<Spanned<String>>,
    measured: Option<Spanned<String>>,
    comment: Option<Spanned<String>>,
    samples: Spanned<Vec<SampleSpec>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleSpec {
    share: Spanned<Decimal>,
    time: Spanned<String>,
}

fn place<'a, 's, T>(source: &'a Source<'s>, value: &Spanned<T>) -> Field<'a, 's> {
    Field { source, at: value.span() }
}

fn entry(
    source: &Source,
    spec: &ApplicationSpec,
    name: &crate::table::Application,
) -> Result<Entry, InputError> {
    let run = |sample: &SampleSpec| -> Result<Sample, InputError> {
        Ok(Sample {
            share: place(source, &sample.share).share(sample.share.get_ref().0)?,
            time: place(source, &sample.time).time(sample.time.get_ref())?,
        })
    };
    let all = spec.samples.get_ref();
    let runs = all.iter().map(run).collect::<Result<Vec<_>, _>>()?;
    let nodes = spec.nodes.as_ref().map(|nodes| {
        let number = *nodes.get_ref();
        place(source, nodes).nodes(u32::try_from(number).ok(), &number.to_string())
    });
    let dataset = spec.dataset.as_ref().map(|d| place(source, d).dataset(d.get_ref()));
    let measured = spec.measured.as_ref().map(|d| place(source, d).date(d.get_ref()));
    let comment = spec.comment.as_ref().map(|c| place(source, c).comment(c.get_ref()));
    let at = spec.samples.span();
    Ok(Entry {
        samples: samples(source, name, at, runs, |i| all[i].time.span())?,
        setting: Setting { nodes: nodes.transpose()?, dataset: dataset.transpose()? },
        measured: measured.transpose()?,
        comment: comment.transpose()?.unwrap_or_default(),
    })
}
