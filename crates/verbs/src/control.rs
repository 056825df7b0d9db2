//! [`Control`]: the connection over which two sides agree on a measurement.

use bandwise_session::{Beat, Lines, Message, MessageError, Pulse};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// The reason for which the connection of two sides has failed.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// The other side has closed the connection without a message.
    #[error("the other side is gone: it closed the connection")]
    Closed,
    /// The other side does not answer.
    #[error("the other side has been silent for {0:?}: it hangs, or measures with another client")]
    Silent(Duration),
    /// The host of the other side responds, but its program does not.
    #[error(
        "the other side has been silent for {0:?}: its program was stopped (SIGSTOP), or its host hangs"
    )]
    Hangs(Duration),
    /// Neither the program nor the host of the other side responds.
    #[error("the other side is lost: its host does not respond, or the network is down")]
    Lost,
    /// The other side has had its time.
    #[error("the time for one client is over (--longest of the server)")]
    Over,
    /// The connection has failed.
    #[error("the other side is gone: {0}")]
    Broken(io::Error),
    /// A message is invalid.
    #[error(transparent)]
    Message(#[from] MessageError),
}

/// The time for an answer before the measurement, and for detecting a lost network.
const PATIENCE: Duration = Duration::from_secs(4);
/// The delay, interval and number of the system's keep-alive probes: 4 s in all.
const ASK_AFTER: Duration = Duration::from_secs(1);
const ASKED: u32 = 3;
/// The interval of checks by [`Watched::look`]. A check is a system call, which may delay a measured message by a
/// microsecond.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The connection before a measurement.
#[derive(Debug)]
pub struct Control {
    stream: TcpStream,
    lines: Lines,
    patience: Duration,
}

impl Control {
    /// Wraps an open connection.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if the connection's options can't be set.
    pub fn over(stream: TcpStream) -> Result<Control, ControlError> {
        Control::with_patience(stream, PATIENCE)
    }

    /// Wraps an open connection, with another time for answers.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if the connection's options can't be set.
    pub fn with_patience(stream: TcpStream, patience: Duration) -> Result<Control, ControlError> {
        let keepalive =
            TcpKeepalive::new().with_time(ASK_AFTER).with_interval(ASK_AFTER).with_retries(ASKED);
        let socket = SockRef::from(&stream);
        socket
            .set_tcp_nodelay(true)
            .and_then(|()| socket.set_tcp_keepalive(&keepalive))
            .and_then(|()| socket.set_tcp_user_timeout(Some(PATIENCE)))
            .and_then(|()| stream.set_write_timeout(Some(patience)))
            .map_err(ControlError::Broken)?;
        Ok(Control { stream, lines: Lines::default(), patience })
    }

    /// Returns the addresses of the other side and of this one.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if the other side has closed the connection.
    pub fn ends(&self) -> Result<(IpAddr, IpAddr), ControlError> {
        let ends = self.stream.peer_addr().and_then(|peer| Ok((peer, self.stream.local_addr()?)));
        ends.map(|(peer, here)| (peer.ip(), here.ip())).map_err(|error| self.broken(error))
    }

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if the connection has failed.
    pub fn send(&mut self, message: &Message) -> Result<(), ControlError> {
        self.stream.write_all(message.encode().as_bytes()).map_err(|e| self.broken(e))
    }

    /// Waits for a message.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if none arrives, or an invalid one.
    pub fn receive(&mut self) -> Result<Message, ControlError> {
        let until = Instant::now() + self.patience;
        loop {
            match self.lines.next_message() {
                // A heartbeat of the measurement before.
                Some(Ok(Message::Alive)) => continue,
                Some(message) => return Ok(message?),
                None => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ControlError::Silent(self.patience));
            }
            self.stream.set_read_timeout(Some(left)).map_err(ControlError::Broken)?;
            read(&mut self.stream, &mut self.lines).map_err(|e| self.broken(e))?;
        }
    }

    /// Starts the heartbeats of a measurement.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if the connection's options can't be set.
    pub fn watch(self) -> Result<Watched, ControlError> {
        self.stream.set_nonblocking(true).map_err(ControlError::Broken)?;
        let (began, alive) = (Instant::now(), Message::Alive.encode());
        Ok(Watched {
            control: self,
            alive,
            began,
            looked: began,
            pulse: Pulse::default(),
            until: None,
        })
    }

    /// Converts an error during a measurement: a timeout then comes from the system, after all its
    /// probes.
    fn lost(&self, error: io::Error) -> ControlError {
        match error.kind() {
            ErrorKind::TimedOut => ControlError::Lost,
            _ => self.broken(error),
        }
    }

    fn broken(&self, error: io::Error) -> ControlError {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => ControlError::Silent(self.patience),
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
                ControlError::Closed
            }
            _ => ControlError::Broken(error),
        }
    }
}

