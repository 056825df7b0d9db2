//! [`start`]: a controller for a benchmark.

use anyhow::Result;
use bandwise_controller::cluster::Groups;
use bandwise_controller::core::{Clustering, Core, Profiles, Rules, State};
use bandwise_controller::credentials::{Authenticator, Credentials};
use bandwise_controller::daemon::{EventLoop, Handle, Metrics, Parts};
use bandwise_controller::settings::Listen;
use bandwise_controller::store::Embedded;
use bandwise_controller::{Listener, Marking, Present, router};
use bandwise_enforce::htb::Marks;
use bandwise_input::Source;
use bandwise_saba::table::read;
use bandwise_switches::Switches;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Starts a controller of these ports, with its store and its socket in the folder.
pub(super) fn start<S: Switches + Send + 'static>(
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
    let authenticator = Authenticator::new(Present::new(Credentials::default()));
    listener.serve(router(handle.clone(), metrics, marking, authenticator))?;
    Ok((socket, handle))
}
