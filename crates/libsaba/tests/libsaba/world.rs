//! A controller that starts, stops and comes back.

use crate::two_hosts::{TABLE, network};
use bandwise_controller::cluster::Groups;
use bandwise_controller::core::{Clustering, Core, Owner, Profiles, Rules, State};
use bandwise_controller::credentials::{Authenticator, Credentials};
use bandwise_controller::daemon::{EventLoop, Handle, Metrics, Parts};
use bandwise_controller::settings::Listen;
use bandwise_controller::store::{Embedded, Store};
use bandwise_controller::{Listener, Marking, Present, router};
use bandwise_enforce::htb::Marks;
use bandwise_enforce_simulated::Simulated;
use bandwise_input::Source;
use bandwise_saba::controller::Settings;
use bandwise_saba::table::read;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A controller.
pub(crate) struct World {
    pub folder: TempDir,
    network: Simulated,
    daemon: Option<(Handle, JoinHandle<Vec<String>>)>,
}

impl World {
    /// Returns the world before the first start.
    pub(crate) fn empty() -> World {
        World { folder: tempfile::tempdir().unwrap(), network: network(), daemon: None }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// Starts the controller with its store.
    pub(crate) fn start(&mut self) {
        let path = self.folder.path().join("store");
        // The persister closes the file when the event loop has ended.
        let until = Instant::now() + Duration::from_secs(60);
        let mut store = loop {
            match Embedded::open(&path) {
                Ok(store) => break store,
                Err(error) => assert!(Instant::now() < until, "{error}"),
            }
            std::thread::yield_now();
        };
        let rules = Rules { order_gap: Duration::ZERO, ..Rules::default() };
        let marking = Marking::Dscp(Marks::local());
        // The application was measured on one host.
        let table = TABLE.replacen("time_s", "time_s,nodes", 1).replacen(",100", ",100,1", 1);
        let table = read::csv(&Source::new("t", &table)).unwrap();
        let profiles = Profiles::new(table, Clustering { levels: marking.levels(), seed: 1 });
        let stored: State = store.load().unwrap();
        let parts = Parts {
            core: Core::new(rules, Settings::default(), profiles, stored, Duration::ZERO).unwrap(),
            store: Box::new(store),
            groups: Groups::alone(),
            switches: self.network.clone(),
            paths: self.network.clone(),
            discovery: self.network.clone(),
            recording: None,
            audit: None,
            metrics: Metrics::new(),
            restores: false,
        };
        let (handle, thread) = EventLoop::start(parts).unwrap();
        // Without its socket the controller is unreachable; its listener would answer that it is stopping.
        let _ = std::fs::remove_file(self.socket());
        let listen = Listen::Unix { path: self.socket(), mode: 0o600 };
        self.daemon = Some((handle, thread));
        self.serve(Listener::open(&listen).unwrap(), Credentials::default());
    }

    /// Serves the listener for these credentials.
    pub(crate) fn serve(&self, listener: Listener, credentials: Credentials) {
        let handle = self.daemon.as_ref().unwrap().0.clone();
        let (marking, authenticator) =
            (Marking::Dscp(Marks::local()), Authenticator::new(Present::new(credentials)));
        listener.serve(router(handle, Metrics::new(), marking, authenticator)).unwrap();
    }

    pub(crate) fn stop(&mut self) {
        let (handle, thread) = self.daemon.take().unwrap();
        handle.stop();
        thread.join().unwrap();
    }

    /// Runs a function on the controller's core.
    pub(crate) fn inspect<T: Send + 'static>(
        &self,
        inspect: impl FnOnce(&Core) -> T + Send + 'static,
    ) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let handle = &self.daemon.as_ref().unwrap().0;
        runtime.block_on(handle.inspect(&Owner::default(), move |core, _| inspect(core))).unwrap()
    }

    /// Polls until the condition holds.
    pub(crate) fn until(&self, is_so: impl Fn(&Core) -> bool + Clone + Send + 'static) {
        let until = Instant::now() + Duration::from_secs(60);
        while !self.inspect(is_so.clone()) {
            assert!(Instant::now() < until, "the condition does not come true");
            std::thread::yield_now();
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if self.daemon.is_some() {
            self.stop();
        }
    }
}
