//! [`NameFlag`].

use crate::values::{Refusal, refused};

/// The flag that names a lab.
#[derive(Debug, clap::Args)]
pub(super) struct NameFlag {
    /// Name of the lab
    #[arg(long, value_name = "NAME", value_parser = name, default_value = "lab")]
    pub name: String,
}

/// The largest length of a name.
const LONGEST: usize = 16;

fn name(text: &str) -> Result<String, Refusal> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=LONGEST).contains(&text.len()) && text.chars().all(is_plain) && !text.starts_with('-') {
        return Ok(text.to_owned());
    }
    let allowed = format!("up to {LONGEST} of a to z, 0 to 9 and -, such as lab or two-racks");
    refused(None, allowed)
}
