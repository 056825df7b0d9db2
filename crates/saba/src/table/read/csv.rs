//! The CSV form of a sensitivity table, with a line for each sample.

use super::field::Field;
use super::{READABLE, Table, add, samples};
use crate::sensitivity::{Sample, Setting};
use crate::table::{Application, Entry, Text, write};
use bandwise_input::{InputError, Source};
use std::ops::Range;

/// Reads a table as CSV.
///
/// ```text
/// application,share,time_s,nodes,dataset,measured,comment
/// LR,1,132,8,10000 samples,2022-03-01,"Spark, one core a host"
/// LR,0.75,172
/// LR,0.25,447
/// ```
///
/// The first line names the columns, in any order. The first three columns are required. The lines
/// of an application are consecutive. The first of them has the other columns; below it they are
/// empty or repeated.
///
/// # Errors
///
/// Returns an [`InputError`] at the first mistake.
pub fn csv(source: &Source) -> Result<Table, InputError> {
    source.check_text(READABLE)?;
    // Spreadsheets write a byte order mark at the start of files. It is replaced to keep byte
    // offsets.
    let text = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
    let skipped = source.text.len() - text.len();
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut columns: Option<Columns> = None;
    let mut table = Table::new();
    let mut group: Option<Group> = None;
    let mut row = ::csv::StringRecord::new();
    loop {
        let from = skipped + reader.position().byte() as usize;
        let more = reader.read_record(&mut row);
        let at = line(source.text, from..skipped + reader.position().byte() as usize);
        if !more.map_err(|e| source.error(at.clone(), e.to_string()).allowed(READABLE))? {
            break;
        }
        let Some(columns) = &columns else {
            columns = Some(Columns::read(source, &row, at)?);
            continue;
        };
        let place = Field { source, at: at.clone() };
        if row.len() > columns.0.len() {
            let message = format!("{} values in a line", row.len());
            let allowed = format!("{} values, as the first line has names", columns.0.len());
            return Err(source.error(at, message).allowed(allowed));
        }
        let name = place.name(columns.value(&row, Column::Application))?;
        if group.as_ref().is_none_or(|group| group.name != name) {
            if let Some(done) = group.take() {
                done.finish(source, &mut table)?;
            }
            group = Some(Group::new(name, at.clone(), &place, columns, &row)?);
        }
        let group = group.as_mut().expect("it was made if there was none");
        group.add(at, &place, columns, &row)?;
    }
    if let Some(done) = group {
        done.finish(source, &mut table)?;
    }
    Ok(table)
}

/// Returns the range of a record without surrounding space.
fn line(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let from = range.start + (piece.len() - piece.trim_start().len());
    from..from + piece.trim().len()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Application,
    Share,
    Time,
    Nodes,
    Dataset,
    Measured,
    Comment,
}

const COLUMNS: [Column; 7] = [
    Column::Application,
    Column::Share,
    Column::Time,
    Column::Nodes,
    Column::Dataset,
    Column::Measured,
    Column::Comment,
];

/// The positions of columns.
struct Columns(Vec<Column>);

impl Columns {
    fn read(
        source: &Source,
        row: &::csv::StringRecord,
        at: Range<usize>,
    ) -> Result<Self, InputError> {
        let error = |message: String| {
            let allowed =
                format!("{}, of which the first three are needed", write::COLUMNS.join(", "));
            source.error(at.clone(), message).allowed(allowed)
        };
        let mut found = Vec::new();
        for name in row.iter().map(str::trim) {
            let known = write::COLUMNS.iter().position(|known| *known == name);
            let column = COLUMNS[known.ok_or_else(|| error(format!("a column {name:?}")))?];
            if found.contains(&column) {
                return Err(error(format!("two columns {name:?}")));
            }
            found.push(column);
        }
        let missing = (0..3).find(|&i| !found.contains(&COLUMNS[i]));
        match missing {
            Some(i) => Err(error(format!("no column {:?}", write::COLUMNS[i]))),
            None => Ok(Columns(found)),
        }
    }

    /// Returns a value of a row. Lines may end early.
    fn value<'r>(&self, row: &'r ::csv::StringRecord, column: Column) -> &'r str {
        let index = self.0.iter().position(|c| *c == column);
        index.and_then(|index| row.get(index)).unwrap_or_default().trim()
    }
}

/// The lines of an application.
struct Group {
    name: Application,
    /// The first line.
    at: Range<usize>,
    runs: Vec<Sample>,
    lines: Vec<Range<usize>>,
    provenance: Provenance,
}

/// The values of a line beside its sample.
#[derive(Default, PartialEq)]
struct Provenance {
    setting: Setting,
    measured: Option<crate::table::Date>,
    comment: Text,
}

impl Provenance {
    fn read(
        place: &Field,
        columns: &Columns,
        row: &::csv::StringRecord,
    ) -> Result<Self, InputError> {
        let value = |column| Some(columns.value(row, column)).filter(|text| !text.is_empty());
        let nodes = value(Column::Nodes).map(|text| place.nodes(text.parse().ok(), text));
        let dataset = value(Column::Dataset).map(|text| place.dataset(text));
        let measured = value(Column::Measured).map(|text| place.date(text));
        let comment = value(Column::Comment).map(|text| place.comment(text));
        Ok(Provenance {
            setting: Setting { nodes: nodes.transpose()?, dataset: dataset.transpose()? },
            measured: measured.transpose()?,
            comment: comment.transpose()?.unwrap_or_default(),
        })
    }
}

impl Group {
    fn new(
        name: Application,
        at: Range<usize>,
        place: &Field,
        columns: &Columns,
        row: &::csv::StringRecord,
    ) -> Result<Self, InputError> {
        let provenance = Provenance::read(place, columns, row)?;
        Ok(Group { name, at, runs: Vec::new(), lines: Vec::new(), provenance })
    }

    fn add(
        &mut self,
        at: Range<usize>,
        place: &Field,
        columns: &Columns,
        row: &::csv::StringRecord,
    ) -> Result<(), InputError> {
        let provenance = Provenance::read(place, columns, row)?;
        if provenance != self.provenance && provenance != Provenance::default() {
            let message = format!("{:?} measured in two ways", self.name.as_str());
            let allowed = "what the application's first line says, or nothing";
            return Err(place.source.error(at, message).allowed(allowed));
        }
        let share = columns.value(row, Column::Share);
        let share = share.parse().map_err(|_| {
            let error = place.source.error(at.clone(), format!("a share of {share:?}"));
            error.allowed(crate::ShareError::ALLOWED)
        })?;
        let time = place.seconds(columns.value(row, Column::Time))?;
        self.runs.push(Sample { share: place.share(share)?, time });
        self.lines.push(at);
        Ok(())
    }

    fn finish(self, source: &Source, table: &mut Table) -> Result<(), InputError> {
        let Group { name, at, runs, lines, provenance } = self;
        let Provenance { setting, measured, comment } = provenance;
        let samples = samples(source, &name, at.clone(), runs, |i| lines[i].clone())?;
        add(table, source, at, name, Entry { samples, setting, measured, comment })
    }
}
