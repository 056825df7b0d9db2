//! Reader for coflow traces in the format of the public one of Facebook's cluster.

use super::fields::Field;
use crate::{Coflow, CoflowTrace, MAX_FLOW};
use bandwise_input::{InputError, Source};
use bandwise_units::{Bytes, Time};
use std::ops::Range;

/// The maximum number of ports of a trace's fabric. A larger number in a file is a mistake.
pub const MAX_COFLOW_PORTS: u32 = 1 << 16;

/// The maximum number of mappers and of reducers of a coflow.
const MOST_TASKS: u64 = 1 << 20;

/// The megabyte of the simulator for which the trace was made.
const MEGABYTE: u128 = 1 << 20;

/// Reads a coflow trace (Coflow-Benchmark, "FB2010-1Hr-150-0.txt").
///
/// ```text
/// 150 526
/// 1 0 1 22 1 65:1.0
/// 2 10833 2 104 132 1 140:48.0
/// ```
///
/// The first line has the numbers of ports and coflows. Each further line is a coflow: its number,
/// its arrival in milliseconds, the number of mappers, the port of each, and the number of
/// reducers. Each reducer has its port and the megabytes (of 2^20 bytes, with up to 6 decimals)
/// that it gets from all mappers together. Empty lines are ignored.
///
/// Ports are counted from 0, as in the public trace. They are counted from 1 if a coflow has the
/// port with the number of ports, and none has port 0. The returned coflows are counted from 0 and
/// in order of arrival. A port may be a mapper and a reducer, and may occur twice.
///
/// # Errors
///
/// Returns an [`InputError`] at the first line that is invalid.
pub fn coflows(source: &Source) -> Result<CoflowTrace, InputError> {
    source.check_text("a coflow trace, with `ports coflows` in its first line")?;
    let mut lines = Lines { text: source.text, at: 0 };
    let first = lines.next().expect("the text is not empty");
    let (ports, count) = header(source, first)?;
    let mut coflows = Vec::new();
    let mut used = Used::default();
    for line in lines {
        if coflows.len() as u64 == count {
            let error = source.error(line, format!("a coflow after number {count}, the last one"));
            return Err(error.allowed(format!("as many coflows as the first line says: {count}")));
        }
        let read = coflow(
            source,
            Field::between_blanks(&source.text[line.clone()], line.start),
            &line,
            ports,
            &mut used,
        );
        coflows.push(read.map_err(|error| with_columns(source, line, ports).unwrap_or(error))?);
    }
    if (coflows.len() as u64) < count {
        let message = format!("the text ends after coflow {}, of {count}", coflows.len());
        let end = source.text.trim_end().len();
        return Err(source
            .error(end..end, message)
            .allowed(format!("as many coflows as the first line says: {count}")));
    }
    if let (Some(beyond), true) = (&used.beyond, used.zero) {
        let message =
            format!("port {ports} of a fabric with {ports} ports, one of which is port 0");
        return Err(source
            .error(beyond.clone(), message)
            .allowed(format!("ports 0 to {}", ports - 1)));
    }
    if used.beyond.is_some() {
        for coflow in &mut coflows {
            coflow.mappers.iter_mut().for_each(|port| *port -= 1);
            coflow.reducers.iter_mut().for_each(|(port, _)| *port -= 1);
        }
    }
    coflows.sort_by_key(|coflow| coflow.arrival);
    Ok(CoflowTrace { ports, coflows })
}

/// The evidence whether ports are counted from 0 or from 1.
#[derive(Default)]
struct Used {
    zero: bool,
    /// The place of a port number that equals the number of ports.
    beyond: Option<Range<usize>>,
}

/// The byte ranges of the lines of a text that are not empty.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
            let len = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let start = self.at;
            self.at += len;
            let line = self.text[start..self.at].trim_end();
            if !line.trim().is_empty() {
                return Some(start..start + line.len());
            }
        }
    }
}

fn header(source: &Source, line: Range<usize>) -> Result<(u32, u64), InputError> {
    let text = source.text[line.clone()].trim_start_matches('\u{feff}');
    let fields: Vec<Field> = Field::between_blanks(text, line.end - text.len()).collect();
    let [ports, count] = &fields[..] else {
        let error = source.error(line, format!("a first line with {} of 2 values", fields.len()));
        return Err(error.allowed("how many ports and how many coflows, such as 150 526"));
    };
    let most = u64::from(MAX_COFLOW_PORTS);
    let ports = number(source, ports, "the number of ports", 1..=most)?;
    Ok((ports as u32, number(source, count, "the number of coflows", 0..=u64::from(u32::MAX))?))
}

/// Returns an error for a line that is a coflow without one of its second to fourth values: some
/// traces have a column more, such as a weight or a deadline.
fn with_columns(source: &Source, line: Range<usize>, ports: u32) -> Option<InputError> {
    let is_coflow_without = |column: usize| {
        let fields = Field::between_blanks(&source.text[line.clone()], line.start).enumerate();
        let fields = fields.filter(|(i, _)| *i != column).map(|(_, field)| field);
        coflow(source, fields, &line, ports, &mut Used::default()).is_ok()
    };
    let column = (1..4).find(|&column| is_coflow_without(column))? + 1;
    let message = format!(
        "this line is a coflow without its value {column}: does the trace have a column more, such \
         as weights?"
    );
    Some(source.error(line, message).allowed(FORMAT))
}

