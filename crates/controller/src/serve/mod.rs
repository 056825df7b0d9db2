//! The listeners of the controller. Each speaks HTTP/1 and HTTP/2, for people, scripts and gRPC alike.

mod activity;
mod admission;
mod connection;
mod descriptors;
mod places;
mod tls;
mod whole;

pub use admission::Admission;
pub use descriptors::raise_descriptor_limit;
pub use tls::Tls;
pub(crate) use whole::requests as whole_requests;

use crate::credentials::Peer;
use crate::present::Present;
use crate::settings::Listen;
use axum::Router;
use connection::Connections;
use socket2::SockRef;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

/// A bound address that does not accept connections yet.
#[derive(Debug)]
pub enum Listener {
    /// A Unix socket.
    Unix(UnixListener),
    /// A loopback address.
    Loopback(TcpListener),
    /// An address for remote hosts. Without [`Tls`], the traffic is not encrypted. Connections end when the TLS
    /// configuration is replaced.
    Remote(TcpListener, Present<Option<Tls>>),
}

impl Listener {
    /// Binds the address of the settings.
    ///
    /// # Errors
    ///
    /// Returns an error if another program has bound the address, or the socket's file can't be created.
    pub fn open(listen: &Listen) -> io::Result<Self> {
        match listen {
            Listen::Unix { path, mode } => Ok(Listener::Unix(unix(path, *mode)?)),
            Listen::Loopback(address) => Ok(Listener::Loopback(TcpListener::bind(address)?)),
        }
    }

    /// Binds an address for remote hosts.
    ///
    /// # Errors
    ///
    /// Returns an error if the address can't be bound.
    pub fn open_remote(address: SocketAddr, tls: Present<Option<Tls>>) -> io::Result<Self> {
        Ok(Listener::Remote(TcpListener::bind(address)?, tls))
    }

    /// Accepts connections in a thread of its own until the process ends.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime of the thread can't be created.
    pub fn serve(self, router: Router) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::spawn(move || {
            runtime.block_on(async {
                match self.answer(Connections::new(router, descriptors::of_listener())).await {
                    Ok(never) => match never {},
                    Err(error) => tracing::error!(%error, "listener failed"),
                }
            });
        });
        Ok(())
    }

    async fn answer(self, connections: Connections) -> io::Result<std::convert::Infallible> {
        match self {
            Listener::Unix(listener) => {
                listener.set_nonblocking(true)?;
                let listener = tokio::net::UnixListener::from_std(listener)?;
                loop {
                    match listener.accept().await.and_then(|of| Ok((of.0.peer_cred()?, of.0))) {
                        Ok((who, stream)) => connections.serve_local(stream, Peer::User(who.uid())),
                        Err(error) => refused(&error).await,
                    }
                }
            }
            Listener::Loopback(listener) => {
                let listener = tcp(listener)?;
                loop {
                    match listener.accept().await {
                        Ok((stream, _)) => {
                            forget_unread(&stream);
                            connections.serve_local(stream, Peer::Loopback);
                        }
                        Err(error) => refused(&error).await,
                    }
                }
            }
            Listener::Remote(listener, tls) => {
                let listener = tcp(listener)?;
                loop {
                    match listener.accept().await {
                        Ok((stream, address)) => {
                            forget_unread(&stream);
                            connections.serve_remote(stream, address.ip(), &tls);
                        }
                        Err(error) => refused(&error).await,
                    }
                }
            }
        }
    }
}

fn tcp(listener: TcpListener) -> io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

/// Bounds the time that the kernel keeps what the peer does not read, also after the end of the connection.
fn forget_unread(stream: &tokio::net::TcpStream) {
    if let Err(error) = SockRef::from(stream).set_tcp_user_timeout(Some(connection::SILENCE)) {
        tracing::debug!(%error, "no limit for what a peer does not read");
    }
}

/// Logs a failed accept, for example without free descriptors, and pauses before the next.
async fn refused(error: &io::Error) {
    tracing::warn!(%error, "accepting a connection failed");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// Returns whether the path is a socket, in use or stale.
fn is_socket(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|there| there.file_type().is_socket())
}

/// Binds a Unix socket with these permissions. A stale socket of a killed controller is replaced.
fn unix(path: &Path, mode: u32) -> io::Result<UnixListener> {
    let listener = match UnixListener::bind(path) {
        // Other files are never replaced.
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_socket(path) => {
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
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode))?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_socket_is_replaced_and_foreign_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        drop(unix(&path, 0o600).unwrap());
        let in_use = unix(&path, 0o600).unwrap();
        assert!(unix(&path, 0o600).is_err());
        drop(in_use);
        let file = folder.path().join("file");
        std::fs::write(&file, "theirs").unwrap();
        assert_eq!(unix(&file, 0o600).unwrap_err().kind(), ErrorKind::AddrInUse);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "theirs");
    }
}