/// Reads the available bytes, or waits for the timeout of the socket.
fn read(stream: &mut TcpStream, lines: &mut Lines) -> io::Result<()> {
    let mut buffer = [0; 4096];
    match stream.read(&mut buffer) {
        Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
        Ok(n) => {
            lines.push(&buffer[..n]);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
        Err(error) => Err(error),
    }
}

/// The connection during a measurement.
///
/// The measuring program itself sends heartbeats: the system, and a device whose memory takes WRITEs, respond even for
/// a stopped program.
#[derive(Debug)]
pub struct Watched {
    control: Control,
    /// The line of a heartbeat.
    alive: String,
    began: Instant,
    looked: Instant,
    pulse: Pulse,
    until: Option<Instant>,
}

impl Watched {
    /// Sets the end of the measurement, however lively the other side is.
    #[must_use]
    pub fn until(self, end: Instant) -> Watched {
        Watched { until: Some(end), ..self }
    }

    /// Returns a message of the other side, or its failure; `None` if it only measures. Returns at once, and checks ten
    /// times a second, however often it is called.
    pub fn look(&mut self) -> Option<Result<Message, ControlError>> {
        if self.looked.elapsed() < LOOK_EVERY {
            return None;
        }
        self.look_now()
    }

    /// Checks at once: after a failure that the other side may explain.
    pub fn look_now(&mut self) -> Option<Result<Message, ControlError>> {
        self.looked = Instant::now();
        let now = self.looked - self.began;
        let Control { stream, lines, .. } = &mut self.control;
        let came = read(stream, lines);
        if came.is_ok() {
            self.pulse.received(now);
        }
        while let Some(message) = lines.next_message() {
            match message {
                Ok(Message::Alive) => {}
                other => return Some(other.map_err(ControlError::from)),
            }
        }
        match came {
            Err(error) if error.kind() != ErrorKind::WouldBlock => {
                return Some(Err(self.control.lost(error)));
            }
            _ => {}
        }
        if self.until.is_some_and(|until| until <= self.looked) {
            return Some(Err(ControlError::Over));
        }
        match self.pulse.beat(now) {
            Beat::Nothing => None,
            Beat::Silent(silent) => Some(Err(ControlError::Hangs(silent))),
            Beat::Send => self.say().err().map(|error| Err(self.control.lost(error))),
        }
    }

    /// Sends a heartbeat. A peer that does not receive it is later reported as silent.
    fn say(&mut self) -> io::Result<()> {
        match self.control.stream.write(self.alive.as_bytes()) {
            Ok(written) if written == self.alive.len() => Ok(()),
            Ok(_) => Err(ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns a descriptor that is readable when a message arrives or the connection ends.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if the descriptor can't be duplicated.
    pub fn readable(&self) -> Result<OwnedFd, ControlError> {
        self.control.stream.try_clone().map(OwnedFd::from).map_err(ControlError::Broken)
    }

    /// Ends the heartbeats, for another measurement.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if the connection's options can't be set.
    pub fn unwatch(self) -> Result<Control, ControlError> {
        self.control.stream.set_nonblocking(false).map_err(ControlError::Broken)?;
        Ok(self.control)
    }

    /// Sends a last message, which the peer may not receive.
    pub fn end(self, message: &Message) {
        if let Ok(mut control) = self.unwatch() {
            let _ = control.send(message);
        }
    }
}
