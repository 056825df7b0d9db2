//! The HTTP interface for people, scripts and clients without gRPC. Requests and answers are JSON.

mod answers;
mod documents;
mod pages;
mod readers;
mod routes;

use crate::Marking;
use crate::daemon::{Handle, Metrics};
use axum::Router;
use std::sync::Arc;

pub use documents::{
    ApplicationStatus, ConnectionStatus, ConnectionsDocument, PortStatus, StatusDocument,
};

/// The OpenAPI description of the routes.
pub const OPENAPI: &str = include_str!("openapi.json");

/// The state that handlers share.
#[derive(Clone)]
struct Context {
    handle: Handle,
    metrics: Metrics,
    /// The marks of priority levels.
    marking: Arc<Marking>,
    readers: readers::Readers,
}

/// Returns all HTTP routes over the daemon behind `handle`.
pub fn router(handle: Handle, metrics: Metrics, marking: Marking) -> Router {
    let (marking, readers) = (Arc::new(marking), readers::Readers::default());
    let context = Context { handle, metrics, marking, readers };
    let add = |router: Router<Context>, (path, _, route)| router.route(path, route);
    let router = routes::all().into_iter().fold(Router::new(), add);
    let router = router.method_not_allowed_fallback(answers::no_such_method);
    router.fallback(answers::no_such_route).with_state(context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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
