//! The time that calls take with a controller that hangs, with a slow one, and with many threads.

use crate::proxy::{Behaviour, Proxy};
use crate::world::World;
use saba::{Application, Endpoint, Options};
use socket2::{Domain, SockAddr, Socket, Type};
use std::path::Path;
use std::time::{Duration, Instant};

/// Less than the time after which a request fails, and more than any computation takes here.
const SHORT: Duration = Duration::from_millis(1500);

fn options(socket: &Path) -> Options {
    let (controller, host) = (Endpoint::Unix(socket.into()).into(), Some("h0".into()));
    Options { controller, host, ..Options::default() }
}

fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    (call(), began.elapsed())
}

#[test]
fn calls_do_not_wait_while_the_controller_hangs() {
    let mut world = World::empty();
    world.start();
    let proxy = Proxy::start(world.folder.path().join("proxy"), world.socket());
    let application = Application::register("all", options(&proxy.socket())).unwrap();
    let before = application.connect(None, "h1").unwrap();
    proxy.set(Behaviour::Hangs);
    // Nothing shows yet that the controller hangs.
    let (connection, took) = timed(|| application.connect(None, "h1").unwrap());
    assert!(took < SHORT, "{took:?}");
    assert_eq!(connection.mark(), application.mark(), "it is registered later");
    // The request, and the first attempt after it has failed.
    for attempts in 1..=2 {
        proxy.until_hanging(attempts);
        let (_, took) = timed(|| {
            for _ in 0..20 {
                drop(application.connect(None, "h1").unwrap());
                assert!(application.mark().is_some());
            }
        });
        assert!(took < SHORT, "attempt {attempts}: {took:?} for 20 calls");
    }
    assert!(application.unreachable().unwrap().contains("no response in 2 s"));
    proxy.set(Behaviour::Open);
    world.until(|core| core.state().connections().len() == 2);
    drop((before, connection));
    world.until(|core| core.state().connections().len() == 0);
    proxy.set(Behaviour::Hangs);
    let ((), took) = timed(|| drop(application));
    assert!(took < SHORT, "{took:?} for the end");
    proxy.set(Behaviour::Open);
}

#[test]
fn registrations_of_many_threads_are_sent_at_once() {
    let mut world = World::empty();
    world.start();
    let proxy = Proxy::start(world.folder.path().join("proxy"), world.socket());
    let application = Application::register("all", options(&proxy.socket())).unwrap();
    proxy.set(Behaviour::Slow);
    let connect = || application.connect(None, "h1").unwrap();
    let (connections, took) = timed(|| {
        let connections: Vec<_> = std::thread::scope(|threads| {
            let all: Vec<_> = (0..100).map(|_| threads.spawn(connect)).collect();
            all.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        world.until(|core| core.state().connections().len() == 100);
        connections
    });
    assert!(took < SHORT, "{took:?}; in turn they take 2.5 s");
    drop((connections, application));
    world.until(|core| core.state().clients().len() == 0);
}

/// A controller that accepts no connection, and whose queue of connections is full.
#[test]
fn a_full_queue_of_connections_is_a_controller_that_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let (path, stream) =
        (folder.path().join("socket"), || Socket::new(Domain::UNIX, Type::STREAM, None).unwrap());
    let (address, listener) = (SockAddr::unix(&path).unwrap(), stream());
    listener.bind(&address).unwrap();
    listener.listen(0).unwrap();
    let waiting = stream();
    waiting.connect(&address).unwrap();
    let application = Application::register("all", options(&path)).unwrap();
    assert_eq!(application.connect(None, "h1").unwrap().mark(), None);
    let why = application.unreachable().unwrap();
    assert!(why.contains("no response in 2 s"), "{why}");
}
