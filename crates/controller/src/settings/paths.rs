//! The check of the paths in a settings file.

use super::Settings;
use super::document::Document;
use super::listen::{Listen, listen};
use super::separate;
use super::value::{at, file};
use bandwise_files::FileError;
use bandwise_input::{InputError, Source};
use std::fs::symlink_metadata;
use std::ops::Range;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

impl Settings {
    /// Refuses paths at which a file or the socket can't be created, and a file that is written and has another use.
    /// Called before anything is started, and only reads the file system. `source` and `folder` are those of
    /// [`read`](Settings::read), `own` is the path of the settings file.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] with the line of the first unusable path.
    pub fn check_paths(source: &Source, folder: &Path, own: &Path) -> Result<(), InputError> {
        let document: Document = source.toml()?;
        separate::check(source, &document, folder, own)?;
        let Document { store, audit, recording, .. } = &document;
        for name in [store, audit, recording].into_iter().flatten() {
            let path = file(source, name, folder)?;
            check(source, name.span(), &path)?;
            bandwise_files::check_place(&path).map_err(|FileError { path, why, allowed }| {
                at(source, name, format!("{} {why}", path.display())).allowed(allowed)
            })?;
        }
        if let Listen::Unix { path, .. } = listen(source, &document, folder)? {
            let span = document.listen.as_ref().map_or(0..0, |text| text.span());
            check(source, span.clone(), &path)?;
            if symlink_metadata(&path).is_ok_and(|there| !there.file_type().is_socket()) {
                let message = format!("{} is there, and is not a socket", path.display());
                let allowed = "a free path, or the stale socket of a controller";
                return Err(source.error(span, message).allowed(allowed));
            }
        }
        Ok(())
    }
}

fn check(source: &Source, span: Range<usize>, path: &Path) -> Result<(), InputError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if folder.is_dir() {
        return Ok(());
    }
    let message = format!("there is no folder {}", folder.display());
    Err(source.error(span, message).allowed("a file in an existing folder"))
}
