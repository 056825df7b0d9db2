//! [`Control`]: the connection over which two sides agree.

use bandwise_session::{Beat, Lines, Message, MessageError, Pulse};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// Why two sides can't agree, or no longer do.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// It has gone without a word.
    #[error("the other side is gone: it closed the connection")]
    Closed,
    /// It says nothing.
    #[error("the other side said nothing for {0:?}: it hangs, or measures with somebody else")]
    Silent(Duration),
    /// Its host answers, and its program has stopped.
    #[error(
        "the other side has said nothing for {0:?}: its program was stopped (SIGSTOP), or its host hangs"
    )]
    Hangs(Duration),
    /// Neither it nor its host answers any longer.
    #[error("the other side is gone: its host answers nothing, or the network between is down")]
    Lost,
    /// The connection has failed.
    #[error("the other side is gone: {0}")]
    Broken(io::Error),
    /// What it says is not understood.
    #[error(transparent)]
    Message(#[from] MessageError),
}

/// How long the other side may take to answer before the measurement, and to be given up when the network has
/// lost it.
const PATIENCE: Duration = Duration::from_secs(4);
/// When the system asks whether a silent other side is still there, how often, and how many times: 4 s in all.
const ASK_AFTER: Duration = Duration::from_secs(1);
const ASKED: u32 = 3;
/// How often [`Watched::look`] looks. It takes a system call, which may delay a measured message by a microsecond.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The connection before the measurement.
#[derive(Debug)]
pub struct Control {
    stream: TcpStream,
    lines: Lines,
    patience: Duration,
}

impl Control {
    /// Takes a connection that is there.
    pub fn over(stream: TcpStream) -> Result<Control, ControlError> {
        Control::with_patience(stream, PATIENCE)
    }

    /// The same, but for how long it waits for an answer.
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

    /// Says something.
    pub fn send(&mut self, message: &Message) -> Result<(), ControlError> {
        self.stream.write_all(message.encode().as_bytes()).map_err(|e| self.broken(e))
    }

    /// Waits for what the other side says.
    pub fn receive(&mut self) -> Result<Message, ControlError> {
        let until = Instant::now() + self.patience;
        loop {
            match self.lines.next_message() {
                // Said during the measurement before.
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

    /// The connection while something is measured.
    pub fn watch(self) -> Result<Watched, ControlError> {
        self.stream.set_nonblocking(true).map_err(ControlError::Broken)?;
        let (began, alive) = (Instant::now(), Message::Alive.encode());
        Ok(Watched { control: self, alive, began, looked: began, pulse: Pulse::default() })
    }

    /// While nobody waits for an answer a time-out is the system's, after all its questions.
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

/// Reads what there is, or waits as long as the socket does.
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

/// The connection during the measurement.
///
/// Who measures says itself that it is there, over this connection: the system would answer for a program that is
/// stopped, and so would a device, whose memory takes WRITEs as before.
#[derive(Debug)]
pub struct Watched {
    control: Control,
    /// That this side is there, as it is written.
    alive: String,
    began: Instant,
    looked: Instant,
    pulse: Pulse,
}

impl Watched {
    /// What the other side has said, or that it is gone; `None` while it only measures. It returns at once, and
    /// looks ten times a second, however often it is called.
    pub fn look(&mut self) -> Option<Result<Message, ControlError>> {
        if self.looked.elapsed() < LOOK_EVERY {
            return None;
        }
        self.look_now()
    }

    /// The same, at once: after a failure that the other side may explain.
    pub fn look_now(&mut self) -> Option<Result<Message, ControlError>> {
        self.looked = Instant::now();
        let now = self.looked - self.began;
        let Control { stream, lines, .. } = &mut self.control;
        let came = read(stream, lines);
        if came.is_ok() {
            self.pulse.heard(now);
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
        match self.pulse.beat(now) {
            Beat::Pause => None,
            Beat::Silent(silent) => Some(Err(ControlError::Hangs(silent))),
            Beat::Say => self.say().err().map(|error| Err(self.control.lost(error))),
        }
    }

    /// Says that this side is there. Who doesn't take it will be found silent.
    fn say(&mut self) -> io::Result<()> {
        match self.control.stream.write(self.alive.as_bytes()) {
            Ok(written) if written == self.alive.len() => Ok(()),
            Ok(_) => Err(ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// What can be read when the other side has said something, or is gone.
    pub fn readable(&self) -> Result<OwnedFd, ControlError> {
        self.control.stream.try_clone().map(OwnedFd::from).map_err(ControlError::Broken)
    }

    /// The connection after the measurement, for another one.
    pub fn unwatch(self) -> Result<Control, ControlError> {
        self.control.stream.set_nonblocking(false).map_err(ControlError::Broken)?;
        Ok(self.control)
    }

    /// Says a last thing. Nobody has to be there to hear it.
    pub fn end(self, message: &Message) {
        if let Ok(mut control) = self.unwatch() {
            let _ = control.send(message);
        }
    }
}
