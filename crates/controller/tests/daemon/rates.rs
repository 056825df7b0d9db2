//! The rates of applications under the daemon's configuration, while they come and go.

use super::two_hosts::network;
use super::world::{Daemon, THERE, weights};
use bandwise_controller::core::{self, Core, Owner, Request};
use bandwise_enforce_simulated::{Connection, Simulated};

/// Returns each connection's rate in Gbps: by the flow model, and by the packet model.
fn rates(daemon: &Daemon, network: &Simulated) -> [Vec<f64>; 2] {
    daemon.until(Core::is_settled);
    let connections =
        daemon.runtime.block_on(daemon.handle.inspect(&Owner::default(), |here, _| {
            let connection = |(_, of): (_, &core::Connection)| Connection {
                from: of.from.clone(),
                to: of.to.clone(),
                level: of.level,
            };
            here.state().connections().map(connection).collect::<Vec<_>>()
        }));
    let traffic = network.traffic(&connections.unwrap()).unwrap();
    let packets = traffic.packets(traffic.times()).unwrap();
    [traffic.flows().rates, packets].map(|all| all.iter().map(|rate| rate.as_gbps_f64()).collect())
}

#[track_caller]
fn are(found: [Vec<f64>; 2], expected: &[f64]) {
    for (found, within) in found.into_iter().zip([1e-6, 0.02]) {
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= within * b;
        let are_near = found.len() == expected.len() && found.iter().zip(expected).all(is_near);
        assert!(are_near, "{found:?}, not {expected:?}");
    }
}

#[test]
fn rates_follow_registrations_and_deregistrations() {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let mut daemon = Daemon::start(folder.path(), &network, None);
    let client = daemon.hello();
    are(rates(&daemon, &network), &[]);
    let all = daemon.register_and_connect_as("all", client, "h1");
    are(rates(&daemon, &network), &[100.0]);
    let little = daemon.register_and_connect_as("little", client, "h1");
    // Both start at one host, so all ports on the path have the same weights, which determine the rates.
    let found = rates(&daemon, &network);
    let standing = weights(&network, THERE[1]);
    let [less, more] = [standing[0], standing[1]].map(f64::from);
    assert!(standing.len() == 2 && more > less, "{standing:?}");
    are(found, &[more, less].map(|weight| 100.0 * weight / (more + less)));
    daemon.ask(client, Request::Deregister { application: all });
    are(rates(&daemon, &network), &[100.0]);
    daemon.ask(client, Request::Deregister { application: little });
    are(rates(&daemon, &network), &[]);
    daemon.stop();
}
