//! The check that a file which is written has no other use.

use super::document::Document;
use super::value::at;
use crate::daemon::RotatingFile;
use bandwise_input::{InputError, Source};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The number of links that the kernel follows.
const LINKS: u32 = 40;

/// The use of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Written,
    /// A file with numbered older ones beside it.
    Rotated,
}

struct Named<'a> {
    name: &'a Spanned<String>,
    /// The path without links.
    path: PathBuf,
    /// The path in a folder without links; the file may be a link.
    place: PathBuf,
    is: Use,
}

impl<'a> Named<'a> {
    fn new(name: &'a Spanned<String>, folder: &Path, is: Use) -> Self {
        let path = folder.join(name.get_ref());
        Named { name, path: resolved(&path, LINKS), place: in_folder(&path), is }
    }
}

/// Refuses a file that is written and has another use, since each use would destroy the other's content. Links to the
/// same file are found, and numbered older files. `own` is the settings file.
pub(super) fn check(
    source: &Source,
    document: &Document,
    folder: &Path,
    own: &Path,
) -> Result<(), InputError> {
    let allowed =
        "a file of its own for each of table, store, audit, recording, certificates and keys";
    let mut all = named(document, folder);
    all.sort_by_key(|of| of.name.span().start);
    let own = resolved(own, LINKS);
    for (before, one) in all.iter().enumerate() {
        let is_own = one.is != Use::Read && is_same(&own, &one.path);
        if is_own || all[..before].iter().any(|other| collide(one, other)) {
            let message = format!("{:?} is used twice", one.name.get_ref());
            return Err(at(source, one.name, message).allowed(allowed));
        }
    }
    Ok(())
}

/// Returns all files that the settings name.
fn named<'a>(document: &'a Document, folder: &Path) -> Vec<Named<'a>> {
    let Document { table, store, audit, recording, cluster, remote, simulated, .. } = document;
    let mut all = Vec::new();
    let mut add = |is, name: &'a Option<Spanned<String>>| {
        all.extend(name.as_ref().map(|name| Named::new(name, folder, is)));
    };
    add(Use::Written, store);
    add(Use::Rotated, audit);
    add(Use::Rotated, recording);
    if let Some(remote) = remote {
        for name in [&remote.certificate, &remote.key, &remote.clients] {
            add(Use::Read, name);
        }
    }
    if let Some(cluster) = cluster.as_ref().map(|of| of.get_ref()) {
        let names = [&cluster.ca, &cluster.certificate, &cluster.key, &cluster.password_file];
        names.into_iter().for_each(|name| add(Use::Read, name));
    }
    if let Some(simulated) = simulated {
        add(Use::Read, &simulated.get_ref().fabric_file);
    }
    all.push(Named::new(table, folder, Use::Read));
    all
}

fn collide(one: &Named, other: &Named) -> bool {
    let is_part = |of: &Named, part: &Named| {
        of.is == Use::Rotated && RotatingFile::is_beside(&of.place, &part.place)
    };
    let is_written = one.is != Use::Read || other.is != Use::Read;
    is_written && is_same(&one.path, &other.path) || is_part(one, other) || is_part(other, one)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| path.metadata().ok().map(|about| (about.dev(), about.ino()));
    one == other || id(one).is_some_and(|one| id(other) == Some(one))
}

/// Returns a path without links, also that of a file to be created.
fn resolved(path: &Path, links: u32) -> PathBuf {
    let folder = || path.parent().unwrap_or(Path::new(""));
    match (path.canonicalize(), path.read_link()) {
        (Ok(path), _) => path,
        (Err(_), Ok(target)) if links > 0 => resolved(&folder().join(target), links - 1),
        _ => in_folder(path),
    }
}

/// Returns a path whose folder is without links.
fn in_folder(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
