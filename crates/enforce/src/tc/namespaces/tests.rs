use super::*;

/// A wire whose kernel answers on a signal, with the error that the device is missing.
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
fn hanging_kernel_request_times_out_and_later_requests_succeed() {
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
    // The late answer to the first request is discarded.
    let answer = loop {
        match worker.ask(visit(), LONG) {
            Err(Reason(reason)) if reason == busy => std::thread::yield_now(),
            answer => break answer,
        }
    };
    assert_eq!((answer, worker.given_up), (no_device(), 0));
}

#[test]
fn failed_socket_open_is_retried() {
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
fn missing_namespace_is_refused() {
    let visited = Namespaces::default().visit(Some("bandwise-none-there"), "h1", &[]);
    let reason = "there is no network namespace bandwise-none-there";
    assert_eq!(visited, Err(Reason(reason.into())));
}

#[test]
fn socket_times_out_at_its_deadline() {
    let mut socket = Socket::open().unwrap();
    socket.until(Instant::now());
    assert_eq!(socket.send(&[]).unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(socket.receive().unwrap_err().kind(), io::ErrorKind::TimedOut);
}

#[test]
fn missing_device_is_refused() {
    let visited = Namespaces::default().visit(None, "bandwise-none", &[]);
    assert_eq!(visited, Err(Reason("there is no device bandwise-none".into())));
}
