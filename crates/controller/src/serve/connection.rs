//! [`Connections`]: the connections of a listener, with their limits and timeouts.

use super::activity::Activity;
use super::places::{Holder, Places, Room};
use super::tls::Tls;
use crate::core::Owner;
use crate::credentials::{FirstCaller, Peer};
use crate::present::Present;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The largest numbers of connections of one listener, if the limit of descriptors allows them. Each program opens one
/// or a few.
const ROOM: Room = Room { callers: 7_680, strangers: 512, of_address: 256, of_owner: 4_096 };

/// The time in which a peer has to make itself known: by the certificate of a TLS handshake, or by a first request with
/// a token.
const STRANGE: Duration = Duration::from_secs(10);

/// The time after which a connection is closed on which nothing happens; longer than half a lease.
pub(super) const SILENCE: Duration = Duration::from_secs(75);

/// The time that a closing connection has for its last answers.
const LAST: Duration = Duration::from_secs(2);

/// The interval of HTTP/2 pings, and the timeout of their answers.
const ALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));

/// The largest number of concurrent calls on one HTTP/2 connection.
const CALLS: u32 = 100;

/// The largest buffer of a connection, or of a call on one HTTP/2 connection, in bytes.
const BUFFER: usize = 64 << 10;

/// The connections of a listener.
pub(super) struct Connections {
    router: Router,
    places: Arc<Mutex<Places<Arc<Notify>>>>,
    builder: Arc<Builder<TokioExecutor>>,
}

impl Connections {
    /// `descriptors` is the number of descriptors that the listener may use.
    pub(super) fn new(router: Router, descriptors: usize) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        let http1 = &mut builder.http1();
        http1.timer(TokioTimer::new()).header_read_timeout(SILENCE).max_buf_size(BUFFER);
        let http2 = &mut builder.http2();
        http2.timer(TokioTimer::new()).max_concurrent_streams(CALLS).max_send_buf_size(BUFFER);
        http2.keep_alive_interval(ALIVE.0).keep_alive_timeout(ALIVE.1);
        let strangers = ROOM.strangers.min(descriptors / 4);
        let callers = ROOM.callers.min(descriptors - strangers);
        let room = Room { callers, strangers, ..ROOM };
        let places = Arc::new(Mutex::new(Places::new(room)));
        Connections { router, places, builder: Arc::new(builder) }
    }

    /// Serves a connection of a local process until it closes. A process with too many connections is refused.
    pub(super) fn serve_local<S>(&self, stream: S, peer: Peer)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Some(owner) = peer.owner() else { return };
        let Some(place) = self.place(Holder::Known(owner)) else { return };
        let never = std::future::pending();
        tokio::spawn(serve(self.router.clone(), self.builder.clone(), place, stream, peer, never));
    }

    /// Serves a connection from another machine, until it closes, its peer does not make itself known, or the TLS
    /// configuration is replaced. With TLS, a handshake comes first.
    pub(super) fn serve_remote(
        &self,
        stream: TcpStream,
        address: IpAddr,
        tls: &Present<Option<Tls>>,
    ) {
        let (tls, replaced) = tls.until_replaced();
        let Some(place) = self.place(Holder::stranger(address)) else { return };
        let (router, builder) = (self.router.clone(), self.builder.clone());
        tokio::spawn(async move {
            let Some(tls) = &*tls else {
                return serve(router, builder, place, stream, Peer::Remote(None), replaced).await;
            };
            let accepts = timeout(STRANGE, tls.accept(stream));
            let accepted = tokio::select! {
                accepted = accepts => accepted,
                () = place.lost.notified() => return,
            };
            match accepted {
                Ok(Ok((stream, peer))) => {
                    serve(router, builder, place, stream, peer, replaced).await;
                }
                Ok(Err(error)) => tracing::warn!(%address, %error, "TLS handshake failed"),
                Err(_) => tracing::warn!(%address, "TLS handshake timed out"),
            }
        });
    }

    /// Returns a place for a new connection. Another one may lose its own.
    fn place(&self, holder: Holder) -> Option<Place> {
        let lost = Arc::new(Notify::new());
        let entered = lock(&self.places).enter(holder, lost.clone());
        let Some((number, other)) = entered else {
            tracing::warn!("connection refused: its peer has too many");
            return None;
        };
        loses(other);
        Some(Place { number, lost, places: self.places.clone() })
    }
}

