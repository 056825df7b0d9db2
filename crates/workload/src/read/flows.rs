//! Reader for flow lists: CSV with the columns `start_ns,src,dst,bytes` and optionally `priority`, in
//! order of start.

use super::fields::Field;
use crate::write::{HEADER, HEADER_WITH_PRIORITY};
use crate::{Flow, ListedFlow, MAX_FLOW, MAX_START};
use bandwise_input::{InputError, Source};
use bandwise_units::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A reader for flow lists. It works line by line and stores only the state for checking the next
/// line.
///
/// ```text
/// start_ns,src,dst,bytes,priority
/// 0,3,17,1000,0
/// 1250.5,8,3,2400000,1
/// ```
///
/// The caller passes the lines of the file and then calls [`FlowList::end`]. Spaces around values
/// and empty lines are ignored. Starts may have decimals, down to a picosecond. Hosts are counted
/// from 0, or have names ([`FlowList::with_names`]). A flow has 1 to 2^40 bytes of payload. The column `priority` may be absent; flows then have
/// traffic class 0.
#[derive(Debug, Clone)]
pub struct FlowList {
    name: String,
    hosts: u32,
    /// The numbers of hosts by name.
    names: Arc<BTreeMap<String, u32>>,
    classes: u8,
    /// The number of lines so far.
    line: usize,
    header: Header,
    /// The start of the last flow, and its line.
    last: Option<(Time, usize)>,
}

/// The state of a list's header.
#[derive(Debug, Clone)]
enum Header {
    /// No line has been read.
    Awaited,
    /// The first lines of a list without a header, which may show another tool's format. `at` is
    /// the number of the first one.
    Missing { at: usize, lines: String },
    /// The header has been read. Lines have a traffic class if `has_priority`.
    Read { has_priority: bool },
}

/// The number of lines that show another tool's format.
const SHOWN: usize = 8;
/// The most bytes that are read for them, in a file of comments.
const LONGEST_HEAD: usize = 16 << 10;

impl FlowList {
    /// Returns a reader for flows among `hosts` hosts, with traffic classes below `classes`. Errors name
    /// the list `name`.
    pub fn new(name: impl Into<String>, hosts: u32, classes: u8) -> Self {
        let header = Header::Awaited;
        let names = Arc::default();
        FlowList { name: name.into(), hosts, names, classes, line: 0, header, last: None }
    }

    /// Also accepts these names, each with the number of its host.
    pub fn with_names(self, names: Arc<BTreeMap<String, u32>>) -> Self {
        FlowList { names, ..self }
    }

    /// Returns the flow of the next line, if the line has one. After an error the list cannot be
    /// read further.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] if the line is invalid, or the flow starts before the previous
    /// one.
    pub fn line(&mut self, text: &str) -> Result<Option<ListedFlow>, InputError> {
        self.line += 1;
        // Spreadsheets write a byte order mark at the start of files.
        let text = if self.line == 1 { text.trim_start_matches('\u{feff}') } else { text };
        if text.trim().is_empty() {
            return Ok(None);
        }
        let source = Source::excerpt(&self.name, text, self.line);
        let has_priority = match &mut self.header {
            Header::Read { has_priority } => *has_priority,
            Header::Awaited => {
                self.header = match header_of(text) {
                    Some(has_priority) => Header::Read { has_priority },
                    None => {
                        Header::Missing { at: self.line, lines: text.trim_end().to_owned() + "\n" }
                    }
                };
                return Ok(None);
            }
            Header::Missing { at, lines } => {
                *lines += text.trim_end();
                lines.push('\n');
                let is_content = |line: &&str| {
                    let line = line.trim_start();
                    !line.is_empty() && !line.starts_with('#')
                };
                if lines.lines().filter(is_content).count() < SHOWN && lines.len() < LONGEST_HEAD {
                    return Ok(None);
                }
                return Err(no_header(&self.name, *at, lines));
            }
        };
        let listed = self.flow(&source, has_priority)?;
        let flow = listed.flow;
        if let Some((last, line)) = self.last.filter(|&(last, _)| flow.start < last) {
            let message = format!(
                "a flow that starts at {} after one that starts at {last}, in line {line}",
                flow.start
            );
            let error = source.error(0..text.trim_end().len(), message);
            return Err(error.allowed("flows in order of start_ns"));
        }
        self.last = Some((flow.start, self.line));
        Ok(Some(listed))
    }

