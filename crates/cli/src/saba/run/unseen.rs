//! Commands that can't have the preloaded library, whose connections Saba does not see.

use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The most that is read of a file: the program headers follow the header of an ELF file (System V ABI, chapters 4
/// and 5).
const START: u64 = 8192;

/// The kind of a program header that names the loader.
const INTERPRETER: u64 = 3;

/// The mode bits of a program that runs as its owner, or as its group.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;

/// Returns why the connections of a command are neither marked nor reported; `None` if they are, or if its file can't be
/// read.
pub(super) fn why(command: &Path) -> Option<&'static str> {
    let path = found(command)?;
    let file = std::fs::File::open(path).ok()?;
    let about = file.metadata().ok()?;
    let mut start = Vec::new();
    file.take(START).read_to_end(&mut start).ok()?;
    match loader(&start)? {
        Loader::None => Some("is linked statically"),
        Loader::Musl => Some("is a program of musl"),
        Loader::Other if changes(&about) => Some("changes its user or group (setuid, setgid)"),
        Loader::Other => None,
    }
}

/// Returns whether a program runs as another user or group than this one, so that the loader ignores LD_PRELOAD.
fn changes(about: &Metadata) -> bool {
    let Ok(own) = std::fs::metadata("/proc/self") else { return false };
    let has = |bit: u32| about.mode() & bit != 0;
    has(SET_USER) && about.uid() != own.uid() || has(SET_GROUP) && about.gid() != own.gid()
}

/// Returns the file of a command, as a shell finds it.
fn found(command: &Path) -> Option<PathBuf> {
    if command.components().count() > 1 || command.is_absolute() {
        return Some(command.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(command)).find(|path| path.is_file())
}

/// The loader that an ELF file asks for.
#[derive(Debug, PartialEq, Eq)]
enum Loader {
    None,
    Musl,
    Other,
}

/// Returns the loader of a 64-bit little-endian ELF file from its first bytes; `None` for other files.
fn loader(start: &[u8]) -> Option<Loader> {
    if !start.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: usize, size: usize| {
        let bytes = start.get(at..at.checked_add(size)?)?;
        Some(bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte)))
    };
    let index = |at: usize, size: usize| usize::try_from(number(at, size)?).ok();
    let (headers, size, count) = (index(0x20, 8)?, index(0x36, 2)?, index(0x38, 2)?);
    for header in (0..count).map(|i| headers.checked_add(i * size)) {
        let header = header?;
        if number(header, 4)? == INTERPRETER {
            let (name, length) = (index(header.checked_add(8)?, 8)?, index(header + 0x20, 8)?);
            let name = start.get(name..name.checked_add(length)?)?;
            let is_musl = name.windows(7).any(|part| part == b"ld-musl");
            return Some(if is_musl { Loader::Musl } else { Loader::Other });
        }
    }
    Some(Loader::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the start of an ELF file with two program headers, of which the second may name a loader.
    fn elf(name: Option<&str>) -> Vec<u8> {
        let mut start = vec![0; 0x40 + 2 * 0x38];
        start[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (start[0x20], start[0x36], start[0x38]) = (0x40, 0x38, 2);
        start[0x40] = 1;
        if let Some(name) = name {
            let (header, at) = (0x40 + 0x38, start.len() as u8);
            (start[header], start[header + 8], start[header + 0x20]) = (3, at, name.len() as u8);
            start.extend_from_slice(name.as_bytes());
        }
        start
    }

    #[test]
    fn static_programs_and_those_of_musl_are_unseen() {
        assert_eq!(loader(&elf(None)), Some(Loader::None));
        assert_eq!(loader(&elf(Some("/lib64/ld-linux-x86-64.so.2\0"))), Some(Loader::Other));
        assert_eq!(loader(&elf(Some("/lib/ld-musl-x86_64.so.1\0"))), Some(Loader::Musl));
        assert_eq!(loader(b"#!/bin/sh\n"), None);
        // This program has the usual loader.
        assert_eq!(why(&std::env::current_exe().unwrap()), None);
        assert_eq!(why(Path::new("no-such-command")), None);
    }

    /// Any field can be damaged, and a file can end anywhere.
    #[test]
    fn damaged_files_are_read_without_a_panic() {
        let whole = elf(Some("/lib/ld-musl-x86_64.so.1\0"));
        for at in 6..0xb0 {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut start = whole.clone();
                start[at] = byte;
                loader(&start);
            }
        }
        assert_eq!(loader(&whole[..0x38]), None);
        for length in 0x3a..whole.len() {
            assert_eq!(loader(&whole[..length]), None, "{length}");
        }
    }
}
