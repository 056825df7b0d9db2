//! `[sweep]`: axes, and the changes at each of their places.

use super::MOST_POINTS;
use super::document::{Change, Path, entries, name, path};
use crate::reader::text::first_line;
use bandwise_input::{InputError, Source};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A dimension of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Key, or name if it changes several keys.
    pub name: String,
    /// Name in tables: the last part of the key, unless another axis has the same.
    pub title: String,
    /// Names of the places.
    pub values: Vec<String>,
    /// Values of the places, if they are numbers.
    pub numbers: Option<Vec<f64>>,
    /// True if the names of places are clear without the axis name.
    is_named: bool,
}

impl Axis {
    /// Returns the name of a place without the axis.
    pub fn place(&self, place: usize) -> String {
        match self.is_named {
            true => self.values[place].clone(),
            false => format!("{} {}", self.title, self.values[place]),
        }
    }
}

/// The changes of all places on an axis.
pub(super) type Changes<'a> = Vec<Vec<Change<'a>>>;

/// Key of the table of axes with names.
const VARIANTS: &str = "variants";

const EXAMPLE: &str = "a list of values such as [0.3, 0.5, 0.7]";
const EXAMPLE_OF_VARIANTS: &str =
    "names, and which keys each changes, such as \"RoCE\" = { transport.kind = \"roce\" }";