/// Ends a connection that has lost its place to another one.
fn loses(connection: Option<Arc<Notify>>) {
    connection.inspect(|lost| lost.notify_one());
}

fn lock<T>(places: &Mutex<Places<T>>) -> MutexGuard<'_, Places<T>> {
    places.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The place of a connection, which it gives up at its end.
struct Place {
    number: u64,
    /// Notified if another connection takes the place.
    lost: Arc<Notify>,
    places: Arc<Mutex<Places<Arc<Notify>>>>,
}

impl Place {
    /// Passes the place to the caller that the peer has turned out to be. A caller with too many loses it.
    fn recognise(&self, owner: &Owner) {
        let recognised = lock(&self.places).recognise(self.number, owner);
        match recognised {
            Some(other) => loses(other),
            None => {
                tracing::warn!(%owner, "connection closed: its caller has too many");
                self.lost.notify_one();
            }
        }
    }

    /// Returns once the connection should be closed: it has lost its place, nothing happens on it, or its peer has not
    /// made itself known in time.
    async fn ends(&self, activity: &Activity, first: &FirstCaller, is_known: bool) {
        let ends = async {
            let recognised = async { self.recognise(first.known().await) };
            if timeout(STRANGE, recognised).await.is_ok() || is_known {
                activity.silence(SILENCE).await;
            }
        };
        tokio::select! {
            () = ends => {}
            () = self.lost.notified() => {}
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.places).leave(self.number);
    }
}

