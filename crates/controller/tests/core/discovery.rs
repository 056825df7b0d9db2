//! The effect of discoveries, in scripted cases.

use super::by_hand::{two_that_send, two_that_send_by};
use super::world::{World, connect, ms};
use bandwise_controller::core::{Input, Output, Owner, Request, Rules};
use bandwise_saba::controller::{PortConfig, PortId};

#[test]
fn connections_follow_when_links_move() {
    let (mut world, client, applications) = two_that_send();
    let before = world.weights(3);
    world.moved = 1;
    world.find();
    // The new path is stored first; until then, and after a failure, nothing changes.
    assert_eq!(world.orders.len(), 0);
    world.store(false);
    world.settle();
    assert_eq!(world.weights(3), before);
    world.find();
    world.settle();
    assert_eq!((world.weights(0), world.weights(3)), (before.clone(), vec![]));
    assert!(world.outputs.contains(&Output::Rerouted { connections: 2 }));
    world.crash(false, false);
    world.settle();
    assert_eq!((world.weights(0), world.weights(3)), (before.clone(), vec![]));
    // There and back: rerouted connections are closed like others.
    for moved in [2, 0] {
        world.moved = moved;
        world.find();
        world.settle();
    }
    assert_eq!(world.weights(3), before);
    world.answer_to(client, 4, Request::Deregister { application: applications[0] }).unwrap();
    world.settle();
    assert_eq!(world.weights(3), [1]);
    world.answer_to(client, 5, Request::Deregister { application: applications[1] }).unwrap();
    world.settle();
    assert!((0..4).all(|port| world.weights(port).is_empty()));
}

#[test]
fn discovery_during_a_hanging_store_uses_the_last_paths() {
    let (mut world, ..) = two_that_send();
    let before = world.weights(3);
    // A client's arrival is being stored all the while.
    let ticket = world.ticket();
    world.hear(Input::Hello { ticket, owner: Owner::default() });
    for moved in [1, 2, 0] {
        world.moved = moved;
        world.find();
    }
    world.settle();
    assert_eq!(world.weights(3), before);
    assert!(!world.outputs.iter().any(|output| matches!(output, Output::Rerouted { .. })));
}

#[test]
fn discovery_runs_at_intervals_and_after_failed_orders() {
    let rules = Rules { lease: ms(1_000_000), ..Rules::default() };
    let (mut world, client, applications) = two_that_send_by(rules);
    let count = |world: &World| world.outputs.iter().filter(|of| **of == Output::Discover).count();
    let run_to = |world: &mut World, end| {
        while world.core.wake().is_some_and(|wake| wake <= end) {
            world.now = world.core.wake().unwrap();
            world.hear(Input::Tick);
            world.settle();
        }
        world.now = end;
    };
    let (start, every) = (world.now, world.rules.discovery_interval);
    run_to(&mut world, start + every - ms(1_000));
    assert_eq!(count(&world), 0);
    run_to(&mut world, start + 3 * every - ms(1_000));
    assert_eq!(count(&world), 2);
    // A failed order starts a discovery at once, but not again within a second.
    world.now += ms(2_000);
    world.answer_to(client, 4, connect(applications[0], "h1", "h2")).unwrap();
    let fail = |world: &mut World| {
        let (&order, _) = world.orders.iter().find(|of| of.1.0 == PortId(2)).unwrap();
        world.carry_out(order, false);
    };
    fail(&mut world);
    assert_eq!(count(&world), 3);
    world.hear(Input::DiscoveryFailed { error: "no answer".into() });
    world.discovery = false;
    world.now += world.rules.retry;
    world.hear(Input::Tick);
    fail(&mut world);
    assert_eq!(count(&world), 3);
    world.now += ms(1_000);
    world.hear(Input::Tick);
    assert_eq!(count(&world), 4);
    world.settle();
}

#[test]
fn lost_port_is_not_written_until_it_returns() {
    let (mut world, ..) = two_that_send();
    let before = world.weights(3);
    world.gone.insert(3);
    world.find();
    let lost = Output::Lost { port: PortId(3), name: "p3".into() };
    assert_eq!(world.outputs.iter().filter(|of| **of == lost).count(), 1);
    world.ports.insert(PortId(3), PortConfig::default());
    world.settle();
    assert!(world.weights(3).is_empty() && world.core.port(PortId(3)).is_some());
    world.gone.clear();
    world.find();
    world.settle();
    assert_eq!(world.weights(3), before);
    // An unchanged network causes no orders.
    let outputs = world.outputs.len();
    world.find();
    world.settle();
    assert_eq!(world.outputs.len(), outputs);
}
