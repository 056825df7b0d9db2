//! The bodies and status codes of HTTP answers.

use crate::Marking;
use crate::core::{Answer, Refusal};
use crate::daemon::CallError;
use axum::Json;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// An answer or an error.
pub(super) type Reply = Result<Json<Value>, Fails>;

/// An error with its HTTP status.
#[derive(Debug)]
pub(super) struct Fails {
    status: StatusCode,
    error: String,
    /// The refusal in machine-readable form, if the core refused the request.
    refusal: Option<Refusal>,
}

impl Fails {
    /// Returns the error of an unreadable request.
    pub(super) fn unusable(error: String) -> Self {
        Fails { status: StatusCode::BAD_REQUEST, error, refusal: None }
    }

    /// Returns the error of a missing resource.
    pub(super) fn missing(error: String) -> Self {
        Fails { status: StatusCode::NOT_FOUND, error, refusal: None }
    }
}

impl From<CallError> for Fails {
    fn from(failure: CallError) -> Self {
        let error = failure.to_string();
        let refusal = match failure {
            CallError::Refused(refusal) => refusal,
            CallError::Denied(_) => {
                return Fails { status: StatusCode::FORBIDDEN, error, refusal: None };
            }
            CallError::Busy | CallError::Ending => {
                return Fails { status: StatusCode::SERVICE_UNAVAILABLE, error, refusal: None };
            }
        };
        let status = match refusal {
            Refusal::NoSuchClient(_)
            | Refusal::NoSuchApplication(_)
            | Refusal::NoSuchConnection(_)
            | Refusal::NoSuchPort(_) => StatusCode::NOT_FOUND,
            Refusal::Acknowledged { .. } | Refusal::OtherRequest(_) => StatusCode::CONFLICT,
            Refusal::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Refusal::UnknownApplication(_) | Refusal::BadSetting { .. } | Refusal::NoPath(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Refusal::NotStored(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        Fails { status, error, refusal: Some(refusal) }
    }
}

impl IntoResponse for Fails {
    fn into_response(self) -> Response {
        let mut body = json!({ "error": self.error });
        if let Some(refusal) = self.refusal {
            body["refusal"] = json!(refusal);
        }
        (self.status, Json(body)).into_response()
    }
}

/// Parses the body of a request.
pub(super) fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fails> {
    let wrong = |error: serde_json::Error| {
        Fails::unusable(format!("unusable body: {error} (allowed: see /openapi.json)"))
    };
    serde_json::from_slice(bytes).map_err(wrong)
}

/// Checks the body of a request that has no content: an empty object, or nothing.
pub(super) fn no_content(bytes: &[u8]) -> Result<(), Fails> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    if bytes.is_empty() {
        return Ok(());
    }
    body(bytes).map(|Nothing {}| ())
}

/// Returns an answer as JSON; a priority level comes with its mark.
pub(super) fn words(answer: &Answer, marking: &Marking) -> Value {
    let mark = |level| (marking.name(), json!(marking.of(level)));
    match answer {
        Answer::Welcome { client, lease_ms } => json!({ "client": client, "lease_ms": lease_ms }),
        Answer::Registered { application, level, doubts } => {
            let (name, mark) = mark(*level);
            json!({ "application": application, "level": level, name: mark, "doubts": doubts })
        }
        Answer::Connected { connection, level } => {
            let (name, mark) = mark(*level);
            json!({ "connection": connection, "level": level, name: mark })
        }
        Answer::Done => json!({}),
    }
}

/// Answers requests for unknown paths.
pub(super) async fn no_such_route() -> Response {
    let error = "unknown path (/openapi.json describes the routes)".to_owned();
    Fails::missing(error).into_response()
}

/// Answers requests by methods that a path does not have.
pub(super) async fn no_such_method(method: Method) -> Response {
    let error = format!("{method} is no method of this path (/openapi.json describes the routes)");
    Fails { status: StatusCode::METHOD_NOT_ALLOWED, error, refusal: None }.into_response()
}
