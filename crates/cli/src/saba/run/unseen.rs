//! Commands that the preloaded library can't serve, whose connections Saba does not see.

use std::fmt;
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The most that is read of a file: the program headers follow the header of an ELF file (System V ABI, chapters 4
/// and 5).
const START: u64 = 8192;

/// The kinds of program headers that name the loader, and that lead to notes.
const INTERPRETER: u64 = 3;
const NOTES: u64 = 4;

/// The note that the Go linker adds (`cmd/internal/buildid`).
const GO: (u64, &[u8]) = (4, b"Go\0\0");

/// The mode bits of a program that runs as its owner, or as its group.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;

/// The reason for which the connections of a command are neither marked nor reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    /// No loader loads the library.
    Static,
    /// The loader of musl can't load the library, which needs glibc.
    Musl,
    /// The code makes system calls instead of calls of C functions.
    Go,
    /// The loader ignores LD_PRELOAD.
    OtherUser,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unseen::Static => "is linked statically",
            Unseen::Musl => "is a program of musl",
            Unseen::Go => "is a Go program, which makes system calls itself",
            Unseen::OtherUser => "changes its user or group (setuid, setgid)",
        })
    }
}

impl Unseen {
    /// Returns the reason of a command; `None` if its connections are seen, or if its file can't be read.
    pub(super) fn of(command: &Path) -> Option<Unseen> {
        let path = found(command)?;
        let file = bandwise_files::open(&path).ok()?;
        let about = file.metadata().ok()?;
        let mut start = Vec::new();
        file.take(START).read_to_end(&mut start).ok()?;
        let program = Program::read(&start)?;
        match program.loader {
            Loader::None => Some(Unseen::Static),
            Loader::Musl => Some(Unseen::Musl),
            Loader::Other if program.is_go => Some(Unseen::Go),
            Loader::Other if changes(&about) => Some(Unseen::OtherUser),
            Loader::Other => None,
        }
    }

    /// Returns whether the command would end if the library were preloaded.
    pub(super) fn breaks(self) -> bool {
        self == Unseen::Musl
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

/// The loader and the origin of a program, by the start of its ELF file.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    loader: Loader,
    /// The Go linker made it, with or without C code.
    is_go: bool,
}

impl Program {
    /// Reads the first bytes of a 64-bit little-endian ELF file. Returns `None` for other files.
    fn read(start: &[u8]) -> Option<Program> {
        if !start.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let number = |at: usize, size: usize| {
            let bytes = start.get(at..at.checked_add(size)?)?;
            Some(bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte)))
        };
        let index = |at: usize, size: usize| usize::try_from(number(at, size)?).ok();
        let (headers, size, count) = (index(0x20, 8)?, index(0x36, 2)?, index(0x38, 2)?);
        let mut program = Program { loader: Loader::None, is_go: false };
        for header in (0..count).map(|i| headers.checked_add(i * size)) {
            let header = header?;
            let kind = number(header, 4)?;
            if ![INTERPRETER, NOTES].contains(&kind) {
                continue;
            }
            let (content, length) = (index(header.checked_add(8)?, 8)?, index(header + 0x20, 8)?);
            let content = start.get(content..content.checked_add(length)?);
            if kind == NOTES {
                program.is_go |= content.is_some_and(|content| notes(content).any(|of| of == GO));
            } else {
                let is_musl = content?.windows(7).any(|part| part == b"ld-musl");
                program.loader = if is_musl { Loader::Musl } else { Loader::Other };
            }
        }
        Some(program)
    }
}

/// Returns kinds and names of notes: each has the lengths of name and content, the kind, and both, padded to 4 bytes
/// (System V ABI, chapter 5).
fn notes(mut rest: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        let (header, after) = rest.split_first_chunk::<12>()?;
        let number =
            |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("4 bytes"));
        let (name, content) = (number(0) as usize, number(4) as usize);
        let padded = name.checked_next_multiple_of(4)?;
        rest = after.get(padded..)?.get(content.checked_next_multiple_of(4)?..)?;
        Some((u64::from(number(8)), &after[..name]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the start of an ELF file with two program headers, of which the first leads to two notes, and the second
    /// may name a loader.
    fn elf(name: Option<&str>, last: &[u8; 4]) -> Vec<u8> {
        let mut start = vec![0; 0x40 + 2 * 0x38];
        start[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (start[0x20], start[0x36], start[0x38]) = (0x40, 0x38, 2);
        (start[0x40], start[0x48], start[0x60]) = (4, start.len() as u8, 2 * 24);
        for name in [b"GNU\0", last] {
            start.extend_from_slice(&[4, 0, 0, 0, 7, 0, 0, 0, 4, 0, 0, 0]);
            start.extend_from_slice(name);
            start.extend_from_slice(b"content\0");
        }
        if let Some(name) = name {
            let (header, at) = (0x40 + 0x38, start.len() as u8);
            (start[header], start[header + 8], start[header + 0x20]) = (3, at, name.len() as u8);
            start.extend_from_slice(name.as_bytes());
        }
        start
    }

    const GNU: &str = "/lib64/ld-linux-x86-64.so.2\0";
    const MUSL: &str = "/lib/ld-musl-x86_64.so.1\0";

    #[test]
    fn loader_and_origin_of_a_program_are_read() {
        let read = |name, note| Program::read(&elf(name, note));
        let program = |loader, is_go| Some(Program { loader, is_go });
        assert_eq!(read(None, b"GNU\0"), program(Loader::None, false));
        assert_eq!(read(Some(GNU), b"GNU\0"), program(Loader::Other, false));
        assert_eq!(read(Some(GNU), b"Go\0\0"), program(Loader::Other, true));
        assert_eq!(read(Some(MUSL), b"Go\0\0"), program(Loader::Musl, true));
        assert_eq!(Program::read(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn usual_and_unknown_commands_are_not_unseen() {
        assert_eq!(Unseen::of(&std::env::current_exe().unwrap()), None);
        assert_eq!(Unseen::of(Path::new("no-such-command")), None);
    }

    /// Any field can be damaged, and a file can end anywhere.
    #[test]
    fn damaged_files_are_read_without_a_panic() {
        let whole = elf(Some(MUSL), b"Go\0\0");
        for at in 6..0xb0 {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut start = whole.clone();
                start[at] = byte;
                Program::read(&start);
            }
        }
        assert_eq!(Program::read(&whole[..0x38]), None);
        for length in 0x3a..whole.len() {
            assert_eq!(Program::read(&whole[..length]), None, "{length}");
        }
    }
}