/// Returns the axes of a sweep in the order of the file.
pub(super) fn read<'a>(
    source: &Source,
    sweep: Option<&Spanned<DeValue<'a>>>,
) -> Result<(Vec<Axis>, Vec<Changes<'a>>), InputError> {
    let Some(sweep) = sweep else { return Ok((Vec::new(), Vec::new())) };
    let mut reader = Reader { source, axes: Vec::new(), changes: Vec::new(), points: 1 };
    let DeValue::Table(table) = sweep.get_ref() else {
        let error = source.error(sweep.span(), "`sweep` is not a table");
        return Err(error.allowed("[sweep], and below it keys with lists of values"));
    };
    reader.keys(table, &Path::new())?;
    if reader.axes.is_empty() {
        let error = source.error(first_line(source, sweep.span()), "a sweep without an axis");
        return Err(error.allowed(format!("a key of the file with {EXAMPLE}")));
    }
    let names: Vec<&str> = reader.axes.iter().map(|axis| last_part(&axis.name)).collect();
    let is_single = |name: &str| names.iter().filter(|other| **other == name).count() == 1;
    let title = |axis: &Axis| match last_part(&axis.name) {
        last if is_single(last) => last.to_owned(),
        _ => axis.name.clone(),
    };
    let titles: Vec<String> = reader.axes.iter().map(title).collect();
    for (axis, title) in reader.axes.iter_mut().zip(titles) {
        axis.title = title;
    }
    Ok((reader.axes, reader.changes))
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

struct Reader<'s, 'a> {
    source: &'s Source<'s>,
    axes: Vec<Axis>,
    changes: Vec<Changes<'a>>,
    points: usize,
}

impl<'a> Reader<'_, 'a> {
    /// Adds an axis for each key. A nested table of the sweep corresponds to one of the document.
    fn keys(&mut self, table: &DeTable<'a>, before: &Path<'a>) -> Result<(), InputError> {
        for (key, value) in entries(table) {
            let path = path(self.source, before, key)?;
            match value.get_ref() {
                DeValue::Table(named) if before.is_empty() && key.get_ref() == VARIANTS => {
                    self.variants(named)?;
                }
                DeValue::Table(inner) => self.keys(inner, &path)?,
                DeValue::Array(values) => {
                    let labels = values.iter().map(|value| label(self.source, value)).collect();
                    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
                    let changes = values.iter().map(|value| vec![(path.clone(), value.clone())]);
                    self.add(key.span(), name(&path), labels, numbers, changes.collect())?;
                }
                _ => {
                    let message = format!("`{}` of a sweep has one value", name(&path));
                    let error = self.source.error(value.span(), message);
                    return Err(error.allowed(EXAMPLE));
                }
            }
        }
        Ok(())
    }

    /// Adds an axis for each name, whose places change several keys.
    fn variants(&mut self, axes: &DeTable<'a>) -> Result<(), InputError> {
        let refuse =
            |at, what: String| Err(self.source.error(at, what).allowed(EXAMPLE_OF_VARIANTS));
        let mut found = Vec::new();
        for (axis, places) in entries(axes) {
            let DeValue::Table(places) = places.get_ref() else {
                return refuse(
                    places.span(),
                    format!("`{}` is not a table of variants", axis.get_ref()),
                );
            };
            let (mut labels, mut changes) = (Vec::new(), Vec::new());
            for (label, keys) in entries(places) {
                let DeValue::Table(keys) = keys.get_ref() else {
                    return refuse(
                        keys.span(),
                        format!("variant {:?} is not a table", label.get_ref()),
                    );
                };
                labels.push(label.get_ref().clone().into_owned());
                let mut leaves = Vec::new();
                collect(self.source, keys, &Path::new(), &mut leaves)?;
                changes.push(leaves);
            }
            found.push((axis, labels, changes));
        }
        for (axis, labels, changes) in found {
            self.add(axis.span(), axis.get_ref().clone().into_owned(), labels, None, changes)?;
            if let Some(axis) = self.axes.last_mut() {
                axis.is_named = true;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        at: Range<usize>,
        name: String,
        values: Vec<String>,
        numbers: Option<Vec<f64>>,
        changes: Changes<'a>,
    ) -> Result<(), InputError> {
        let error = |message: String| self.source.error(at.clone(), message);
        if values.is_empty() {
            return Err(
                error(format!("an axis without values: {name}")).allowed("one value or more")
            );
        }
        if let Some(axis) = self.axes.iter().find(|axis| axis.name == name) {
            let message = format!("there is an axis {} already", axis.name);
            return Err(error(message).allowed("each axis once"));
        }
        if let Some((key, other)) = self.changed_twice(&changes) {
            let message = format!("`{key}` is changed by the axis {other} already");
            return Err(error(message).allowed("each key on one axis"));
        }
        if let Some(i) = (1..values.len()).find(|&i| values[..i].contains(&values[i])) {
            let message = format!("{} is twice on the axis {name}", values[i]);
            return Err(error(message).allowed("each value once"));
        }
        self.points = self.points.saturating_mul(values.len());
        if self.points > MOST_POINTS {
            let message = format!("a sweep over {} points, with this axis", self.points);
            return Err(error(message).allowed(format!("up to {MOST_POINTS} points")));
        }
        let title = String::new();
        self.axes.push(Axis { name, title, values, numbers, is_named: false });
        self.changes.push(changes);
        Ok(())
    }

    /// Returns a key that both `changes` and an earlier axis set, or whose table the other sets.
    fn changed_twice(&self, changes: &Changes<'a>) -> Option<(String, String)> {
        let meet = |a: &Path, b: &Path| a.iter().zip(b).all(|(a, b)| a.get_ref() == b.get_ref());
        let keys = || changes.iter().flatten().map(|(path, _)| path);
        self.axes.iter().zip(&self.changes).find_map(|(axis, earlier)| {
            let mut of_earlier = earlier.iter().flatten().map(|(path, _)| path);
            let path = keys().find(|path| of_earlier.any(|other| meet(path, other)))?;
            Some((name(path), axis.name.clone()))
        })
    }
}

/// Collects the values of a table with their paths, including nested tables.
fn collect<'a>(
    source: &Source,
    table: &DeTable<'a>,
    before: &Path<'a>,
    found: &mut Vec<Change<'a>>,
) -> Result<(), InputError> {
    for (key, value) in entries(table) {
        let path = path(source, before, key)?;
        match value.get_ref() {
            DeValue::Table(inner) => collect(source, inner, &path, found)?,
            _ => found.push((path, value.clone())),
        }
    }
    Ok(())
}

/// Returns the label of a value: a text without quotes, any other value as it is written.
fn label(source: &Source, value: &Spanned<DeValue>) -> String {
    match value.get_ref() {
        DeValue::String(text) => text.clone().into_owned(),
        _ => source.text.get(value.span()).unwrap_or_default().to_owned(),
    }
}

fn number(value: &Spanned<DeValue>) -> Option<f64> {
    match value.get_ref() {
        DeValue::Integer(n) if n.radix() == 10 => n.as_str().replace('_', "").parse().ok(),
        DeValue::Float(n) => n.as_str().replace('_', "").parse().ok(),
        _ => None,
    }
}
