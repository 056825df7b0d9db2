//! Reading of text files that the command line names.

use crate::failure::Failure;
use anyhow::Context;
use bandwise_input::{Encoding, Foreign, InputError, Source, reason};
use std::fs::File;
use std::io::{Read, Take};
use std::path::Path;

/// The largest file that is read. The largest possible fabric, 65 000 nodes, has about 20 MiB.
const LIMIT_MIB: u64 = 64;
/// The number of bytes that are checked before the rest is read.
const FIRST: u64 = 64 << 10;

const ALLOWED: &str = "a text file (UTF-8) of up to 64 MiB";

/// The text of a file, and its name in errors.
#[derive(Debug)]
pub(crate) struct Text {
    /// Path as given, or `<stdin>`.
    pub name: String,
    text: String,
}

impl Text {
    /// Reads a file, or standard input for `-`.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return read("<stdin>".into(), std::io::stdin().lock());
        }
        Text::of(path, File::open(path).map_err(|error| unreadable(path, &error))?)
    }

    /// Reads a file that a service depends on as [`read`](Self::read) does. Other pipes than those that this process
    /// has open already are refused, since they may never have a writer, and so are devices.
    pub(crate) fn read_regular(path: &Path) -> Result<Self, Failure> {
        match path == Path::new("-") {
            true => Text::read(path),
            false => Text::of(path, bandwise_files::open(path)?),
        }
    }

    fn of(path: &Path, file: File) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let metadata = file.metadata().map_err(|error| unreadable(path, &error))?;
        if metadata.is_dir() {
            return Err(Failure::usage(format!("{name}: is a folder"), ALLOWED));
        }
        if metadata.len() > LIMIT_MIB << 20 {
            let message = format!("has {} MiB: too large", metadata.len() >> 20);
            return Err(InputError::whole(&name, message).allowed(ALLOWED).into());
        }
        read(name, file)
    }

    /// Returns the text without its name.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Returns the text for readers.
    pub(crate) fn source(&self) -> Source<'_> {
        Source::new(&self.name, &self.text)
    }
}

/// Returns the failure for a file that can't be read. It belongs to no line of the file.
fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    let message = format!("{}: can't be read: {}", path.display(), reason(error));
    Failure::usage(message, "a file that exists and can be read, or - for standard input")
}

/// Reads a text, and refuses bytes that are not text and texts over the limit.
fn read(name: String, from: impl Read) -> Result<Text, Failure> {
    let mut bytes = Vec::new();
    let mut from: Take<_> = from.take(FIRST);
    from.read_to_end(&mut bytes).with_context(|| name.clone())?;
    // The first part may end within a character; only errors before that count.
    check(&name, &bytes, bytes.len() as u64 == FIRST)?;
    from.set_limit((LIMIT_MIB << 20) + 1 - FIRST);
    from.read_to_end(&mut bytes).with_context(|| name.clone())?;
    if bytes.len() as u64 > LIMIT_MIB << 20 {
        let message = format!("has more than {LIMIT_MIB} MiB: too large");
        return Err(InputError::whole(&name, message).allowed(ALLOWED).into());
    }
    check(&name, &bytes, false)?;
    let mut text = String::from_utf8(bytes).expect("checked");
    // Removes the byte order mark that some editors add.
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    if text.trim().is_empty() {
        return Err(InputError::whole(&name, "the file is empty").allowed(ALLOWED).into());
    }
    Ok(Text { name, text })
}

/// Refuses bytes that are not text, and reports the first of them.
fn check(name: &str, bytes: &[u8], may_go_on: bool) -> Result<(), InputError> {
    let nul = bytes.iter().position(|&b| b == 0);
    let broken = match std::str::from_utf8(bytes) {
        Err(e) if !(may_go_on && e.error_len().is_none()) => Some(e.valid_up_to()),
        _ => None,
    };
    let Some(at) = nul.into_iter().chain(broken).min() else { return Ok(()) };
    if let Some(known) = Foreign::of(&String::from_utf8_lossy(bytes)) {
        let message = format!("this looks like {}", known.name);
        return Err(InputError::whole(name, message).allowed(known.remedy));
    }
    let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count();
    if let Some(encoding) = Encoding::of(bytes) {
        return Err(undecoded(name, bytes, at, encoding));
    }
    let what = if bytes[at] == 0 { "a NUL byte" } else { "bytes that are not UTF-8" };
    // Empty lines replace the lines before the error, so that the snippet does not show binary
    // data.
    let lines = "\n".repeat(line - 1);
    let place = Source::new(name, &lines);
    let message = format!("{what} (byte {at} of the file): this is not text");
    let error = InputError::whole(name, message.clone());
    Err(if line == 1 { error } else { place.error_in_line(line, message) }.allowed(ALLOWED))
}

/// Returns the error of a text in another encoding whose byte `at` is the first that is not UTF-8. It shows
/// the line in UTF-8 as far as possible.
fn undecoded(name: &str, bytes: &[u8], at: usize, encoding: Encoding) -> InputError {
    if encoding == Encoding::Utf16 {
        return InputError::whole(name, "a text in UTF-16").allowed(encoding.remedy());
    }
    let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
    let line = bytes[start..].split(|&b| b == b'\n').next().unwrap_or_default();
    let number = 1 + bytes[..start].iter().filter(|&&b| b == b'\n').count();
    let shown = String::from_utf8_lossy(line);
    let place = Source::excerpt(name, &shown, number);
    let message = format!("bytes that are not UTF-8 (byte {at} of the file, 0x{:02x})", bytes[at]);
    let replaced = at - start..at - start + '\u{fffd}'.len_utf8();
    place.error(replaced, message).allowed(encoding.remedy())
}

/// Reads a file that a scenario names.
pub(crate) fn named(path: &Path) -> Result<bandwise_scenario::File, String> {
    let text = Text::read(path).map_err(|failure| match failure {
        Failure::Input(error) => error.message().to_owned(),
        // Removes the file's name, which the caller's message has already.
        Failure::Usage { message, .. } => {
            message.split_once(": ").map_or(message.clone(), |(_, why)| why.to_owned())
        }
        Failure::Work(error) => format!("{error:#}"),
        Failure::Interrupted | Failure::Stopped(_) | Failure::Command(_) => {
            "interrupted".to_owned()
        }
    })?;
    Ok(bandwise_scenario::File { name: text.name.clone(), text: text.into_text() })
}
