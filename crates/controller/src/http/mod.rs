//! The HTTP interface for people, scripts and clients without gRPC. Requests and answers are JSON.

mod answers;
mod documents;
mod pages;
mod routes;

use crate::Marking;
use crate::daemon::{Handle, Metrics};
use answers::Fails;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;

pub use documents::{
    ApplicationStatus, ConnectionStatus, ConnectionsDocument, PortStatus, StatusDocument,
};

/// The OpenAPI description of the routes.
pub const OPENAPI: &str = include_str!("openapi.json");

/// The largest request body, in bytes.
const LARGEST: usize = 256 << 10;

/// The time in which a request body has to arrive.
const SLOWEST: Duration = Duration::from_secs(30);

/// The state that handlers share.
#[derive(Clone)]
struct Context {
    handle: Handle,
    metrics: Metrics,
    /// The marks of priority levels.
    marking: Arc<Marking>,
}

/// Returns all HTTP routes over the daemon behind `handle`.
pub fn router(handle: Handle, metrics: Metrics, marking: Marking) -> Router {
    let context = Context { handle, metrics, marking: Arc::new(marking) };
    let add = |router: Router<Context>, (path, _, route)| router.route(path, route);
    let router = routes::all().into_iter().fold(Router::new(), add);
    whole_requests(router).fallback(answers::no_such_route).with_state(context)
}

/// Buffers each request before it is handled, so that an unfinished request does not occupy a
/// connection forever.
fn whole_requests<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router.layer(from_fn(whole)).layer(DefaultBodyLimit::max(LARGEST))
}

async fn whole(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let reads = Bytes::from_request(Request::from_parts(parts.clone(), body), &());
    match tokio::time::timeout(SLOWEST, reads).await {
        Ok(Ok(body)) => next.run(Request::from_parts(parts, body.into())).await,
        Ok(Err(refused)) => {
            Fails::body(refused.status(), &refused.body_text(), LARGEST).into_response()
        }
        Err(_) => Fails::late(SLOWEST).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::routing::post;
    use std::collections::BTreeSet;
    use tower::ServiceExt;

    /// Returns the answer of a route that reports the length of its body. The paused clock advances when all tasks
    /// wait.
    async fn answered(body: Body) -> (StatusCode, String) {
        let length = async |body: Bytes| body.len().to_string();
        let router = whole_requests(Router::new().route("/", post(length)));
        let answer = router.oneshot(Request::post("/").body(body).unwrap()).await.unwrap();
        let status = answer.status();
        let body = axum::body::to_bytes(answer.into_body(), 1 << 20).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn body_is_accepted_up_to_its_size_limit() {
        let most = vec![0; LARGEST];
        assert_eq!(answered(most.into()).await, (StatusCode::OK, LARGEST.to_string()));
        let (status, message) = answered(vec![0; LARGEST + 1].into()).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
        assert!(
            message.starts_with("{\"error\":\"") && message.contains("up to 256 KiB"),
            "{message}"
        );
    }

    /// One body arrives byte by byte, the other one never.
    #[tokio::test(start_paused = true)]
    async fn incomplete_request_times_out() {
        let drips = futures_util::stream::unfold((), async |()| {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Some((Ok::<_, std::io::Error>("x"), ()))
        });
        let silence = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
        for body in [Body::from_stream(drips), Body::from_stream(silence)] {
            let (status, message) = answered(body).await;
            assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
            assert!(message.contains("within 30 s"), "{message}");
        }
    }

    /// The description lists exactly the existing routes, with the answers of each.
    #[test]
    fn openapi_lists_exactly_the_routes() {
        let described: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
        assert_eq!(described["info"]["version"], env!("CARGO_PKG_VERSION"));
        let mut there = BTreeSet::new();
        for (path, methods) in described["paths"].as_object().unwrap() {
            for (method, of) in methods.as_object().unwrap() {
                assert!(of["summary"].is_string() && of["responses"].is_object(), "{path}");
                there.insert((path.as_str(), method.to_uppercase()));
            }
        }
        let all = routes::all();
        let routes = all.iter().flat_map(|(path, methods, _)| methods.iter().map(|m| (*path, m)));
        let routes: BTreeSet<(&str, String)> = routes.map(|(p, m)| (p, (*m).to_owned())).collect();
        assert_eq!(there, routes);
    }
}
