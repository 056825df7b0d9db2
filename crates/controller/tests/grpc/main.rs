//! gRPC over a Unix socket, with simulated switches that obey.

mod authority;
mod credentials;
#[path = "../daemon/two_hosts.rs"]
mod two_hosts;
mod world;
/// The client that the build generates for tests.
#[allow(clippy::all, unreachable_pub)]
mod client {
    include!(concat!(env!("OUT_DIR"), "/client/bandwise.saba.v1.rs"));
}
mod refused;
mod tls_files;
mod unreadable;

use bandwise_controller::core::{Core, Limits};
use bandwise_controller::grpc::proto::{
    CreateConnectionRequest, DeregisterApplicationRequest, DestroyConnectionRequest,
    GoodbyeRequest, KeepAliveRequest, RegisterApplicationRequest,
};
use bandwise_switches::Switches;
use world::{World, register, sender};

/// From hello to goodbye (Saba 4.4.2), with the weights at the port.
#[test]
fn application_lifecycle_from_hello_to_goodbye() {
    let world = World::start(Limits::default());
    let mut client = world.client();
    let id = world.hello(&mut client);
    let weights = || {
        let port = world.network.named("s0:1").unwrap();
        world.network.clone().read_back(port).unwrap().weights
    };
    let request = RegisterApplicationRequest { nodes: Some(4), ..register(id, 0, "all") };
    let registered = world.runtime.block_on(client.register_application(request.clone()));
    let registered = registered.unwrap().into_inner();
    // A repeated request has the same answer.
    let again = world.runtime.block_on(client.register_application(request));
    assert_eq!(again.unwrap().into_inner(), registered);
    let mark = registered.mark.unwrap();
    assert_eq!(mark.dscp, Some(4 * mark.level + 3));
    let application = Some(registered.application);
    let connect = CreateConnectionRequest {
        sender: sender(id, 1),
        application,
        from: "h0".into(),
        to: "h1".into(),
    };
    let made = world.runtime.block_on(client.create_connection(connect)).unwrap().into_inner();
    assert_eq!(made.mark, Some(mark));
    world.until(Core::is_settled);
    assert_eq!(weights(), [1]);
    let (connection, alive) = (Some(made.connection), KeepAliveRequest { client: Some(id) });
    world.runtime.block_on(client.keep_alive(alive)).unwrap();
    let destroy = DestroyConnectionRequest { sender: sender(id, 2), connection };
    world.runtime.block_on(client.destroy_connection(destroy)).unwrap();
    world.until(Core::is_settled);
    assert!(weights().is_empty());
    let gone = DeregisterApplicationRequest { sender: sender(id, 3), application };
    world.runtime.block_on(client.deregister_application(gone)).unwrap();
    world.until(|core| core.state().applications().len() == 0);
    for _ in 0..2 {
        world.runtime.block_on(client.goodbye(GoodbyeRequest { client: Some(id) })).unwrap();
    }
    world.until(|core| core.state().clients().len() == 0);
}
