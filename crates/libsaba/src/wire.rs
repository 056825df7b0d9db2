//! [`Wire`]: HTTP/1.1 to a controller, one request after another, and never for longer than somebody would wait.

use crate::Place;
use crate::tls::{Tls, TlsStream, last_words};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How long the controller may take to be there, and to say something.
const PATIENCE: Duration = Duration::from_secs(2);

/// The longest answer, in bytes.
const LONGEST: u64 = 1 << 20;

/// A connection, made when it is needed.
#[derive(Debug)]
pub(crate) struct Wire {
    place: Place,
    /// There is one where the place needs it.
    tls: Option<Tls>,
    token: Option<String>,
    stream: Option<BufReader<Stream>>,
}

#[derive(Debug)]
enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(TlsStream),
}

impl Read for Stream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.read(to),
            Stream::Tcp(stream) => stream.read(to),
            Stream::Tls(stream) => stream.read(to),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Unix(_) | Stream::Tcp(_) => Ok(()),
            Stream::Tls(stream) => stream.flush(),
        }
    }
}

impl Stream {
    fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        let said = self.write_all(bytes).and_then(|()| self.flush());
        said.map_err(|error| match self {
            Stream::Tls(stream) => last_words(stream, error),
            Stream::Unix(_) | Stream::Tcp(_) => error,
        })
    }
}

impl Wire {
    pub(crate) fn new(place: Place, tls: Option<Tls>, token: Option<String>) -> Self {
        Wire { place, tls, token, stream: None }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// The status of an answer and what stands in it, or why there is none. A connection that was kept open may have
    /// been closed meanwhile: then it is tried once more on a new one, which is why only what may be said twice is said
    /// here.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        body: &str,
    ) -> Result<(u16, Value), String> {
        let was_open = self.stream.is_some();
        let answer = match self.once(method, path, body) {
            Err(error) if was_open && error.kind() != ErrorKind::WouldBlock => {
                self.once(method, path, body)
            }
            answer => answer,
        };
        answer.map_err(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                format!("nothing is heard for {} s", PATIENCE.as_secs())
            }
            ErrorKind::UnexpectedEof => "it closes the connection".to_owned(),
            _ => {
                let why = self.tls.as_ref().and_then(|tls| tls.why(&error));
                why.unwrap_or_else(|| error.to_string())
            }
        })
    }

    fn once(&mut self, method: &str, path: &str, body: &str) -> io::Result<(u16, Value)> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(connect(&self.place, self.tls.as_ref())?),
        };
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: controller\r\n");
        if let Some(token) = &self.token {
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.get_mut().say(head.as_bytes())?;
        let (status, body, stays) = answer(&mut stream)?;
        // Who can't do it may be about to end, and another come in its place.
        if stays && status < 500 {
            self.stream = Some(stream);
        }
        Ok((status, body))
    }
}

fn connect(place: &Place, tls: Option<&Tls>) -> io::Result<Stream> {
    match (place, tls) {
        (Place::Unix(path), _) => {
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok(Stream::Unix(stream))
        }
        (Place::Tls(host), Some(tls)) => Ok(Stream::Tls(tls.over(host, tcp(host)?)?)),
        (Place::Tls(_), None) => Err(ErrorKind::InvalidInput.into()),
        (Place::Tcp(host), _) => Ok(Stream::Tcp(tcp(host)?)),
    }
}

fn tcp(host: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::from(ErrorKind::NotFound);
    for address in host.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Reads an answer as a controller gives it: with a length. Whether another can follow.
fn answer(from: &mut impl BufRead) -> io::Result<(u16, Value, bool)> {
    let strange =
        || io::Error::new(ErrorKind::InvalidData, "an answer that is not HTTP/1.1 with a length");
    let mut from = from.take(LONGEST);
    let line = |from: &mut dyn BufRead| -> io::Result<String> {
        let mut line = String::new();
        match from.read_line(&mut line)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ if !line.ends_with('\n') => Err(strange()),
            _ => Ok(line.trim_end().to_owned()),
        }
    };
    let first = line(&mut from)?;
    let status = first.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    let status = status.and_then(|status| status.parse().ok()).ok_or_else(strange)?;
    let (mut length, mut stays) = (None, true);
    loop {
        let header = line(&mut from)?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or_else(strange)?;
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse::<u64>().ok(),
            "connection" => stays = !value.trim().eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let length = length.filter(|length| *length <= LONGEST).ok_or_else(strange)?;
    let mut body = vec![0; length as usize];
    from.read_exact(&mut body)?;
    let body = if body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&body) };
    Ok((status, body.map_err(|_| strange())?, stays))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_one_after_another_and_others_refused() {
        let two = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}HTTP/1.1 503 x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let mut two = &two[..];
        let (status, body, stays) = answer(&mut two).unwrap();
        assert_eq!((status, &body["a"], stays), (200, &Value::from(1), true));
        assert_eq!(answer(&mut two).unwrap(), (503, Value::Null, false));
        assert_eq!(answer(&mut two).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        let wrong = [
            "HTTP/1.0 200 OK\r\n\r\n",
            "SSH-2.0\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{",
            "HTTP/1.1 20",
            "HTTP/1.1 200 OK\r\nnothing\r\n\r\n",
        ];
        for text in wrong {
            assert!(answer(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
