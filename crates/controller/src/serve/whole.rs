//! The time and the size of requests.

use crate::bounds::Bounds;
use crate::core::Owner;
use crate::credentials::{Caller, is_grpc};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::json;
use std::time::Duration;

/// The largest request body, in bytes.
const LARGEST: usize = 256 << 10;

/// The time in which a request body has to arrive.
const SLOWEST: Duration = Duration::from_secs(30);

/// The bodies of one caller that may be unfinished at a time, in KiB.
const UNFINISHED: u32 = 8 << 10;

/// Buffers each request before it is handled, so that an unfinished request does not occupy a connection forever. A
/// caller with many unfinished ones waits for itself.
pub(crate) fn requests<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    let unfinished = Bounds::new(UNFINISHED);
    let whole = move |request, next| whole(unfinished.clone(), request, next);
    router.layer(from_fn(whole)).layer(DefaultBodyLimit::max(LARGEST))
}

/// Returns the size of a body in KiB, as far as it is known beforehand.
fn size(body: &Body) -> u32 {
    let most = body.size_hint().upper().unwrap_or(LARGEST as u64).min(LARGEST as u64);
    most.div_ceil(1 << 10) as u32
}

async fn whole(unfinished: Bounds, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let owner =
        parts.extensions.get().map_or_else(Owner::default, |by: &Caller| by.owner().clone());
    let reads = async {
        let held = unfinished.hold(&owner, size(&body), SLOWEST).await;
        let read = Bytes::from_request(Request::from_parts(parts.clone(), body), &()).await;
        drop(held);
        read
    };
    match tokio::time::timeout(SLOWEST, reads).await {
        Ok(Ok(body)) => next.run(Request::from_parts(parts, body.into())).await,
        Ok(Err(refused)) => {
            let (error, most) = (refused.body_text(), LARGEST >> 10);
            let error = format!("{error} (allowed: up to {most} KiB)");
            refusal(refused.status(), error, &parts.headers)
        }
        Err(_) => {
            let error = format!("the request's body has not come within {} s", SLOWEST.as_secs());
            refusal(StatusCode::REQUEST_TIMEOUT, error, &parts.headers)
        }
    }
}

/// Returns a refusal in the caller's protocol, gRPC or HTTP.
fn refusal(status: StatusCode, error: String, headers: &HeaderMap) -> Response {
    if !is_grpc(headers) {
        return (status, Json(json!({ "error": error }))).into_response();
    }
    let status = match status {
        StatusCode::PAYLOAD_TOO_LARGE => tonic::Status::out_of_range(error),
        StatusCode::REQUEST_TIMEOUT => tonic::Status::deadline_exceeded(error),
        _ => tonic::Status::invalid_argument(error),
    };
    status.into_http::<Body>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::post;
    use std::io::Error;
    use tower::ServiceExt;

    /// Returns the answer of a route that reports the length of its body. The paused clock advances when all tasks
    /// wait.
    async fn answered(body: Body) -> (StatusCode, String) {
        let length = async |body: Bytes| body.len().to_string();
        let router = requests(Router::new().route("/", post(length)));
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

    /// A caller's unfinished bodies keep its further requests waiting, and no other caller's.
    #[tokio::test(start_paused = true)]
    async fn unfinished_bodies_of_a_caller_are_bounded() {
        let router = requests(Router::new().route("/", post(async || "done")));
        let ask = |owner: &str, body: Body| {
            let mut request = Request::post("/").body(body).unwrap();
            request.extensions_mut().insert(Caller::local(owner.into(), false));
            router.clone().oneshot(request)
        };
        let silence = || Body::from_stream(futures_util::stream::pending::<Result<Bytes, Error>>());
        let most = UNFINISHED as usize / (LARGEST >> 10);
        let silent: Vec<_> = (0..most).map(|_| tokio::spawn(ask("spark", silence()))).collect();
        tokio::task::yield_now().await;
        let began = tokio::time::Instant::now();
        assert_eq!(ask("root", "{}".into()).await.unwrap().status(), StatusCode::OK);
        assert_eq!(began.elapsed(), Duration::ZERO);
        // This one waits until the others have timed out.
        let later = ask("spark", "{}".into()).await.unwrap().status();
        assert_eq!((later, began.elapsed()), (StatusCode::OK, SLOWEST));
        for silent in silent {
            let status = silent.await.unwrap().unwrap().status();
            assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
        }
    }

    /// The same over gRPC has the status of gRPC.
    #[tokio::test(start_paused = true)]
    async fn incomplete_call_times_out() {
        let router = requests(Router::new().route("/", post(async || "never")));
        let silence = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
        for (body, code) in [(Body::from_stream(silence), "4"), (vec![0; LARGEST + 1].into(), "11")]
        {
            let request = Request::post("/").header("content-type", "application/grpc");
            let answer = router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
            assert_eq!(answer.headers()["grpc-status"], code);
        }
    }
}
