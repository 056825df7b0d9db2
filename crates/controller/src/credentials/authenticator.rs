//! [`Authenticator`]: the middleware that admits only known callers.

use super::{Caller, Credentials};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;

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
    credentials: Arc<Credentials>,
    /// The user id of the controller.
    own: u32,
}

impl Authenticator {
    /// Returns an authenticator that admits holders of these credentials and processes of this
    /// machine. Over a Unix socket, root and the controller's own user may drain ports; over
    /// loopback, every process may.
    pub fn new(credentials: Credentials) -> Self {
        let own = rustix::process::geteuid().as_raw();
        Authenticator { credentials: Arc::new(credentials), own }
    }

    /// Returns the caller. A token takes precedence over the connection's peer.
    fn caller(&self, peer: Option<&Peer>, headers: &HeaderMap) -> Result<Caller, Unauthenticated> {
        if let Some(shown) = headers.get(AUTHORIZATION) {
            let (scheme, token) =
                shown.to_str().ok().and_then(|shown| shown.split_once(' ')).unwrap_or_default();
            let is_token = scheme.eq_ignore_ascii_case("bearer");
            let known = self.credentials.of_token(token).filter(|_| is_token);
            return known.cloned().ok_or(Unauthenticated::UnknownToken);
        }
        match peer {
            Some(Peer::User(user)) => {
                Ok(Caller::local(&format!("user {user}"), [0, self.own].contains(user)))
            }
            Some(Peer::Loopback) => Ok(Caller::local("this machine", true)),
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
        match authenticator.caller(request.extensions().get(), request.headers()) {
            Ok(caller) => {
                request.extensions_mut().insert(caller);
                next.run(request).await
            }
            Err(error) => {
                tracing::warn!(path = request.uri().path(), "{error}");
                refused(error, request.headers())
            }
        }
    }
}

/// Returns the refusal in the caller's protocol, gRPC or HTTP.
fn refused(error: Unauthenticated, headers: &HeaderMap) -> Response {
    let kind = headers.get(CONTENT_TYPE).map_or(&b""[..], |kind| kind.as_bytes());
    if kind.starts_with(b"application/grpc") {
        let status = tonic::Status::unauthenticated(error.to_string());
        return status.into_http::<Body>();
    }
    let body = axum::Json(json!({ "error": error.to_string() }));
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], body).into_response()
}
