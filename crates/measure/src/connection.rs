//! [`Connection`]: a connection between coordinator and agent; [`Inbox`]: one queue of events from
//! connections and threads.

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

/// The time limit for sending a line. The system accepts a line at once unless the peer does not
/// read.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);
/// The silence after which a connection counts as lost. A live peer answers requests for its clock
/// twice a second.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The capacity of the queue. Connections are not read while it is full.
const CAPACITY: usize = 64;

/// An event of a connection.
#[derive(Debug)]
pub enum Received {
    /// Received bytes, and the time of reception.
    Bytes(Vec<u8>, Time),
    /// The connection ended for this reason.
    Closed(String),
}

/// A bounded queue of events.
#[derive(Debug)]
pub struct Inbox<T> {
    sender: SyncSender<T>,
    receiver: Receiver<T>,
}

impl<T: Send + 'static> Default for Inbox<T> {
    fn default() -> Self {
        Inbox::new()
    }
}

impl<T: Send + 'static> Inbox<T> {
    /// Makes an empty queue.
    pub fn new() -> Self {
        let (sender, receiver) = sync_channel(CAPACITY);
        Inbox { sender, receiver }
    }

    /// Returns a sender into the queue.
    pub fn sender(&self) -> SyncSender<T> {
        self.sender.clone()
    }

    /// Waits for the next event; returns `None` after `at_most` without one.
    pub fn wait(&self, at_most: Time) -> Option<T> {
        match self.receiver.recv_timeout(Duration::from_nanos(at_most.as_ps() / 1_000)) {
            Ok(received) => Some(received),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => unreachable!("the inbox holds a sender"),
        }
    }
}

/// A connection that can be written.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    is_closed: Arc<AtomicBool>,
}

impl Connection {
    /// Takes over a connection. A thread reads it and puts events into `inbox`, converted by `of`.
    ///
    /// # Errors
    ///
    /// Returns an error if a socket option can't be set or no thread can be started.
    pub fn open<T: Send + 'static>(
        stream: TcpStream,
        clock: impl Clock + Send + 'static,
        inbox: SyncSender<T>,
        of: impl Fn(Received) -> T + Send + 'static,
    ) -> io::Result<Connection> {
        let socket = SockRef::from(&stream);
        // Detects a dead host, which does not close the connection; the read timeout comes first.
        socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(READ_TIMEOUT))?;
        socket.set_tcp_nodelay(true)?;
        stream.set_write_timeout(Some(SEND_TIMEOUT))?;
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        let is_closed = Arc::new(AtomicBool::new(false));
        let (mut reads, ends) = (stream.try_clone()?, Arc::clone(&is_closed));
        thread::Builder::new().name("connection".into()).spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                let received = match reads.read(&mut buffer) {
                    Ok(0) => Received::Closed("it closed the connection".to_owned()),
                    Ok(n) => Received::Bytes(buffer[..n].to_vec(), clock.now()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => Received::Closed(format!("the connection is lost: {error}")),
                };
                let is_last = matches!(received, Received::Closed(_));
                if ends.load(Relaxed) || inbox.send(of(received)).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(Connection { stream, is_closed })
    }

    /// Sends a line.
    ///
    /// # Errors
    ///
    /// Returns an error if the peer has closed the connection or does not read for 1 s.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        self.stream.write_all(line.as_bytes())
    }
}

/// Closes the connection. The system still sends written lines; nothing more is read.
impl Drop for Connection {
    fn drop(&mut self) {
        self.is_closed.store(true, Relaxed);
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
