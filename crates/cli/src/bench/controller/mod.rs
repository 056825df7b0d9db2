//! The controller of Saba: how long a connection takes to its ports, and how many come and go a second.

mod client;
mod many;
mod one;
mod watched;

pub(super) use many::run as many;
pub(super) use one::run as one;

use super::{cores, or_not_known};
use crate::machine;
use anyhow::Result;
use bandwise_controller::cluster::Groups;
use bandwise_controller::core::{Clustering, Core, Profiles, Rules, State};
use bandwise_controller::credentials::{Authenticator, Credentials};
use bandwise_controller::daemon::{EventLoop, Handle, Metrics, Parts};
use bandwise_controller::settings::Listen;
use bandwise_controller::store::Embedded;
use bandwise_controller::{Listener, Marking, router};
use bandwise_enforce::Switches;
use bandwise_enforce::htb::Marks;
use bandwise_input::Source;
use bandwise_saba::table::read;
use bandwise_stats::Percentile;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A controller of these ports, with a store and a socket in the folder.
fn start<S: Switches + Send + 'static>(
    table: &str,
    [switches, paths, discovery]: [S; 3],
    folder: &Path,
) -> Result<(PathBuf, Handle)> {
    let table = read::any(&Source::new("bench.csv", table)).map_err(anyhow::Error::from)?;
    let settings = bandwise_saba::controller::Settings::default();
    let marking = Marking::Dscp(Marks::local());
    let profiles = Profiles::new(table, Clustering { levels: marking.levels(), seed: 1 });
    let core = Core::new(Rules::default(), settings, profiles, State::default(), Duration::ZERO)?;
    let metrics = Metrics::new();
    let parts = Parts {
        core,
        store: Box::new(Embedded::open(&folder.join("store"))?),
        groups: Groups::alone(),
        switches,
        paths,
        discovery,
        recording: None,
        audit: None,
        metrics: metrics.clone(),
        restores: false,
    };
    let (handle, _) = EventLoop::start(parts)?;
    let socket = folder.join("socket");
    let listener = Listener::open(&Listen::Unix { path: socket.clone(), mode: 0o600 })?;
    let authenticator = Authenticator::new(Credentials::default());
    listener.serve(router(handle.clone(), metrics, marking, authenticator))?;
    Ok((socket, handle))
}

/// Returns the median, the 90th percentile and the maximum of times in ascending order.
///
/// # Panics
///
/// Panics if there are no times.
fn summary(ms: &[f64]) -> [f64; 3] {
    [Percentile::MEDIAN, Percentile::P90, Percentile::from_permille(1_000)]
        .map(|percentile| percentile.of_sorted(ms).expect("something has been timed"))
}

/// A line of a time that many things took.
fn took(what: &str, ms: &[f64]) -> String {
    let [median, p90, longest] = summary(ms);
    format!(
        "{what:<10}  median {median:.2} ms, 90th percentile {p90:.2} ms, longest {longest:.2} ms\n"
    )
}

/// The same for programs.
fn took_json(ms: &[f64]) -> Value {
    let [median, p90, longest] = summary(ms);
    json!({ "median_ms": median, "p90_ms": p90, "longest_ms": longest })
}

/// Where all of this was.
fn here(folder: &Path) -> String {
    [
        format!("store       in {}\n", folder.parent().unwrap_or(folder).display()),
        format!("processor   {}, ", or_not_known(machine::cpu_model())),
        format!("{}\n", or_not_known(machine::cores().map(cores))),
        format!("bandwise    {}\n", env!("CARGO_PKG_VERSION")),
    ]
    .concat()
}

/// The same for programs.
fn here_json(runs: u64) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "runs": runs,
        "cpu_model": machine::cpu_model(),
        "cores": machine::cores(),
        "peak_rss_bytes": machine::peak_rss_bytes(),
    })
}
