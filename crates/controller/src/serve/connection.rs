//! [`Connections`]: the connections of a listener, with their limits and timeouts.

use super::tls::Tls;
use crate::credentials::Peer;
use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The largest number of connections of one listener. Each program opens one or a few.
const MOST: usize = 8_192;

/// The timeout of a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The idle timeout of HTTP/1 between requests and within a head; longer than half a lease.
const SILENCE: Duration = Duration::from_secs(75);

/// The interval of HTTP/2 pings, and the timeout of their answers.
const ALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));

/// The largest number of concurrent calls on one HTTP/2 connection.
const CALLS: u32 = 256;

/// The connections of a listener.
pub(super) struct Connections {
    router: Router,
    room: Arc<Semaphore>,
    builder: Arc<Builder<TokioExecutor>>,
}

impl Connections {
    pub(super) fn new(router: Router) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(SILENCE);
        let http2 = &mut builder.http2();
        http2.timer(TokioTimer::new()).max_concurrent_streams(CALLS);
        http2.keep_alive_interval(ALIVE.0).keep_alive_timeout(ALIVE.1);
        Connections { router, room: Arc::new(Semaphore::new(MOST)), builder: Arc::new(builder) }
    }

    /// Waits until another connection may be accepted.
    pub(super) async fn permit(&self) -> OwnedSemaphorePermit {
        self.room.clone().acquire_owned().await.expect("it is never closed")
    }

    /// Serves a connection until it closes.
    pub(super) fn serve<S>(&self, permit: OwnedSemaphorePermit, stream: S, peer: Peer)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        tokio::spawn(serve(self.router.clone(), self.builder.clone(), permit, stream, peer));
    }

    /// Serves a connection after a TLS handshake, which identifies the peer.
    pub(super) fn serve_tls(&self, permit: OwnedSemaphorePermit, stream: TcpStream, tls: Tls) {
        let (router, builder) = (self.router.clone(), self.builder.clone());
        tokio::spawn(async move {
            match tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                Ok(Ok((stream, peer))) => serve(router, builder, permit, stream, peer).await,
                Ok(Err(error)) => tracing::warn!(%error, "TLS handshake failed"),
                Err(_) => tracing::warn!("TLS handshake timed out"),
            }
        });
    }
}

async fn serve<S>(
    router: Router,
    builder: Arc<Builder<TokioExecutor>>,
    _permit: OwnedSemaphorePermit,
    stream: S,
    peer: Peer,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = TowerToHyperService::new(router.layer(Extension(peer)));
    let served = builder.serve_connection(TokioIo::new(stream), service).await;
    // A broken connection affects no other connection.
    if let Err(error) = served {
        tracing::debug!(error, "connection failed");
    }
}
