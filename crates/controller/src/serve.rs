//! Where HTTP is spoken.

use crate::settings::Listen;
use axum::Router;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// Where others can knock already; nobody answers yet.
#[derive(Debug)]
pub enum Door {
    /// A socket in the file system.
    Unix(UnixListener),
    /// A port of loopback.
    Loopback(std::net::TcpListener),
}

impl Door {
    /// Takes the place, unless another program has it.
    pub fn open(listen: &Listen) -> io::Result<Self> {
        match listen {
            Listen::Unix(path) => Ok(Door::Unix(unix(path)?)),
            Listen::Loopback(address) => Ok(Door::Loopback(std::net::TcpListener::bind(address)?)),
        }
    }

    /// Answers as long as the process lives, in a thread of its own.
    pub fn serve(self, router: Router) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::spawn(move || {
            runtime.block_on(async {
                match self.answer(router).await {
                    Ok(()) => {}
                    Err(error) => tracing::error!(%error, "nobody answers HTTP any more"),
                }
            });
        });
        Ok(())
    }

    async fn answer(self, router: Router) -> io::Result<()> {
        match self {
            Door::Unix(listener) => {
                listener.set_nonblocking(true)?;
                axum::serve(tokio::net::UnixListener::from_std(listener)?, router).await
            }
            Door::Loopback(listener) => {
                listener.set_nonblocking(true)?;
                axum::serve(tokio::net::TcpListener::from_std(listener)?, router).await
            }
        }
    }
}

/// A socket for its owner alone. One that a controller left that was killed is taken away.
fn unix(path: &Path) -> io::Result<UnixListener> {
    let listener = match UnixListener::bind(path) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            match UnixStream::connect(path) {
                Err(left) if left.kind() == ErrorKind::ConnectionRefused => {
                    std::fs::remove_file(path)?;
                }
                _ => return Err(error),
            }
            UnixListener::bind(path)?
        }
        other => other?,
    };
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600))?;
    Ok(listener)
}
