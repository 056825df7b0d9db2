//! Programs with the library, and a controller with simulated switches.

mod c;
mod certificates;
mod endpoints;
mod header;
mod proxy;
mod tls;
#[path = "../../../controller/tests/daemon/two_hosts.rs"]
mod two_hosts;
mod waits;
mod world;

use saba::{Application, Endpoint, Error, Options};
use socket2::SockRef;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};
use world::World;

fn options(world: &World) -> Options {
    let (controller, host) = (Endpoint::Unix(world.socket()).into(), Some("h0".into()));
    Options { controller, host, ..Options::default() }
}

/// The doubt about the model of an application that was measured on one host and runs on four.
const DOUBT: &str = "used with 4.00 times the nodes that it was measured on: outside of 0.5 to 3 times, sharing by the \
    model can hurt";

fn mark_of(socket: &impl std::os::fd::AsFd) -> u32 {
    SockRef::from(socket).tos_v4().unwrap()
}

#[test]
fn connected_socket_is_marked_and_reported() {
    let mut world = World::empty();
    world.start();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let options = Options { nodes: Some(4), ..options(&world) };
    let application = Application::register("all", options).unwrap();
    assert_eq!(application.doubts(), [DOUBT]);
    let connection = application.connect_socket(None, "h1", &socket).unwrap();
    let mark = connection.mark().unwrap();
    assert_eq!((mark.dscp, mark.service_level), (Some(4 * mark.level as u8 + 3), None));
    assert_eq!(mark_of(&socket), u32::from(mark.traffic_class().unwrap()));
    let ends = |core: &bandwise_controller::core::Core| {
        let ends =
            |of: (_, &bandwise_controller::core::Connection)| (of.1.from.clone(), of.1.to.clone());
        core.state().connections().map(ends).collect::<Vec<_>>()
    };
    assert_eq!(world.inspect(ends), [("h0".into(), "h1".into())]);
    // The ECN bits are the program's, where the kernel does not set them itself.
    let datagrams = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    SockRef::from(&datagrams).set_tos_v4(2).unwrap();
    drop(application.connect_socket(None, "h1", &datagrams).unwrap());
    assert_eq!(mark_of(&datagrams), u32::from(mark.traffic_class().unwrap()) | 2);
    // Both families of a dual-stack socket.
    let six = UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0));
    if let Ok(six) = six {
        let second = application.connect_socket(None, "h1", &six).unwrap();
        let class = u32::from(second.mark().unwrap().traffic_class().unwrap());
        assert_eq!(SockRef::from(&six).tclass_v6().unwrap(), class);
        assert_eq!(mark_of(&six), class);
    } else {
        println!("SKIP a socket of IPv6: this machine has none");
    }
    drop(connection);
    world.until(|core| core.state().connections().len() == 0);
    let open = application.connect(None, "h1").unwrap();
    drop(application);
    world.until(|core| core.state().clients().len() == 0);
    drop(open);
}

#[test]
fn sockets_are_unmarked_until_a_controller_starts() {
    let mut world = World::empty();
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let application = Application::register("all", options(&world)).unwrap();
    assert!(application.doubts().is_empty());
    let early = application.connect_socket(None, "h1", &socket).unwrap();
    assert_eq!((early.mark(), mark_of(&socket)), (None, 0));
    world.start();
    let until = Instant::now() + Duration::from_secs(60);
    while application.mark().is_none() {
        assert!(Instant::now() < until, "the application gets no mark");
        std::thread::yield_now();
    }
    let connection = application.connect_socket(None, "h1", &socket).unwrap();
    assert_eq!(connection.mark(), application.mark());
    assert_eq!(world.inspect(|core| core.state().connections().len()), 1);
    drop(early);
    assert_eq!(world.inspect(|core| core.state().connections().len()), 1);
}

