//! [`HttpConnection`]: HTTP/1.1 to a controller, with one request at a time and a deadline for each.

use crate::session::HttpRequest;
use crate::socket::{Socket, is_late};
use crate::tls::{Tls, TlsStream, last_words};
use crate::{Endpoint, Resolve};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// The time for a request, from connecting to the end of the response.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(2);

/// The longest response, in bytes.
const MAX_RESPONSE: u64 = 1 << 20;

/// A connection that the first request opens.
#[derive(Debug)]
pub(crate) struct HttpConnection {
    endpoint: Endpoint,
    /// The TLS configuration, if the endpoint needs one.
    tls: Option<Tls>,
    token: Option<String>,
    /// The resolver of host names; by default the system's.
    resolve: Option<Resolve>,
    stream: Option<BufReader<Stream>>,
    /// The outstanding request was sent on a connection that was open before.
    is_reused: bool,
}

#[derive(Debug)]
enum Stream {
    Plain(Socket),
    Tls(TlsStream),
}

impl Read for Stream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.read(to),
            Stream::Tls(stream) => stream.read(to),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(stream) => stream.flush(),
            Stream::Tls(stream) => stream.flush(),
        }
    }
}

impl Stream {
    fn set_deadline(&mut self, deadline: Instant) {
        match self {
            Stream::Plain(stream) => stream.set_deadline(deadline),
            Stream::Tls(stream) => stream.sock.set_deadline(deadline),
        }
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let result = self.write_all(bytes).and_then(|()| self.flush());
        result.map_err(|error| match self {
            Stream::Tls(stream) => last_words(stream, error),
            Stream::Plain(_) => error,
        })
    }
}

impl HttpConnection {
    pub(crate) fn new(
        endpoint: Endpoint,
        tls: Option<Tls>,
        token: Option<String>,
        resolve: Option<Resolve>,
    ) -> Self {
        HttpConnection { endpoint, tls, token, resolve, stream: None, is_reused: false }
    }

    /// Returns an unopened connection to the same endpoint.
    pub(crate) fn another(&self) -> Self {
        let (endpoint, tls, token) = (&self.endpoint, &self.tls, &self.token);
        HttpConnection::new(endpoint.clone(), tls.clone(), token.clone(), self.resolve)
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Sends a request, whose response is to [`receive`](Self::receive). The controller may have closed a kept-open
    /// connection. The request is then repeated once on a new connection, so requests have to be idempotent.
    pub(crate) fn send(&mut self, request: &HttpRequest, deadline: Instant) -> Result<(), String> {
        self.is_reused = self.stream.is_some();
        let sent = match self.send_once(request, deadline) {
            Err(error) if self.is_reused && !is_late(&error) => {
                self.is_reused = false;
                self.send_once(request, deadline)
            }
            sent => sent,
        };
        sent.map_err(|error| self.describe(&error))
    }

    /// Returns the status and the body of the response to the request that was sent last.
    pub(crate) fn receive(
        &mut self,
        request: &HttpRequest,
        deadline: Instant,
    ) -> Result<(u16, Value), String> {
        let received = match self.receive_once() {
            Err(error) if self.is_reused && !is_late(&error) => {
                self.send_once(request, deadline).and_then(|()| self.receive_once())
            }
            received => received,
        };
        received.map_err(|error| self.describe(&error))
    }

    fn describe(&self, error: &io::Error) -> String {
        match error.kind() {
            _ if is_late(error) => format!("no response in {} s", TIMEOUT.as_secs()),
            ErrorKind::UnexpectedEof => "the controller closed the connection".to_owned(),
            _ => {
                let why = self.tls.as_ref().and_then(|tls| tls.why(error));
                why.unwrap_or_else(|| error.to_string())
            }
        }
    }

    fn connect(&self, deadline: Instant) -> io::Result<Stream> {
        match (&self.endpoint, &self.tls) {
            (Endpoint::Unix(path), _) => Ok(Stream::Plain(Socket::unix(path, deadline)?)),
            (Endpoint::Tcp(host), _) => {
                Ok(Stream::Plain(Socket::tcp(host, self.resolve, deadline)?))
            }
            (Endpoint::Tls(host), Some(tls)) => {
                Ok(Stream::Tls(tls.over(host, Socket::tcp(host, self.resolve, deadline)?)?))
            }
            (Endpoint::Tls(_), None) => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn send_once(&mut self, request: &HttpRequest, deadline: Instant) -> io::Result<()> {
        let HttpRequest { method, path, body, .. } = request;
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(self.connect(deadline)?),
        };
        stream.get_mut().set_deadline(deadline);
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: controller\r\n");
        if let Some(token) = &self.token {
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        head += &format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.get_mut().send(head.as_bytes())?;
        self.stream = Some(stream);
        Ok(())
    }

    fn receive_once(&mut self) -> io::Result<(u16, Value)> {
        let mut stream = self.stream.take().ok_or(ErrorKind::NotConnected)?;
        let (status, body, is_kept_open) = answer(&mut stream)?;
        // The instance may be stopping, and another one may take its address.
        if is_kept_open && status < 500 {
            self.stream = Some(stream);
        }
        Ok((status, body))
    }
}

/// Reads a response with a content length. Also returns whether the connection stays open.
fn answer(from: &mut impl BufRead) -> io::Result<(u16, Value, bool)> {
    let malformed = || {
        io::Error::new(
            ErrorKind::InvalidData,
            "a response that is not HTTP/1.1 with a content length",
        )
    };
    let mut from = from.take(MAX_RESPONSE);
    let line = |from: &mut dyn BufRead| -> io::Result<String> {
        let mut line = String::new();
        match from.read_line(&mut line)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ if !line.ends_with('\n') => Err(malformed()),
            _ => Ok(line.trim_end().to_owned()),
        }
    };
    let first = line(&mut from)?;
    let status = first.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    let status = status.and_then(|status| status.parse().ok()).ok_or_else(malformed)?;
    let (mut length, mut is_kept_open) = (None, true);
    loop {
        let header = line(&mut from)?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or_else(malformed)?;
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse::<u64>().ok(),
            "connection" => is_kept_open = !value.trim().eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let length = length.filter(|length| *length <= MAX_RESPONSE).ok_or_else(malformed)?;
    let mut body = vec![0; length as usize];
    from.read_exact(&mut body)?;
    let body = if body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&body) };
    Ok((status, body.map_err(|_| malformed())?, is_kept_open))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_in_sequence_and_invalid_ones_refused() {
        let two = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}HTTP/1.1 503 x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let mut two = &two[..];
        let (status, body, is_kept_open) = answer(&mut two).unwrap();
        assert_eq!((status, &body["a"], is_kept_open), (200, &Value::from(1), true));
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
