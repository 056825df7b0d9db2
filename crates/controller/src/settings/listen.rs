//! [`Listen`]: where a controller is reached.

use super::at;
use bandwise_input::{InputError, Source};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Where a controller is reached: nothing but this machine, as nobody shows who they are yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// A socket in the file system, for its owner alone.
    Unix(PathBuf),
    /// An address of this machine's own.
    Loopback(SocketAddr),
}

pub(super) fn listen(
    source: &Source,
    text: &Spanned<String>,
    folder: &Path,
) -> Result<Listen, InputError> {
    let allowed = "\"unix:PATH\", or an address of this machine such as \"127.0.0.1:7470\"";
    if let Some(path) = text.get_ref().strip_prefix("unix:").filter(|path| !path.is_empty()) {
        let path = folder.join(path);
        // What the kernel takes: 108 bytes with the zero at the end.
        let bytes = path.as_os_str().len();
        return match bytes < 108 {
            true => Ok(Listen::Unix(path)),
            false => Err(at(source, text, format!("a path of {bytes} bytes")).allowed("up to 107")),
        };
    }
    match text.get_ref().parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(Listen::Loopback(address)),
        Ok(address) => {
            let message =
                format!("{address} can be reached by others, and nobody shows who they are");
            Err(at(source, text, message).allowed(allowed))
        }
        Err(_) => {
            Err(at(source, text, format!("listening at {:?}", text.get_ref())).allowed(allowed))
        }
    }
}