/// Reads the values of a line. An error behind the last one points to the end of `line`.
fn coflow<'a>(
    source: &Source,
    mut fields: impl Iterator<Item = Field<'a>>,
    line: &Range<usize>,
    ports: u32,
    used: &mut Used,
) -> Result<Coflow, InputError> {
    let end = line.end..line.end;
    let mut next = |what: &str| {
        let missing = || source.error(end.clone(), format!("the line ends before {what}"));
        fields.next().ok_or_else(|| missing().allowed(FORMAT))
    };
    let id = number(source, &next("the coflow's number")?, "the coflow's number", 0..=u64::MAX)?;
    let arrival = arrival(source, &next("its arrival")?)?;
    let most = 1..=MOST_TASKS;
    let what = "the number of mappers";
    let count = number(source, &next(what)?, what, most.clone())?;
    let mut mappers = Vec::new();
    for _ in 0..count {
        let field = next("the last of its mappers")?;
        if field.text.contains(':') {
            let message = format!("{} where the number of mappers says {count}", mappers.len());
            let error = source.error(field.span, message + " ports");
            return Err(error.allowed(FORMAT));
        }
        mappers.push(port(source, &field, ports, used)?);
    }
    let what = "the number of reducers";
    let count = number(source, &next(what)?, what, most)?;
    let mut reducers = Vec::new();
    for _ in 0..count {
        reducers.push(reducer(source, &next("the last of its reducers")?, ports, used)?);
    }
    if let Some(more) = fields.next() {
        let message = format!("a value after the last of {count} reducers");
        return Err(source.error(more.span.start..line.end, message).allowed(FORMAT));
    }
    Ok(Coflow { id, arrival, mappers, reducers })
}

const FORMAT: &str = "number, arrival in ms, number of mappers, their ports, number of reducers, and \
                      port:megabytes of each";

fn reducer(
    source: &Source,
    field: &Field,
    ports: u32,
    used: &mut Used,
) -> Result<(u32, Bytes), InputError> {
    let Some((at, size)) = field.text.split_once(':') else {
        return Err(field.error(source, "a reducer").allowed("port:megabytes, such as 65:1.0"));
    };
    let start = field.span.start;
    let at = Field { text: at, span: start..start + at.len() };
    let size = Field { text: size, span: at.span.end + 1..field.span.end };
    Ok((port(source, &at, ports, used)?, megabytes(source, &size)?))
}

fn port(source: &Source, field: &Field, ports: u32, used: &mut Used) -> Result<u32, InputError> {
    // Whether ports are counted from 0 or 1 is known after the last line.
    let port = number(source, field, "a port", 0..=u64::from(ports)).map_err(|error| {
        error.allowed(format!("ports 0 to {}, as the first line says", ports - 1))
    })?;
    used.zero |= port == 0;
    if port == u64::from(ports) && used.beyond.is_none() {
        used.beyond = Some(field.span.clone());
    }
    Ok(port as u32)
}

fn arrival(source: &Source, field: &Field) -> Result<Time, InputError> {
    let is_decimal = field.text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let time = is_decimal.then(|| format!("{} ms", field.text).parse::<Time>().ok()).flatten();
    time.ok_or_else(|| {
        let error = field.error(source, "an arrival");
        error.allowed("milliseconds such as 10833, down to a picosecond and up to 106 days")
    })
}

/// Returns a size with up to six decimals, rounded to bytes, at most [`MAX_FLOW`].
fn megabytes(source: &Source, field: &Field) -> Result<Bytes, InputError> {
    const MICROS: u128 = 1_000_000;
    let (whole, decimals) = field.text.split_once('.').unwrap_or((field.text, ""));
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let is_number = !whole.is_empty() && is_digits(whole) && is_digits(decimals);
    let micros = (is_number && decimals.len() <= 6 && whole.len() <= 12).then(|| {
        let whole: u128 = whole.parse().unwrap_or(0);
        whole * MICROS + format!("{decimals:0<6}").parse::<u128>().unwrap_or(0)
    });
    let bytes = micros.map(|micros| (micros * MEGABYTE + MICROS / 2) / MICROS);
    let bytes = bytes.filter(|&bytes| bytes <= u128::from(MAX_FLOW.get()));
    bytes.map(|bytes| Bytes::new(bytes as u64)).ok_or_else(|| {
        let most = u128::from(MAX_FLOW.get()) / MEGABYTE;
        let error = field.error(source, "a reducer's megabytes");
        error.allowed(format!("a number from 0 to {most}, with up to six decimals, such as 48.0"))
    })
}

/// Returns a whole number of a range, written in digits only.
fn number(
    source: &Source,
    field: &Field,
    what: &str,
    range: std::ops::RangeInclusive<u64>,
) -> Result<u64, InputError> {
    let is_digits = field.text.bytes().all(|b| b.is_ascii_digit());
    let number = field.text.parse().ok().filter(|number| is_digits && range.contains(number));
    number.ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        field.error(source, what).allowed(format!("a whole number from {least} to {most}"))
    })
}
