//! [`Inbox`]: what comes, from any connection or thread, in one line; [`Wire`]: a connection to say something on.

use bandwise_units::Time;
use bandwise_verbs::Clock;
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// How long a line may take to be sent: the system takes it at once, unless nobody reads at the other end.
const SENDING: Duration = Duration::from_secs(1);
/// A connection that says nothing for so long is of nobody any more; who is still there is asked for the clock
/// twice a second.
const READING: Duration = Duration::from_secs(5);
/// What waits to be looked at; who sends more is not read until there is room.
const ROOM: usize = 64;

/// What came over a connection.
#[derive(Debug)]
pub(super) enum Came {
    /// Bytes, and when they were there.
    Bytes(Vec<u8>, Time),
    /// It has ended, and why.
    Gone(String),
}

/// What comes.
pub(super) struct Inbox<T> {
    sender: SyncSender<T>,
    receiver: Receiver<T>,
}

impl<T: Send + 'static> Inbox<T> {
    pub(super) fn new() -> Self {
        let (sender, receiver) = sync_channel(ROOM);
        Inbox { sender, receiver }
    }

    /// For who puts something in.
    pub(super) fn sender(&self) -> SyncSender<T> {
        self.sender.clone()
    }

    /// The next that comes; `None` if nothing has come for so long.
    pub(super) fn wait(&self, at_most: Time) -> Option<T> {
        match self.receiver.recv_timeout(Duration::from_nanos(at_most.as_ps() / 1_000)) {
            Ok(came) => Some(came),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => unreachable!("a sender is in the inbox itself"),
        }
    }
}

/// A connection, to say something on.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    is_closed: Arc<AtomicBool>,
}

impl Wire {
    /// A connection that is there. What it says is put in an inbox, in the form that `of` gives it, by a thread of
    /// its own.
    pub(super) fn open<T: Send + 'static>(
        stream: TcpStream,
        clock: impl Clock + Send + 'static,
        inbox: SyncSender<T>,
        of: impl Fn(Came) -> T + Send + 'static,
    ) -> io::Result<Wire> {
        let socket = SockRef::from(&stream);
        // A host that is gone without a word: the system finds out, and READING before it.
        socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(READING))?;
        socket.set_tcp_nodelay(true)?;
        stream.set_write_timeout(Some(SENDING))?;
        stream.set_read_timeout(Some(READING))?;
        let is_closed = Arc::new(AtomicBool::new(false));
        let (mut reads, ends) = (stream.try_clone()?, Arc::clone(&is_closed));
        thread::Builder::new().name("connection".into()).spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                let came = match reads.read(&mut buffer) {
                    Ok(0) => Came::Gone("it closed the connection".to_owned()),
                    Ok(n) => Came::Bytes(buffer[..n].to_vec(), clock.now()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => Came::Gone(format!("the connection is lost: {error}")),
                };
                let is_last = matches!(came, Came::Gone(_));
                if ends.load(Relaxed) || inbox.send(of(came)).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(Wire { stream, is_closed })
    }

    /// Says something.
    pub(super) fn send(&mut self, line: &str) -> io::Result<()> {
        self.stream.write_all(line.as_bytes())
    }
}

/// What was said is still sent; nothing more is read.
impl Drop for Wire {
    fn drop(&mut self) {
        self.is_closed.store(true, Relaxed);
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
