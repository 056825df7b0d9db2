//! HTTP: for people and scripts, and for clients that have nothing else. Requests and answers are JSON.

mod answers;
mod routes;

use crate::Marking;
use crate::daemon::{Handle, Metrics};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use std::sync::Arc;

/// What the routes are, as OpenAPI describes it.
pub const OPENAPI: &str = include_str!("openapi.json");

/// The largest body of a request, in bytes.
const LARGEST: usize = 256 << 10;

/// What answers need.
#[derive(Clone)]
struct Desk {
    handle: Handle,
    metrics: Metrics,
    /// What packets of a level carry.
    marking: Arc<Marking>,
}

/// All routes, answered by the daemon behind `handle`.
pub fn router(handle: Handle, metrics: Metrics, marking: Marking) -> Router {
    let desk = Desk { handle, metrics, marking: Arc::new(marking) };
    let add = |router: Router<Desk>, (path, _, route)| router.route(path, route);
    let router = routes::all().into_iter().fold(Router::new(), add);
    router.layer(DefaultBodyLimit::max(LARGEST)).fallback(answers::no_such_route).with_state(desk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The description names the routes that there are, and each answer of theirs.
    #[test]
    fn the_description_is_of_these_routes() {
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