    /// Ends the list. A list without flows is valid, a list without a header is not.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] if there was no header.
    pub fn end(&self) -> Result<(), InputError> {
        match &self.header {
            Header::Read { .. } => Ok(()),
            Header::Missing { at, lines } => Err(no_header(&self.name, *at, lines)),
            Header::Awaited => {
                let error = Source::new(&self.name, "").error(0..0, "a flow list without a line");
                Err(error.allowed(format!("{HEADER} in the first line")))
            }
        }
    }
}

/// Iterates over the flows of a list in memory.
pub fn flows<'a>(
    source: &Source<'a>,
    hosts: u32,
    classes: u8,
) -> impl Iterator<Item = Result<ListedFlow, InputError>> + use<'a> {
    lines(source.name, hosts, classes, source.text.lines())
}

/// Iterates over the flows of a list that comes line by line.
pub fn lines<L>(
    name: impl Into<String>,
    hosts: u32,
    classes: u8,
    lines: L,
) -> FlowLines<L::IntoIter>
where
    L: IntoIterator<Item: AsRef<str>>,
{
    FlowLines { list: FlowList::new(name, hosts, classes), lines: Some(lines.into_iter()) }
}

/// An iterator over the flows of [`lines`]. An error is the last item.
#[derive(Debug, Clone)]
pub struct FlowLines<I> {
    list: FlowList,
    /// The lines, or `None` after the end.
    lines: Option<I>,
}

impl<I: Iterator<Item: AsRef<str>>> Iterator for FlowLines<I> {
    type Item = Result<ListedFlow, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = loop {
            match self.lines.as_mut()?.next() {
                Some(line) => match self.list.line(line.as_ref()) {
                    Ok(None) => {}
                    Ok(Some(flow)) => return Some(Ok(flow)),
                    Err(error) => break Some(Err(error)),
                },
                None => break self.list.end().err().map(Err),
            }
        };
        self.lines = None;
        found
    }
}

impl<I: Iterator<Item: AsRef<str>>> std::iter::FusedIterator for FlowLines<I> {}

/// Returns whether a header has the column of traffic classes, or `None` if the line is no header.
fn header_of(line: &str) -> Option<bool> {
    let is = |columns: &str| {
        Field::between_commas(line, 0).map(|field| field.text).eq(columns.split(','))
    };
    if is(HEADER) { Some(false) } else { is(HEADER_WITH_PRIORITY).then_some(true) }
}

/// Returns the error of a list that begins with these lines, from line `at` on.
fn no_header(name: &str, at: usize, lines: &str) -> InputError {
    let source = Source::excerpt(name, lines, at);
    let columns: Vec<&str> = HEADER_WITH_PRIORITY.split(',').collect();
    let first = lines.lines().next().unwrap_or_default();
    let unknown = Field::between_commas(first, 0).find(|field| !columns.contains(&field.text));
    let has_columns = first.split(',').any(|name| columns.contains(&name.trim()));
    if is_coflow_trace(lines) {
        let error = source.error_in_line(at, "this looks like a coflow trace, not a flow list");
        return error
            .allowed("`bandwise coflows` with this file, or a flow list: ".to_owned() + HEADER);
    }
    let error = match (source.check_own(), unknown) {
        (Err(foreign), _) => return foreign,
        (Ok(()), Some(field)) if has_columns => {
            let message = format!("{:?} is not a column of flow lists", field.text);
            source.error(field.span, message)
        }
        _ => source.error_in_line(at, "a flow list without its header"),
    };
    error.allowed(format!("{HEADER}, or {HEADER_WITH_PRIORITY}"))
}

