//! Several endpoints of a controller.

use crate::proxy::{Behaviour, Proxy};
use crate::world::World;
use bandwise_controller::core::Core;
use saba::{Application, Options};
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn options(sockets: &[PathBuf]) -> Options {
    let places: Vec<String> =
        sockets.iter().map(|socket| format!("unix:{}", socket.display())).collect();
    let controller = places.join(",").parse().unwrap();
    Options { controller, host: Some("h0".into()), ..Options::default() }
}

/// Returns the numbers of clients, applications and connections.
fn counts(core: &Core) -> (usize, usize, usize) {
    let state = core.state();
    (state.clients().len(), state.applications().len(), state.connections().len())
}

#[test]
fn an_unreachable_endpoint_is_skipped_at_once() {
    let mut world = World::empty();
    world.start();
    let nowhere = world.folder.path().join("nowhere");
    let application = Application::register("all", options(&[nowhere, world.socket()])).unwrap();
    assert!(application.mark().is_some(), "it is known when that returns");
    assert_eq!(application.unreachable(), None);
    drop(application);
    world.until(|core| counts(core) == (0, 0, 0));
}

/// The next instance carries out a request once, for the same client, whether or not the lost one did.
#[test]
fn an_unanswered_request_is_executed_once_by_the_next() {
    for behaviour in [Behaviour::LosesAnswers, Behaviour::CutOff] {
        let mut world = World::empty();
        world.start();
        let start = |name| Proxy::start(world.folder.path().join(name), world.socket());
        let (one, other) = (start("one"), start("other"));
        let all = options(&[one.socket(), other.socket()]);
        let application = Application::register("all", all).unwrap();
        let first = application.connect(None, "h1").unwrap();
        one.set(behaviour);
        let second = application.connect(None, "h1").unwrap();
        assert_eq!(world.inspect(counts), (1, 1, 2), "{behaviour:?}");
        assert_eq!(application.unreachable(), None);
        drop(first);
        world.until(|core| counts(core) == (1, 1, 1));
        // The first instance is back, and the other is gone.
        one.set(Behaviour::Open);
        other.set(behaviour);
        drop(second);
        world.until(|core| counts(core) == (1, 1, 0));
        drop(application);
        assert_eq!(world.inspect(counts), (0, 0, 0), "{behaviour:?}");
    }
}

/// Two controllers with separate stores, which is a misconfiguration.
#[test]
fn a_controller_without_the_client_gets_all_registrations() {
    let (mut one, mut other) = (World::empty(), World::empty());
    one.start();
    other.start();
    let application =
        Application::register("all", options(&[one.socket(), other.socket()])).unwrap();
    let first = application.connect(None, "h1").unwrap();
    assert_eq!(other.inspect(counts), (0, 0, 0));
    // Its listener answers with status 503 from now on.
    one.stop();
    let second = application.connect(Some("h1"), "h0").unwrap();
    assert_eq!(other.inspect(counts), (1, 1, 2));
    drop((first, second));
    other.until(|core| counts(core) == (1, 1, 0));
}

#[test]
fn endpoints_are_tried_until_one_responds() {
    let mut world = World::empty();
    let nowhere = world.folder.path().join("nowhere");
    let application = Application::register("all", options(&[world.socket(), nowhere])).unwrap();
    assert_eq!(application.mark(), None);
    let away = application.unreachable().unwrap();
    for place in ["/socket: No such file", "/nowhere: No such file"] {
        assert!(away.contains(place), "{away}");
    }
    world.start();
    world.until(|core| counts(core) == (1, 1, 0));
    let until = Instant::now() + Duration::from_secs(60);
    while application.mark().is_none() {
        assert!(Instant::now() < until, "the application gets no mark");
        std::thread::yield_now();
    }
    assert_eq!(application.unreachable(), None);
    let _connection = application.connect(None, "h1").unwrap();
    assert_eq!(world.inspect(counts), (1, 1, 1));
}
