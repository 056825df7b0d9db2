//! The controller as a program: its settings, its network, and the commands that query it.

mod dry_run;
mod network;
pub(super) mod rates;
pub(super) mod replay;
pub(super) mod reset;
pub(super) mod run;
mod signals;
pub(super) mod status;

use crate::failure::Failure;
use crate::files::Text;
use bandwise_controller::settings::Settings;
use std::path::{Path, PathBuf};

/// The flag of a controller's settings.
#[derive(Debug, clap::Args)]
pub(super) struct Config {
    /// Settings file of the controller, TOML
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
}

impl Config {
    /// Reads the settings, and returns them with their text, for errors that are found later.
    pub(super) fn read(&self) -> Result<(Settings, Text), Failure> {
        let text = Text::read_regular(&self.config)?;
        let settings = Settings::read(&text.source(), self.folder())?;
        Ok((settings, text))
    }

    /// Returns the folder to which paths in the settings are relative: that of the file, or the working directory if the
    /// settings come through a descriptor.
    fn folder(&self) -> &Path {
        let is_descriptor = ["/dev", "/proc"].iter().any(|of| self.config.starts_with(of));
        let folder = self.config.parent().filter(|path| !path.as_os_str().is_empty());
        folder.filter(|_| !is_descriptor).unwrap_or(Path::new("."))
    }
}