/// With its old store or an empty one, a returning controller knows all marked connections in the end.
#[test]
fn a_returning_controller_gets_all_registrations() {
    let mut world = World::empty();
    world.start();
    let application = Application::register("all", options(&world)).unwrap();
    let first = application.connect(None, "h1").unwrap();
    for keeps_its_store in [true, false] {
        world.stop();
        let second = application.connect(Some("h1"), "h0").unwrap();
        assert_eq!(second.mark(), application.mark(), "the second connection is unmarked");
        if !keeps_its_store {
            std::fs::remove_file(world.folder.path().join("store")).unwrap();
        }
        world.start();
        world.until(|core| core.state().connections().len() == 2);
        drop(second);
        world.until(|core| core.state().connections().len() == 1);
    }
    drop((first, application));
    world.until(|core| core.state().applications().len() == 0);
}

#[test]
fn refusals_of_the_controller_are_reported() {
    let mut world = World::empty();
    world.start();
    let refused = Application::register("none", options(&world)).unwrap_err();
    let Error::Refused(message) = refused else { panic!("{refused}") };
    assert!(message.contains("no application called \"none\""), "{message}");
    let application = Application::register("all", options(&world)).unwrap();
    let refused = application.connect(None, "h9").unwrap_err();
    assert!(matches!(&refused, Error::Refused(message) if message.contains("h9")), "{refused}");
    application.connect(None, "h1").unwrap();
}

#[test]
fn processes_of_one_job_are_one_application() {
    let mut world = World::empty();
    world.start();
    let of_job = |job: &str| Options { job: Some(job.into()), ..options(&world) };
    let noon = ["noon", "noon", "night"].map(|job| Application::register("all", of_job(job)));
    let wholes = |core: &bandwise_controller::core::Core| {
        core.state().applications().map(|of| of.1.job.as_ref().unwrap().whole).collect::<Vec<_>>()
    };
    let there = world.inspect(wholes);
    assert_eq!(there.len(), 3);
    assert!(there[0] == there[1] && there[1] != there[2], "{there:?}");
    noon.into_iter().for_each(|application| drop(application.unwrap()));
    world.until(|core| core.state().applications().len() == 0);
}

#[test]
fn all_signals_are_blocked_in_the_own_thread() {
    let folder = tempfile::tempdir().unwrap();
    let controller = Endpoint::Unix(folder.path().join("nobody")).into();
    let options = Options { controller, ..Options::default() };
    let _application = Application::register("all", options).unwrap();
    // Threads of other tests are looked at too, and may end meanwhile.
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let status = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("status"));
    let all = tasks.filter_map(|task| status(task.unwrap()).ok());
    let own: Vec<String> = all.filter(|status| status.starts_with("Name:\tsaba\n")).collect();
    assert!(!own.is_empty());
    for status in own {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:\t")).unwrap();
        let unblocked: Vec<u32> = {
            let mask = u64::from_str_radix(mask, 16).unwrap();
            (1..=64).filter(|signal| mask >> (signal - 1) & 1 == 0).collect()
        };
        // SIGKILL and SIGSTOP can't be blocked, and 32 and 33 are the C library's.
        assert_eq!(unblocked, [9, 19, 32, 33]);
    }
}

#[test]
fn a_client_without_a_thread_sends_when_called() {
    let mut world = World::empty();
    world.start();
    let mut client = saba::Client::new("all", options(&world)).unwrap();
    assert_eq!((client.mark(), client.open("h1")), (None, None));
    client.poll();
    assert!(client.mark().is_some() && client.doubts().is_empty());
    let (known, refused) = (client.open("h1").unwrap(), client.open("h9").unwrap());
    assert_eq!(world.inspect(|core| core.state().connections().len()), 0);
    client.poll();
    assert_eq!(world.inspect(|core| core.state().connections().len()), 1);
    assert!(client.is_known(known) && !client.is_known(refused));
    assert!(client.refusal(refused).unwrap().contains("h9"));
    client.close(known);
    client.poll();
    assert_eq!(world.inspect(|core| core.state().connections().len()), 0);
    client.end();
    world.until(|core| core.state().clients().len() == 0);
}
