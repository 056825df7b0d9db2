//! [`Authenticator`]: the middleware that admits only known callers.

use super::page::{self, FromPage};
use super::{Caller, Credentials};
use crate::core::Owner;
use crate::present::Present;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::SetOnce;

/// The other end of a connection.
#[derive(Debug, Clone)]
pub enum Peer {
    /// A process of this user, over a Unix socket.
    User(u32),
    /// Any process of this machine, over loopback.
    Loopback,
    /// A remote host, with the caller that its client certificate names, if it showed one.
    Remote(Option<Caller>),
}

impl Peer {
    /// Returns the owner that the connection itself identifies.
    pub(crate) fn owner(&self) -> Option<Owner> {
        match self {
            Peer::User(user) => Some(of_user(*user)),
            Peer::Loopback => Some(of_machine()),
            Peer::Remote(caller) => caller.as_ref().map(|caller| caller.owner().clone()),
        }
    }
}

fn of_user(user: u32) -> Owner {
    Owner::from(&*format!("user {user}"))
}

fn of_machine() -> Owner {
    Owner::from("this machine")
}

/// The caller of a connection's first admitted request. The listener passes an empty one with each request of the
/// connection, and the [`Authenticator`] fills it.
#[derive(Debug, Clone, Default)]
pub struct FirstCaller(Arc<SetOnce<Owner>>);

impl FirstCaller {
    /// Returns the caller, once a request is admitted.
    pub async fn known(&self) -> &Owner {
        self.0.wait().await
    }
}

/// The reason why a caller is not authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unauthenticated {
    /// The caller shows no credential, or a certificate that no credential names.
    #[error(
        "the caller is not authenticated (allowed: a client certificate or a token that the controller's settings name)"
    )]
    NoCredential,
    /// The caller shows an unknown token.
    #[error(
        "unknown token (allowed: `Bearer TOKEN`, with one that the controller's settings name)"
    )]
    UnknownToken,
}

/// The middleware that admits known callers. Handlers find the [`Caller`] in the request's extensions.
#[derive(Debug, Clone)]
pub struct Authenticator {
    credentials: Present<Credentials>,
    /// The user id of the controller.
    own: u32,
}

impl Authenticator {
    /// Returns an authenticator that admits holders of the present credentials and processes of this
    /// machine. Over a Unix socket, root and the controller's own user may drain ports; over
    /// loopback, every process may.
    pub fn new(credentials: Present<Credentials>) -> Self {
        let own = rustix::process::geteuid().as_raw();
        Authenticator { credentials, own }
    }

    /// Returns the caller. A token takes precedence over the connection's peer.
    fn caller(&self, peer: Option<&Peer>, headers: &HeaderMap) -> Result<Caller, Unauthenticated> {
        if let Some(shown) = headers.get(AUTHORIZATION) {
            let (scheme, token) =
                shown.to_str().ok().and_then(|shown| shown.split_once(' ')).unwrap_or_default();
            let is_token = scheme.eq_ignore_ascii_case("bearer");
            let credentials = self.credentials.get();
            let known = credentials.of_token(token).filter(|_| is_token);
            return known.cloned().ok_or(Unauthenticated::UnknownToken);
        }
        match peer {
            Some(Peer::User(user)) => {
                Ok(Caller::local(of_user(*user), [0, self.own].contains(user)))
            }
            Some(Peer::Loopback) => Ok(Caller::local(of_machine(), true)),
            Some(Peer::Remote(Some(caller))) => Ok(caller.clone()),
            Some(Peer::Remote(None)) | None => Err(Unauthenticated::NoCredential),
        }
    }

    /// The handler for [`axum::middleware::from_fn_with_state`].
    pub(crate) async fn authenticate(
        State(authenticator): State<Authenticator>,
        mut request: Request,
        next: Next,
    ) -> Response {
        let peer = request.extensions().get();
        if let Err(page) = page::check(peer, request.uri(), request.headers()) {
            tracing::warn!(path = short(request.uri().path()), "{page}");
            return refused_page(&page, request.headers());
        }
        match authenticator.caller(peer, request.headers()) {
            Ok(caller) => {
                if let Some(FirstCaller(first)) = request.extensions().get() {
                    // Further requests don't change it.
                    let _ = first.set(caller.owner().clone());
                }
                request.extensions_mut().insert(caller);
                next.run(request).await
            }
            Err(error) => {
                tracing::warn!(path = short(request.uri().path()), "{error}");
                refused(error, request.headers())
            }
        }
    }
}

/// Returns the first characters of a path, for the log.
fn short(path: &str) -> &str {
    path.char_indices().nth(200).map_or(path, |(end, _)| &path[..end])
}

/// Returns whether a request is one of gRPC.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

/// Returns the refusal of a web page's request.
fn refused_page(page: &FromPage, headers: &HeaderMap) -> Response {
    if is_grpc(headers) {
        return tonic::Status::permission_denied(page.to_string()).into_http::<Body>();
    }
    (page.status(), axum::Json(json!({ "error": page.to_string() }))).into_response()
}

/// Returns the refusal in the caller's protocol, gRPC or HTTP.
fn refused(error: Unauthenticated, headers: &HeaderMap) -> Response {
    if is_grpc(headers) {
        let status = tonic::Status::unauthenticated(error.to_string());
        return status.into_http::<Body>();
    }
    let body = axum::Json(json!({ "error": error.to_string() }));
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::Call;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use axum::{Extension, Router};
    use tower::ServiceExt;

    /// Returns the status of an order over loopback with these headers, and its status in gRPC.
    async fn ordered(headers: &[(&str, &str)]) -> (u16, Option<String>) {
        let authenticator = Authenticator::new(Present::new(Credentials::default()));
        let router = Router::new()
            .route("/v1/drain", post(async || "done"))
            .layer(from_fn_with_state(authenticator, Authenticator::authenticate))
            .layer(Extension(Peer::Loopback));
        let request = headers.iter().fold(Request::post("/v1/drain"), |request, (name, value)| {
            request.header(*name, *value)
        });
        let answer = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let grpc =
            answer.headers().get("grpc-status").map(|code| code.to_str().unwrap().to_owned());
        (answer.status().as_u16(), grpc)
    }

    #[tokio::test]
    async fn pages_are_refused_in_the_callers_protocol() {
        let (own, page) = (("host", "localhost:7470"), ("origin", "https://example.org"));
        assert_eq!(ordered(&[own]).await, (200, None));
        assert_eq!(ordered(&[own, page]).await, (403, None));
        assert_eq!(ordered(&[("host", "attacker.example")]).await, (421, None));
        assert_eq!(ordered(&[own, ("content-type", "text/plain")]).await, (415, None));
        let grpc = ("content-type", "application/grpc");
        assert_eq!(ordered(&[own, grpc, page]).await, (200, Some("7".to_owned())));
    }

    /// Users of the machine drain nothing and see their own, unless they are root or the controller's user.
    #[test]
    fn users_are_no_operators() {
        let mut authenticator = Authenticator::new(Present::new(Credentials::default()));
        authenticator.own = 1000;
        let is_operator = |peer: Peer| {
            let caller = authenticator.caller(Some(&peer), &HeaderMap::new()).unwrap();
            let may_drain = caller.check(&Call::Drain(Vec::new(), true)).is_ok();
            assert_eq!(caller.sees(Some(&"another".into())), may_drain);
            assert!(caller.sees(Some(caller.owner())));
            may_drain
        };
        assert_eq!([0, 1000, 1001].map(|user| is_operator(Peer::User(user))), [true, true, false]);
        assert!(is_operator(Peer::Loopback));
    }
}
