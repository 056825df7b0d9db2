//! A controller at `https`, and an unmodified program.

use crate::certificates::Authority;
use crate::run::is_connected;
use crate::world::World;
use crate::{DONE, ITS_MARK, has_connections, start};
use std::time::{Duration, Instant};

#[test]
fn https_controller_knows_open_connections() {
    let mut world = World::empty();
    world.start();
    let authority = Authority::new(world.folder.path(), "ours");
    let place = authority.opens(&world, authority.signs("127.0.0.1"));
    // The first endpoint is unreachable.
    let places = format!("unix:{}/nowhere,{place}", world.folder.path().display());
    let ((certificate, key), authorities) = (authority.signs("client.test"), authority.file());
    let more = [
        ITS_MARK,
        ("SABA_CONTROLLER", &places),
        ("SABA_CA_FILE", authorities.to_str().unwrap()),
        ("SABA_CERTIFICATE_FILE", certificate.to_str().unwrap()),
        ("SABA_KEY_FILE", key.to_str().unwrap()),
    ];
    let Some(mut program) = start(&world, &more).filter(|_| is_connected()) else { return };
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    has_connections(&world, 1);
    assert_eq!(program.request("close 0"), "closed 0");
    has_connections(&world, 0);
    assert_eq!(program.ends(), Some(0));
    world.until(|core| core.state().clients().len() == 0);
}

/// The resolver of the controller's host, the certificates and the connection take none of the program's descriptors,
/// and the program's `closefrom` closes none of them.
#[test]
fn controller_by_host_name_takes_no_descriptors() {
    let mut world = World::empty();
    world.start();
    let authority = Authority::new(world.folder.path(), "ours");
    let place = authority.opens(&world, authority.signs("localhost"));
    let place = place.replace("127.0.0.1", "localhost");
    let ((certificate, key), authorities) = (authority.signs("client.test"), authority.file());
    let more = [
        ITS_MARK,
        ("SABA_CONTROLLER", place.as_str()),
        ("SABA_CA_FILE", authorities.to_str().unwrap()),
        ("SABA_CERTIFICATE_FILE", certificate.to_str().unwrap()),
        ("SABA_KEY_FILE", key.to_str().unwrap()),
    ];
    let Some(mut program) = start(&world, &more).filter(|_| is_connected()) else { return };
    program.request("closes 3 4096");
    assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    while world.inspect(|core| core.state().clients().len()) == 0 {
        assert_eq!(program.request("lowests 1000"), "others 0");
        // The loop has closed the connection.
        assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
    }
    has_connections(&world, 1);
    assert_eq!(program.ends(), Some(0));
}

/// The program continues with the inherited mark.
#[test]
fn connection_errors_are_logged() {
    let mut world = World::empty();
    world.start();
    let (ours, others) =
        ["ours", "others"].map(|name| Authority::new(world.folder.path(), name)).into();
    let place = others.opens(&world, others.signs("127.0.0.1"));
    let (log, authorities) = (world.folder.path().join("log"), ours.file());
    let gone = world.folder.path().join("gone.pem");
    for (authorities, message) in [
        (authorities.to_str().unwrap(), "authority.pem has signed the controller's certificate"),
        (gone.to_str().unwrap(), "gone.pem: can't be read: No such file"),
        ("", "without SABA_CA_FILE"),
    ] {
        let more = [
            ITS_MARK,
            ("SABA_CONTROLLER", place.as_str()),
            ("SABA_CA_FILE", authorities),
            ("SABA_LOG", log.to_str().unwrap()),
        ];
        let Some(mut program) = start(&world, &more).filter(|_| is_connected()) else { return };
        assert_eq!(program.request("connect 0 198.51.100.1"), DONE);
        assert_eq!(program.request("marks 0"), "IP_TOS 12 IPV6_TCLASS -1");
        let until = Instant::now() + Duration::from_secs(60);
        while !std::fs::read_to_string(&log).is_ok_and(|log| log.contains(message)) {
            assert!(Instant::now() < until, "not logged: {message}");
            std::thread::yield_now();
        }
        assert_eq!(program.ends(), Some(0));
        let log = std::fs::read_to_string(&log).unwrap();
        assert_eq!(log.lines().filter(|line| line.contains(message)).count(), 1, "{log}");
    }
}