/// Serves a connection until it closes, its place ends, or `replaced` completes. Then a request that is being served
/// still gets its answer.
async fn serve<S>(
    router: Router,
    builder: Arc<Builder<TokioExecutor>>,
    place: Place,
    stream: S,
    peer: Peer,
    replaced: impl Future<Output = ()>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let owner = peer.owner();
    owner.iter().for_each(|owner| place.recognise(owner));
    let is_known = owner.is_some();
    let (activity, first) = (Activity::new(), FirstCaller::default());
    let of_request = activity.clone();
    let observe = move |request: Request, next: Next| {
        let activity = of_request.clone();
        async move { activity.observe(request, |request| next.run(request)).await }
    };
    let router = router.layer(from_fn(observe));
    let router = router.layer(Extension(peer)).layer(Extension(first.clone()));
    let service = TowerToHyperService::new(router);
    let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ends = async {
        tokio::select! {
            () = place.ends(&activity, &first, is_known) => {}
            () = replaced => {}
        }
    };
    // The end comes first: `served`, whenever it is woken, takes a further part of an answer that the peer does not read.
    let ended = tokio::select! {
        biased;
        () = ends => {
            served.as_mut().graceful_shutdown();
            timeout(LAST, served).await.unwrap_or(Ok(()))
        }
        ended = served.as_mut() => ended,
    };
    // A broken connection affects no other connection.
    if let Err(error) = ended {
        tracing::debug!(error, "connection failed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::{Authenticator, Credential, Credentials, Rights, TokenDigest};
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use futures_util::stream;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::Instant;

    /// Returns the other end of a connection of this peer. The answer of `/short` has an end, that of `/endless` has
    /// none, and `/never` is not answered.
    fn connected(peer: Peer) -> (Connections, DuplexStream) {
        let rights =
            Rights { applications: Vec::new(), hosts: Vec::new(), drain: true, sees_all: false };
        let (name, certificate) = ("spark".to_owned(), None);
        let token = Some(TokenDigest::of("secret"));
        let credentials = Credentials::new(&[Credential { name, certificate, token, rights }]);
        let endless = async || {
            Body::from_stream(stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 4096])))
        };
        let router = Router::new()
            .route("/short", get(async || "short"))
            .route("/endless", get(endless))
            .route("/never", get(std::future::pending::<()>))
            .layer(from_fn_with_state(
                Authenticator::new(Present::new(credentials)),
                Authenticator::authenticate,
            ));
        let connections = Connections::new(router, 10_000);
        let (own, other) = duplex(16 << 10);
        let place = connections.place(Holder::stranger([10, 0, 0, 1].into())).unwrap();
        let (router, builder) = (connections.router.clone(), connections.builder.clone());
        tokio::spawn(serve(router, builder, place, own, peer, std::future::pending()));
        (connections, other)
    }

    async fn asks(stream: &mut DuplexStream, path: &str, token: &str) {
        let text = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{token}\r\n");
        stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads until the connection is closed. Returns what was read, and the seconds.
    async fn closed(mut stream: DuplexStream) -> (String, u64) {
        let began = Instant::now();
        let mut read = Vec::new();
        stream.read_to_end(&mut read).await.unwrap();
        (String::from_utf8_lossy(&read).into_owned(), began.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_are_closed() {
        let (connections, mut stream) = connected(Peer::Loopback);
        asks(&mut stream, "/short", "").await;
        let (read, seconds) = closed(stream).await;
        assert!(read.starts_with("HTTP/1.1 200") && read.contains("content-length: 5"), "{read}");
        assert_eq!(seconds, SILENCE.as_secs());
        assert_eq!(connections.held(), 0);
    }

    /// Answers to pings don't keep a connection of HTTP/2 open.
    #[tokio::test(start_paused = true)]
    async fn idle_http2_connections_are_closed() {
        const PING: u8 = 6;
        let (_connections, mut stream) = connected(Peer::Loopback);
        let began = Instant::now();
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
        stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await.unwrap();
        let (mut head, mut pings) = ([0; 9], 0);
        while stream.read_exact(&mut head).await.is_ok() {
            let mut payload = vec![0; usize::from(head[2])];
            stream.read_exact(&mut payload).await.unwrap();
            if head[3] == PING && head[4] == 0 {
                pings += 1;
                head[4] = 1;
                // The last ping precedes the end of the connection.
                let _ = stream.write_all(&[&head[..], &payload].concat()).await;
            }
        }
        assert!(pings >= 2, "{pings}");
        let seconds = began.elapsed().as_secs();
        assert!((SILENCE..=SILENCE + LAST).contains(&Duration::from_secs(seconds)), "{seconds} s");
    }

    #[tokio::test(start_paused = true)]
    async fn connections_whose_peer_never_reads_are_closed() {
        let (connections, mut stream) = connected(Peer::Loopback);
        asks(&mut stream, "/endless", "").await;
        tokio::time::sleep(SILENCE + LAST + Duration::from_secs(1)).await;
        assert_eq!(connections.held(), 0);
        let (read, _) = closed(stream).await;
        assert!(read.len() <= 16 << 10, "{} bytes", read.len());
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_have_little_time() {
        let token = |token: &str| format!("authorization: Bearer {token}\r\n");
        for (shown, seconds) in [("secret", SILENCE), ("other", STRANGE)] {
            let (_connections, mut stream) = connected(Peer::Remote(None));
            asks(&mut stream, "/short", &token(shown)).await;
            let (read, closed_after) = closed(stream).await;
            assert_eq!(read.starts_with("HTTP/1.1 200"), shown == "secret", "{read}");
            assert_eq!(closed_after, seconds.as_secs(), "{shown}");
        }
        let (_connections, stream) = connected(Peer::Remote(None));
        assert_eq!(closed(stream).await.1, STRANGE.as_secs());
    }

    /// A stranger takes the place of another one at its address, and not that of a peer that is known.
    #[tokio::test(start_paused = true)]
    async fn strangers_lose_their_places_to_others() {
        let (connections, mut known) = connected(Peer::Remote(None));
        asks(&mut known, "/short", "authorization: Bearer secret\r\n").await;
        known.read_exact(&mut [0; 64]).await.unwrap();
        let place = || connections.place(Holder::stranger([10, 0, 0, 1].into())).unwrap();
        let places: Vec<Place> = (0..=ROOM.of_address).map(|_| place()).collect();
        places[0].lost.notified().await;
        assert_eq!(connections.held(), 1 + ROOM.of_address);
        asks(&mut known, "/short", "").await;
        let (read, _) = closed(known).await;
        assert!(read.contains("HTTP/1.1 401"), "{read}");
    }

    /// A caller whose first request takes long is no stranger meanwhile.
    #[tokio::test(start_paused = true)]
    async fn callers_are_known_before_their_first_answer() {
        let (connections, mut known) = connected(Peer::Remote(None));
        asks(&mut known, "/never", "authorization: Bearer secret\r\n").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let place = || connections.place(Holder::stranger([10, 0, 0, 1].into())).unwrap();
        let _places: Vec<Place> = (0..ROOM.of_address).map(|_| place()).collect();
        assert_eq!(connections.held(), 1 + ROOM.of_address);
    }

    impl Connections {
        fn held(&self) -> usize {
            lock(&self.places).len()
        }
    }
}
