//! The source of the token: a file that only its owner can read, or the environment. The token is
//! no flag, because all users of a host can read command lines.

use crate::failure::Failure;
use bandwise_agents::Token;
use bandwise_input::reason;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The flag that names the file with the token.
#[derive(Debug, clap::Args)]
pub(crate) struct TokenFlag {
    /// File with the token that all hosts share, readable by its owner only [default: the token in
    /// the variable BANDWISE_TOKEN]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

const VARIABLE: &str = "BANDWISE_TOKEN";
/// The largest size of a token file in bytes, more than any token has.
const LARGEST: u64 = 1 << 16;

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
    let refuse = |what: String, allowed: &str| {
        Failure::usage(format!("--token-file {}: {what}", path.display()), allowed)
    };
    let unreadable = |error: std::io::Error| {
        refuse(format!("can't be read: {}", reason(&error)), "a file that can be read")
    };
    let file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.mode();
    if mode & 0o077 != 0 {
        let what = format!("users other than its owner have access (mode {:o})", mode & 0o777);
        return Err(refuse(what, "mode 600: chmod 600"));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|_| refuse("is not text".into(), "a line of text"))
}
