use super::*;

/// A wire whose kernel answers when it is let go, and then says that there is no such device.
struct Slow(Receiver<()>);

impl Wire for Slow {
    fn device(&mut self, _: &str) -> io::Result<u32> {
        self.0.recv().map_err(io::Error::other)?;
        Err(io::ErrorKind::NotFound.into())
    }
    fn send(&mut self, _: &[u8]) -> io::Result<()> {
        unreachable!("there is no device")
    }
    fn receive(&mut self) -> io::Result<Vec<u8>> {
        unreachable!("nothing was sent")
    }
}

impl Deadline for Slow {
    fn until(&mut self, _: Instant) {}
}

fn visit() -> Visit {
    Visit { device: "h1".into(), changes: Vec::new(), deadline: Instant::now() }
}

fn no_device() -> Result<Root, Reason> {
    Err(Reason("there is no device h1".into()))
}

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn a_kernel_that_hangs_is_given_up_and_heard_again_later() {
    let (go, wait) = channel();
    let mut wait = Some(wait);
    let mut worker = Worker::start(None, move || Ok(Slow(wait.take().expect("opened once"))));
    let given_up = worker.ask(visit(), Duration::ZERO);
    assert_eq!(given_up, Err(Reason("the kernel has not answered in time".into())));
    // Nothing more is asked until it has answered, however long that takes.
    let busy = "the kernel has not answered an earlier request";
    assert_eq!(worker.ask(visit(), LONG), Err(Reason(busy.into())));
    go.send(()).unwrap();
    go.send(()).unwrap();
    // What it says to the first is nobody's any more.
    let answer = loop {
        match worker.ask(visit(), LONG) {
            Err(Reason(reason)) if reason == busy => std::thread::yield_now(),
            answer => break answer,
        }
    };
    assert_eq!((answer, worker.given_up), (no_device(), 0));
}

#[test]
fn what_could_not_be_opened_is_tried_again() {
    let (go, wait) = channel();
    let mut waits = vec![wait];
    let mut tries = 0;
    let mut worker = Worker::start(None, move || {
        tries += 1;
        match tries {
            1 => Err(io::Error::other("not now")),
            _ => Ok(Slow(waits.pop().expect("opened once"))),
        }
    });
    let reason = "the kernel can't be reached: not now";
    assert_eq!(worker.ask(visit(), LONG), Err(Reason(reason.into())));
    for _ in 0..2 {
        go.send(()).unwrap();
        assert_eq!(worker.ask(visit(), LONG), no_device());
    }
}

#[test]
fn a_namespace_that_is_not_there() {
    let visited = Namespaces::default().visit(Some("bandwise-none-there"), "h1", &[]);
    let reason = "there is no network namespace bandwise-none-there";
    assert_eq!(visited, Err(Reason(reason.into())));
}

#[test]
fn a_socket_says_nothing_after_its_deadline() {
    let mut socket = Socket::open().unwrap();
    socket.until(Instant::now());
    assert_eq!(socket.send(&[]).unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(socket.receive().unwrap_err().kind(), io::ErrorKind::TimedOut);
}

#[test]
fn a_device_that_is_not_there() {
    let visited = Namespaces::default().visit(None, "bandwise-none", &[]);
    assert_eq!(visited, Err(Reason("there is no device bandwise-none".into())));
}
