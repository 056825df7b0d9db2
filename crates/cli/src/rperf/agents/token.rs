//! The source of the token: a file without access for others, or the environment. The token is
//! no flag, because all users of a host can read command lines.

use crate::failure::Failure;
use bandwise_agents::Token;
use std::path::{Path, PathBuf};

/// The flag that names the file with the token.
#[derive(Debug, clap::Args)]
pub(crate) struct TokenFlag {
    /// File with the token that all hosts share, without access for others [default: the token in
    /// the variable BANDWISE_TOKEN]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

const VARIABLE: &str = "BANDWISE_TOKEN";

impl TokenFlag {
    /// Reads the token from the file or from the environment.
    pub(crate) fn read(&self) -> Result<Token, Failure> {
        let (name, text) = match &self.token_file {
            Some(path) => (format!("--token-file {}", path.display()), of_file(path)?),
            None => match std::env::var(VARIABLE) {
                Ok(text) => (VARIABLE.to_owned(), text),
                Err(_) => {
                    let allowed = format!("--token-file FILE, or the variable {VARIABLE}");
                    return Err(Failure::usage("no token is given", allowed));
                }
            },
        };
        Token::of_text(&text).map_err(|error| {
            let message = error.to_string();
            let (what, allowed) =
                message.split_once("; allowed: ").unwrap_or((&message, "another"));
            Failure::usage(format!("{name}: {what}"), allowed)
        })
    }
}

fn of_file(path: &Path) -> Result<String, Failure> {
    bandwise_files::token(path).map_err(|error| Failure::of_file("--token-file", error))
}
