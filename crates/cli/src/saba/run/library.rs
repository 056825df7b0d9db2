//! The search for the preloaded library.

use crate::failure::Failure;
use crate::output::note;
use std::path::{Path, PathBuf};

/// The file name of the library.
const NAME: &str = "libsaba_preload.so";

/// Folders relative to the program's folder, as packages lay them out.
const BESIDE: [&str; 4] = ["", "../lib/bandwise", "../lib", "../lib64"];

/// System folders.
const SYSTEM: [&str; 4] =
    ["/usr/local/lib/bandwise", "/usr/local/lib", "/usr/lib/bandwise", "/usr/lib"];

/// Returns the given library, which must exist, or else the first that is found. The command also
/// runs without a library.
pub(super) fn find(given: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let set = std::env::var_os("SABA_PRELOAD").filter(|path| !path.is_empty());
    let (name, given) = match (given, set) {
        (Some(path), _) => ("--preload", Some(path.to_owned())),
        (None, set) => ("SABA_PRELOAD", set.map(PathBuf::from)),
    };
    if let Some(path) = given {
        let wrong = |why: &str| {
            let message = format!("{name} can't be {}: {why}", path.display());
            Failure::usage(message, format!("the path of {NAME}, without spaces and colons"))
        };
        let found = path.canonicalize().map_err(|error| wrong(&error.to_string()))?;
        if !found.is_file() {
            return Err(wrong("it is no file"));
        }
        // ld.so(8) takes spaces and colons as separators of libraries.
        return match found.to_string_lossy().contains([' ', ':']) {
            true => Err(wrong("the loader would take it for several")),
            false => Ok(Some(found)),
        };
    }
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).ok();
    let folder = program.as_deref().and_then(Path::parent);
    let beside = folder.into_iter().flat_map(|folder| BESIDE.map(|beside| folder.join(beside)));
    let folders = beside.chain(SYSTEM.map(PathBuf::from));
    let found = folders.map(|folder| folder.join(NAME)).find(|path| path.is_file());
    let found = found.and_then(|path| path.canonicalize().ok());
    let found = found.filter(|path| !path.to_string_lossy().contains([' ', ':']));
    if found.is_none() {
        note(format_args!(
            "saba: there is no {NAME} beside this program, nor in {}: sockets are not marked, and \
             connections not reported (--preload PATH says where it is)",
            SYSTEM.join(", ")
        ));
    }
    Ok(found)
}
