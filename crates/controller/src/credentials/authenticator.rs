//! [`Authenticator`]: nobody passes of whom it is not known who they are.

use super::{Caller, Credentials};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;

/// Who is at the other end of a connection.
#[derive(Debug, Clone)]
pub enum Peer {
    /// A process of this user, over a socket.
    User(u32),
    /// Some process of this machine, over loopback.
    Loopback,
    /// Anybody; with who they are by the certificate that they showed, if they did.
    Remote(Option<Caller>),
}

/// Why somebody does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unauthenticated {
    /// They show nothing, or a certificate that no credential names.
    #[error(
        "nobody knows who asks (allowed: a client certificate or a token that the controller's settings name)"
    )]
    NoCredential,
    /// They show a token that is none.
    #[error(
        "nobody has this token (allowed: `Bearer TOKEN`, with one that the controller's settings name)"
    )]
    UnknownToken,
}

/// Lets those pass who are known; handlers find a [`Caller`] in the request's extensions.
#[derive(Debug, Clone)]
pub struct Authenticator {
    credentials: Arc<Credentials>,
    /// The user that the controller runs as.
    own: u32,
}

impl Authenticator {
    /// A gate that lets pass who has one of these credentials, and who is on this machine. Of the latter root and
    /// the controller's own user may drain ports over a socket, and all over loopback.
    pub fn new(credentials: Credentials) -> Self {
        let own = rustix::process::geteuid().as_raw();
        Authenticator { credentials: Arc::new(credentials), own }
    }

    /// Who asks. A token says more than how it came here.
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

    /// For [`axum::middleware::from_fn_with_state`].
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

/// The same in the language of who asks.
fn refused(error: Unauthenticated, headers: &HeaderMap) -> Response {
    let kind = headers.get(CONTENT_TYPE).map_or(&b""[..], |kind| kind.as_bytes());
    if kind.starts_with(b"application/grpc") {
        let status = tonic::Status::unauthenticated(error.to_string());
        return status.into_http::<Body>();
    }
    let body = axum::Json(json!({ "error": error.to_string() }));
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], body).into_response()
}
