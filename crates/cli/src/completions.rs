//! `bandwise completions`: the completion script of a shell.

use crate::args::Args;
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory;
use clap_complete::Shell;

/// Flags of `bandwise completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bandwise completions bash > ~/.local/share/bash-completion/completions/bandwise
  bandwise completions zsh > ~/.zfunc/_bandwise
  bandwise completions fish > ~/.config/fish/completions/bandwise.fish")]
pub(crate) struct Flags {
    /// Shell
    shell: Shell,
}

impl Flags {
    /// Prints the script.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Args::command(), "bandwise", &mut script);
        output::print_data(&String::from_utf8_lossy(&script))
    }
}