/// Returns whether lines begin a coflow trace: two numbers, and then a coflow that ends with a reducer
/// such as `65:1.0`.
fn is_coflow_trace(lines: &str) -> bool {
    let is_whole = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let mut lines = lines.lines().map(|line| line.split_whitespace());
    let (Some(mut first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let reducer = second.last().and_then(|word| word.split_once(':'));
    first.clone().count() == 2
        && first.all(is_whole)
        && reducer.is_some_and(|(port, size)| is_whole(port) && size.parse::<f64>().is_ok())
}

impl FlowList {
    /// Reads the line of a flow.
    fn flow(&self, source: &Source, has_priority: bool) -> Result<ListedFlow, InputError> {
        let mut fields = Field::between_commas(source.text, 0);
        let values = [fields.next(), fields.next(), fields.next(), fields.next()];
        let priority = if has_priority { fields.next() } else { None };
        let is_whole = priority.is_some() == has_priority && fields.next().is_none();
        let ([Some(start), Some(src), Some(dst), Some(bytes)], true) = (values, is_whole) else {
            let found = Field::between_commas(source.text, 0).count();
            let message = format!("{found} value{} in a line", if found == 1 { "" } else { "s" });
            let columns = if has_priority { HEADER_WITH_PRIORITY } else { HEADER };
            let wanted = columns.split(',').count();
            let error = source.error(0..source.text.trim_end().len(), message);
            return Err(error.allowed(format!("{wanted} values: {columns}")));
        };
        let flow = self.values(source, [&start, &src, &dst, &bytes])?;
        let priority = priority.map_or(Ok(0), |field| self.priority(source, &field))?;
        Ok(ListedFlow { flow, priority })
    }

    fn values(&self, source: &Source, fields: [&Field; 4]) -> Result<Flow, InputError> {
        let [start, src, dst, bytes] = fields;
        let start = start_ns(source, start)?;
        let (from, to) = (self.host(source, "src", src)?, self.host(source, "dst", dst)?);
        if from == to {
            let message = format!("a flow from host {from} to itself");
            let error = source.error(src.span.start..dst.span.end, message);
            return Err(error.allowed("two different hosts"));
        }
        let least_to_most = 1..=MAX_FLOW.get();
        let bytes =
            whole(bytes).filter(|bytes| least_to_most.contains(bytes)).ok_or_else(|| {
                let allowed = format!("a whole number from 1 to {}, which is 2^40", MAX_FLOW.get());
                bytes.error(source, "bytes").allowed(allowed)
            })?;
        Ok(Flow { start, src: from, dst: to, bytes })
    }

    fn host(&self, source: &Source, what: &str, field: &Field) -> Result<u32, InputError> {
        let number = whole(field).and_then(|number| u32::try_from(number).ok());
        if let (Some(number), Some(&named)) = (number, self.names.get(field.text))
            && number != named
        {
            let message =
                format!("{what} is the number of a host and the name of another, {}", field.text);
            let allowed = "a name that is no number, or a number that is no name";
            return Err(source.error(field.span.clone(), message).allowed(allowed));
        }
        // Spreadsheets put names in quotes.
        let named = || self.names.get(field.text.trim_matches('"')).copied();
        number.filter(|&number| number < self.hosts).or_else(named).ok_or_else(|| {
            let names = if self.names.is_empty() { "" } else { ", or their names" };
            let allowed = format!("hosts 0 to {}{names}", self.hosts.saturating_sub(1));
            field.error(source, what).allowed(allowed)
        })
    }

    fn priority(&self, source: &Source, field: &Field) -> Result<u8, InputError> {
        let number = whole(field).and_then(|number| u8::try_from(number).ok());
        number.filter(|&number| number < self.classes).ok_or_else(|| {
            let most = self.classes.saturating_sub(1);
            let allowed = format!("traffic classes 0 to {most}, or more `classes` in [switch]");
            field.error(source, "priority").allowed(allowed)
        })
    }
}

fn start_ns(source: &Source, field: &Field) -> Result<Time, InputError> {
    // Digits and a point only. `Time` accepts more, such as `_`.
    let is_decimal = field.text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let start = is_decimal.then(|| format!("{} ns", field.text).parse::<Time>().ok()).flatten();
    start.filter(|&start| start <= MAX_START).ok_or_else(|| {
        field.error(source, "start_ns").allowed(
            "nanoseconds such as 1250 or 1250.125, down to a picosecond and up to 100 days",
        )
    })
}

/// Returns a whole number of 64 bits, written in digits only.
fn whole(field: &Field) -> Option<u64> {
    let is_digits = field.text.bytes().all(|b| b.is_ascii_digit());
    field.text.parse().ok().filter(|_| is_digits)
}
