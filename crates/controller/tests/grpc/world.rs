//! A controller with a listener, and gRPC clients.

use crate::client::saba_client::SabaClient;
use crate::two_hosts::{TABLE, network};
use bandwise_controller::cluster::Groups;
use bandwise_controller::core::{Clustering, Core, Limits, Owner, Profiles, Rules, State};
use bandwise_controller::credentials::{
    Authenticator, Credential, Credentials, Pattern, Rights, TokenDigest,
};
use bandwise_controller::daemon::{EventLoop, Handle, Metrics, Parts};
use bandwise_controller::grpc::proto::{HelloRequest, RegisterApplicationRequest, Sender};
use bandwise_controller::settings::Listen;
use bandwise_controller::store::Embedded;
use bandwise_controller::{Listener, Marking, Present, Tls, router};
use bandwise_enforce::htb::Marks;
use bandwise_enforce_simulated::Simulated;
use bandwise_input::Source;
use bandwise_saba::controller::Settings;
use bandwise_saba::table::read;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};

/// A controller that stops when it is dropped.
pub(crate) struct World {
    pub folder: TempDir,
    pub handle: Handle,
    pub network: Simulated,
    pub runtime: Runtime,
    pub credentials: Present<Credentials>,
    router: axum::Router,
}

impl World {
    pub(crate) fn start(limits: Limits) -> World {
        World::start_with(limits, &[])
    }

    pub(crate) fn start_with(limits: Limits, credentials: &[Credential]) -> World {
        World::start_of(TABLE, limits, credentials)
    }

    /// Starts a controller with this sensitivity table.
    pub(crate) fn start_of(table: &str, limits: Limits, credentials: &[Credential]) -> World {
        let folder = tempfile::tempdir().unwrap();
        let rules = Rules { order_gap: Duration::ZERO, limits, ..Rules::default() };
        let marking = Marking::Dscp(Marks::local());
        let table = read::csv(&Source::new("t", table)).unwrap();
        let profiles = Profiles::new(table, Clustering { levels: marking.levels(), seed: 1 });
        let (settings, stored) = (Settings::default(), State::default());
        let network = network();
        let parts = Parts {
            core: Core::new(rules, settings, profiles, stored, Duration::ZERO).unwrap(),
            store: Box::new(Embedded::open(&folder.path().join("store")).unwrap()),
            groups: Groups::alone(),
            switches: network.clone(),
            paths: network.clone(),
            discovery: network.clone(),
            recording: None,
            audit: None,
            metrics: Metrics::new(),
            restores: false,
        };
        let (handle, _) = EventLoop::start(parts).unwrap();
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().unwrap();
        let credentials = Present::new(Credentials::new(credentials));
        let authenticator = Authenticator::new(credentials.clone());
        let router = router(handle.clone(), Metrics::new(), marking, authenticator);
        let listen = Listen::Unix { path: folder.path().join("socket"), mode: 0o600 };
        Listener::open(&listen).unwrap().serve(router.clone()).unwrap();
        World { folder, handle, network, runtime, credentials, router }
    }

    /// Opens a listener for remote hosts.
    pub(crate) fn open_remote(&self, tls: Present<Option<Tls>>) -> SocketAddr {
        let listener = Listener::open_remote("127.0.0.1:0".parse().unwrap(), tls).unwrap();
        let Listener::Remote(socket, _) = &listener else { unreachable!() };
        let address = socket.local_addr().unwrap();
        listener.serve(self.router.clone()).unwrap();
        address
    }

    pub(crate) fn channel(&self) -> Channel {
        let _inside = self.runtime.enter();
        let place = format!("unix:{}", self.folder.path().join("socket").display());
        Endpoint::from_shared(place).unwrap().connect_lazy()
    }

    pub(crate) fn client(&self) -> SabaClient<Channel> {
        SabaClient::new(self.channel())
    }

    pub(crate) fn hello(&self, client: &mut SabaClient<Channel>) -> u64 {
        let welcome = self.runtime.block_on(client.hello(HelloRequest {}));
        welcome.unwrap().into_inner().client
    }

    /// Polls until the condition holds.
    pub(crate) fn until(&self, is_so: impl Fn(&Core) -> bool + Clone + Send + 'static) {
        let look = || {
            let is_so = is_so.clone();
            self.runtime
                .block_on(self.handle.inspect(&Owner::default(), move |core, _| is_so(core)))
                .unwrap()
        };
        let until = Instant::now() + Duration::from_secs(60);
        while !look() {
            assert!(Instant::now() < until, "the condition does not come true");
            std::thread::yield_now();
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.handle.stop();
    }
}

/// Returns the sender of a request that acknowledges all earlier answers.
pub(crate) fn sender(client: u64, number: u64) -> Option<Sender> {
    Some(Sender { client: Some(client), number: Some(number), acknowledged_below: number })
}

pub(crate) fn register(client: u64, number: u64, name: &str) -> RegisterApplicationRequest {
    let sender = sender(client, number);
    RegisterApplicationRequest { sender, name: name.into(), nodes: None, dataset: None, job: None }
}

pub(crate) fn credential(
    name: &str,
    certificate: Option<&str>,
    token: Option<&str>,
    applications: &[&str],
    is_operator: bool,
) -> Credential {
    let pattern = |text: &&str| Pattern::try_from(text.to_string()).unwrap();
    let applications = applications.iter().map(pattern).collect();
    let rights = Rights {
        applications,
        hosts: vec![Pattern::try_from("h*".to_string()).unwrap()],
        drain: is_operator,
        sees_all: is_operator,
    };
    let certificate = certificate.map(str::to_owned);
    Credential { name: name.into(), certificate, token: token.map(TokenDigest::of), rights }
}
