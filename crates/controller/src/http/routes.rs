//! The HTTP routes and their handlers.

use super::answers::{Fails, Reply, body, no_content, words};
use super::documents::StatusDocument;
use super::{Context, OPENAPI, pages};
use crate::core::{Candidate, ClientId, NumberedRequest, Refusal};
use crate::credentials::Caller;
use crate::daemon::{Call, CallError};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};
use bandwise_saba::controller::PortId;
use serde::Deserialize;
use serde_json::json;

/// The caller, as the authenticator identified it.
type By = Extension<Caller>;

/// A path, its methods, and its handler.
type Route = (&'static str, &'static [&'static str], MethodRouter<Context>);

/// Returns all routes.
pub(super) fn all() -> Vec<Route> {
    vec![
        ("/openapi.json", &["GET"], get(description)),
        ("/metrics", &["GET"], get(metrics)),
        ("/v1/status", &["GET"], get(status)),
        ("/v1/connections", &["GET"], get(connections)),
        ("/v1/plan", &["POST"], post(plan)),
        ("/v1/drain", &["POST"], post(drain)),
        ("/v1/reset", &["POST"], post(reset)),
        ("/v1/clients", &["POST"], post(hello)),
        ("/v1/clients/{client}", &["DELETE"], delete(goodbye)),
        ("/v1/clients/{client}/renew", &["POST"], post(renew)),
        ("/v1/requests", &["POST"], post(ask)),
    ]
}

async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

async fn metrics(State(context): State<Context>, Extension(caller): By) -> Result<Response, Fails> {
    caller.check_metrics().map_err(CallError::Denied)?;
    let (metrics, turn) = (context.metrics.clone(), context.readers.turn(caller.owner()).await?);
    let text = context.handle.inspect(caller.owner(), move |core, _| metrics.text(core)).await?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(turn.text(kind, text))
}

async fn status(State(context): State<Context>, Extension(caller): By) -> Result<Response, Fails> {
    let turn = context.readers.turn(caller.owner()).await?;
    let viewer = caller.clone();
    let status =
        context.handle.inspect(caller.owner(), move |core, _| StatusDocument::of(core, &viewer));
    let status = status.await?;
    let text = serde_json::to_string(&status).expect("a status is JSON");
    Ok(turn.text("application/json", text))
}

async fn connections(
    State(context): State<Context>,
    Extension(caller): By,
) -> Result<Response, Fails> {
    let turn = context.readers.turn(caller.owner()).await?;
    pages::connections(context.handle, caller, turn).await
}

/// The candidates of `/v1/plan`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Candidates {
    applications: Vec<CandidateSpec>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CandidateSpec {
    name: String,
    connections: Vec<Ends>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: String,
    to: String,
}

async fn plan(State(context): State<Context>, Extension(caller): By, bytes: Bytes) -> Reply {
    let candidates: Candidates = body(&bytes)?;
    for candidate in &candidates.applications {
        caller.check_application(&candidate.name).map_err(CallError::Denied)?;
        for Ends { from, to } in &candidate.connections {
            caller.check_hosts([from, to]).map_err(CallError::Denied)?;
        }
    }
    let owner = caller.owner().clone();
    let differs = context.handle.inspect(caller.owner(), move |core, paths| {
        let candidate = |candidate: CandidateSpec| -> Result<Candidate, Refusal> {
            let path = |ends: &Ends| paths.path(&ends.from, &ends.to);
            let all: Result<_, _> = candidate.connections.iter().map(path).collect();
            let paths = all.map_err(|fault| Refusal::NoPath(fault.to_string()))?;
            Ok(Candidate { name: candidate.name, paths })
        };
        let candidates: Result<Vec<Candidate>, _> =
            candidates.applications.into_iter().map(candidate).collect();
        let candidates = candidates?;
        core.preview(&owner, &candidates)
    });
    let differs = differs.await?.map_err(CallError::Refused)?;
    Ok(Json(json!({ "ports": differs })))
}

/// The body of `/v1/drain`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Drain {
    /// The names of the ports; all ports if the list is empty.
    #[serde(default)]
    ports: Vec<String>,
    drained: bool,
}

async fn drain(State(context): State<Context>, Extension(caller): By, bytes: Bytes) -> Reply {
    let Drain { ports, drained } = body(&bytes)?;
    // The answer to a caller that may not drain tells nothing of the ports.
    caller.check(&Call::Drain(Vec::new(), drained)).map_err(CallError::Denied)?;
    let named = context.handle.inspect(caller.owner(), move |core, _| {
        let find = |name: String| {
            let id = core.ports().find(|of| of.1.name == name).map(|of| of.0);
            id.ok_or(name)
        };
        ports.into_iter().map(find).collect::<Result<Vec<PortId>, String>>()
    });
    let unknown = |name| Fails::missing(format!("there is no port called {name:?}"));
    let ports = named.await?.map_err(unknown)?;
    context.call(&caller, Call::Drain(ports, drained)).await
}

async fn reset(State(context): State<Context>, Extension(caller): By, bytes: Bytes) -> Reply {
    no_content(&bytes)?;
    context.call(&caller, Call::Reset).await
}

async fn hello(State(context): State<Context>, Extension(caller): By, bytes: Bytes) -> Reply {
    no_content(&bytes)?;
    context.call(&caller, Call::Hello).await
}

async fn goodbye(
    State(context): State<Context>,
    Extension(caller): By,
    Path(client): Path<String>,
    bytes: Bytes,
) -> Reply {
    no_content(&bytes)?;
    context.call(&caller, Call::Goodbye(number(&client)?)).await
}

async fn renew(
    State(context): State<Context>,
    Extension(caller): By,
    Path(client): Path<String>,
    bytes: Bytes,
) -> Reply {
    no_content(&bytes)?;
    context.call(&caller, Call::Renew(number(&client)?)).await
}

async fn ask(State(context): State<Context>, Extension(caller): By, bytes: Bytes) -> Reply {
    let request: NumberedRequest = body(&bytes)?;
    context.call(&caller, Call::Request(request)).await
}

fn number(client: &str) -> Result<ClientId, Fails> {
    let wrong = |_| Fails::unusable(format!("client {client:?} (allowed: a number)"));
    client.parse().map(ClientId).map_err(wrong)
}

impl Context {
    /// Makes a call to the daemon and returns the answer as JSON.
    async fn call(&self, caller: &Caller, call: Call) -> Reply {
        let answer = self.handle.call(caller, call).await?;
        Ok(Json(words(&answer, &self.marking)))
    }
}
