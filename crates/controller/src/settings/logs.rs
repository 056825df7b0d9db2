//! The settings of the audit log and the recording.

use super::document::Document;
use super::value::{at, file, parsed};
use crate::daemon::RotatingFile;
use bandwise_input::{InputError, Source};
use bandwise_units::Bytes;
use std::path::Path;
use toml::Spanned;

const SIZE: &str = "64 MiB";
/// Four files hold about a day of 100 ports with checks every 10 s.
const RECORDINGS: i64 = 4;
/// Changes of a port may be investigated much later.
const AUDITS: i64 = 16;

/// The keys and values of one log.
struct LogSpec<'a> {
    key: &'a str,
    name: &'a Option<Spanned<String>>,
    size: &'a Option<Spanned<String>>,
    files: &'a Option<Spanned<i64>>,
    default_files: i64,
}

pub(super) fn audit(
    source: &Source,
    document: &Document,
    folder: &Path,
) -> Result<Option<RotatingFile>, InputError> {
    let (size, files) = (&document.audit_size, &document.audit_files);
    let name = &document.audit;
    rotating_file(
        source,
        LogSpec { key: "audit", name, size, files, default_files: AUDITS },
        folder,
    )
}

pub(super) fn recording(
    source: &Source,
    document: &Document,
    folder: &Path,
) -> Result<Option<RotatingFile>, InputError> {
    let (size, files) = (&document.recording_size, &document.recording_files);
    let name = &document.recording;
    rotating_file(
        source,
        LogSpec { key: "recording", name, size, files, default_files: RECORDINGS },
        folder,
    )
}

fn rotating_file(
    source: &Source,
    spec: LogSpec,
    folder: &Path,
) -> Result<Option<RotatingFile>, InputError> {
    let key = spec.key;
    let Some(name) = spec.name else {
        let alone = spec.size.as_ref().map(|size| size.span());
        let alone = alone.or_else(|| spec.files.as_ref().map(|files| files.span()));
        return match alone {
            None => Ok(None),
            Some(span) => {
                let error = source.error(span, format!("no `{key}` is set"));
                Err(error.allowed(format!("{key} = \"FILE\" besides, or none of it")))
            }
        };
    };
    let path = file(source, name, folder)?;
    let size = match spec.size {
        None => SIZE.parse().expect("a size"),
        Some(text) => {
            let allowed = "64 KiB to 1 TiB";
            let size: Bytes = parsed(source, text, allowed)?;
            match (Bytes::from_kib(64)..=Bytes::from_kib(1 << 30)).contains(&size) {
                true => size,
                false => {
                    return Err(
                        at(source, text, format!("{size} is out of range")).allowed(allowed)
                    );
                }
            }
        }
    };
    let files = match spec.files {
        None => spec.default_files,
        // With a single file, rotation would leave almost nothing.
        Some(files) if (2..=100_000).contains(files.get_ref()) => *files.get_ref(),
        Some(files) => {
            let message = format!("{} files of the {key}", files.get_ref());
            return Err(at(source, files, message).allowed("2 to 100000, with the one written to"));
        }
    };
    Ok(Some(RotatingFile::new(path, size, files as u32)))
}
