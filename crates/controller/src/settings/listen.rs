//! [`Listen`]: the local address of the controller.

use super::document::Document;
use super::value::at;
use bandwise_input::{InputError, Source};
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The default socket of the controller, which clients try first.
pub const SOCKET: &str = "/run/bandwise/controller.sock";
/// The default mode of the socket: only the owner may write.
const MODE: u32 = 0o600;

/// The local address of the controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// A Unix socket.
    Unix {
        /// The path of the socket.
        path: PathBuf,
        /// The permissions of the socket's file.
        mode: u32,
    },
    /// A loopback address.
    Loopback(SocketAddr),
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listen::Unix { path, .. } => write!(f, "unix:{}", path.display()),
            Listen::Loopback(address) => write!(f, "http://{address}"),
        }
    }
}

pub(super) fn listen(
    source: &Source,
    document: &Document,
    folder: &Path,
) -> Result<Listen, InputError> {
    let given = document.socket_mode.as_ref();
    let mode = given.map_or(Ok(MODE), |mode| self::mode(source, mode))?;
    let Some(text) = &document.listen else {
        return Ok(Listen::Unix { path: SOCKET.into(), mode });
    };
    if let Some(path) = text.get_ref().strip_prefix("unix:").filter(|path| !path.is_empty()) {
        let path = folder.join(path);
        // The kernel's limit is 108 bytes with the terminating zero.
        let bytes = path.as_os_str().len();
        return match bytes < 108 {
            true => Ok(Listen::Unix { path, mode }),
            false => Err(at(source, text, format!("a path of {bytes} bytes")).allowed("up to 107")),
        };
    }
    if let Some(mode) = given {
        return Err(at(source, mode, "a mode without a socket").allowed("with a unix: socket"));
    }
    let allowed = "\"unix:PATH\", or an address of this machine such as \"127.0.0.1:7470\"";
    match text.get_ref().parse::<SocketAddr>() {
        Ok(address) if address.port() == 0 => {
            let wrong = at(source, text, "port 0, at which no client finds the controller");
            Err(wrong.allowed("1 to 65535"))
        }
        Ok(address) if address.ip().is_loopback() => Ok(Listen::Loopback(address)),
        Ok(address) => {
            let message = format!("{address} is reachable by others without authentication");
            let remote = "a [remote] table with authentication; here";
            Err(at(source, text, message).allowed(format!("{remote} {allowed}")))
        }
        Err(_) => {
            Err(at(source, text, format!("listening at {:?}", text.get_ref())).allowed(allowed))
        }
    }
}

fn mode(source: &Source, text: &Spanned<String>) -> Result<u32, InputError> {
    let mode = u32::from_str_radix(text.get_ref(), 8).ok().filter(|mode| mode & !0o666 == 0);
    mode.ok_or_else(|| {
        let wrong = at(source, text, format!("the mode {:?}", text.get_ref()));
        wrong.allowed("digits such as \"660\", for reading and writing")
    })
}
