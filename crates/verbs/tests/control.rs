//! The control connection between two sides over loopback TCP.

use bandwise_session::Message;
use bandwise_verbs::{Control, ControlError};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

fn connected() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (here, listener.accept().unwrap().0)
}

#[test]
fn both_sides_exchange_messages() {
    let (here, there) = connected();
    let (mut here, mut there) = (Control::over(here).unwrap(), Control::over(there).unwrap());
    let refused = Message::Refused("no".into());
    here.send(&Message::Done).unwrap();
    there.send(&refused).unwrap();
    assert_eq!(there.receive().unwrap(), Message::Done);
    assert_eq!(here.receive().unwrap(), refused);
    // During a measurement no message arrives until one is sent.
    let (mut here, mut there) = (here.watch().unwrap(), there.watch().unwrap());
    assert!(here.look_now().is_none());
    assert!(there.look_now().is_none());
    // Heartbeats are exchanged without being reported.
    assert!(here.look_now().is_none());
    there.end(&Message::Failed("why".into()));
    let mut received = || loop {
        if let Some(received) = here.look_now() {
            break received;
        }
    };
    assert_eq!(received().unwrap(), Message::Failed("why".into()));
    assert!(matches!(received(), Err(ControlError::Closed)));
}

/// Heartbeats hold nothing beyond the time that a side gives the other.
#[test]
fn lively_peer_is_dropped_at_the_end_of_its_time() {
    let (here, there) = connected();
    let mut here = Control::over(here).unwrap().watch().unwrap();
    let there = Control::over(there).unwrap().watch().unwrap();
    let now = Instant::now();
    let mut there = there.until(now + Duration::from_secs(3_600));
    assert!(here.look_now().is_none() && there.look_now().is_none());
    let mut there = there.until(now);
    assert!(matches!(there.look_now(), Some(Err(ControlError::Over))));
    // A message that has come is reported first.
    here.end(&Message::Done);
    let received = (0..1_000_000).find_map(|_| match there.look_now() {
        Some(Err(ControlError::Over)) => None,
        received => received,
    });
    assert_eq!(received.unwrap().unwrap(), Message::Done);
}

/// A message sent during a measurement is no answer to a later question.
#[test]
fn measurements_run_in_sequence() {
    let (here, there) = connected();
    let here = Control::over(here).unwrap().watch().unwrap();
    let mut there = Control::over(there).unwrap().watch().unwrap();
    assert!(there.look_now().is_none());
    let (mut here, mut there) = (here.unwatch().unwrap(), there.unwatch().unwrap());
    there.send(&Message::Done).unwrap();
    assert_eq!(here.receive().unwrap(), Message::Done);
}

#[test]
fn silent_peer_is_dropped() {
    let (here, there) = connected();
    let mut here = Control::with_patience(here, Duration::from_millis(20)).unwrap();
    assert!(matches!(here.receive(), Err(ControlError::Silent(_))));
    // An unterminated line does not count as a message.
    let mut there = there;
    there.write_all(b"{\"bandwise\":").unwrap();
    assert!(matches!(here.receive(), Err(ControlError::Silent(_))));
    drop(there);
    assert!(matches!(here.receive(), Err(ControlError::Closed)));
}
