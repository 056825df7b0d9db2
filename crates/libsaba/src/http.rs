//! [`HttpConnection`]: HTTP/1.1 to a controller, with one request at a time and a timeout.

use crate::Endpoint;
use crate::tls::{Tls, TlsStream, last_words};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The timeout of connecting, and of each read and write.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The longest response, in bytes.
const MAX_RESPONSE: u64 = 1 << 20;

/// A connection that the first request opens.
#[derive(Debug)]
pub(crate) struct HttpConnection {
    endpoint: Endpoint,
    /// The TLS configuration, if the endpoint needs one.
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
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let result = self.write_all(bytes).and_then(|()| self.flush());
        result.map_err(|error| match self {
            Stream::Tls(stream) => last_words(stream, error),
            Stream::Unix(_) | Stream::Tcp(_) => error,
        })
    }
}

impl HttpConnection {
    pub(crate) fn new(endpoint: Endpoint, tls: Option<Tls>, token: Option<String>) -> Self {
        HttpConnection { endpoint, tls, token, stream: None }
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Sends a request. Returns the status and the body of the response. The controller may have
    /// closed a kept-open connection. The request is then repeated once on a new connection, so
    /// requests have to be idempotent.
    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &str,
        body: &str,
    ) -> Result<(u16, Value), String> {
        let was_open = self.stream.is_some();
        let answer = match self.exchange(method, path, body) {
            Err(error) if was_open && error.kind() != ErrorKind::WouldBlock => {
                self.exchange(method, path, body)
            }
            answer => answer,
        };
        answer.map_err(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                format!("no response in {} s", TIMEOUT.as_secs())
            }
            ErrorKind::UnexpectedEof => "the controller closed the connection".to_owned(),
            _ => {
                let why = self.tls.as_ref().and_then(|tls| tls.why(&error));
                why.unwrap_or_else(|| error.to_string())
            }
        })
    }

    fn exchange(&mut self, method: &str, path: &str, body: &str) -> io::Result<(u16, Value)> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(connect(&self.endpoint, self.tls.as_ref())?),
        };
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: controller\r\n");
        if let Some(token) = &self.token {
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        head += &format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.get_mut().send(head.as_bytes())?;
        let (status, body, is_kept_open) = answer(&mut stream)?;
        // The instance may be stopping, and another one may take its address.
        if is_kept_open && status < 500 {
            self.stream = Some(stream);
        }
        Ok((status, body))
    }
}

fn connect(endpoint: &Endpoint, tls: Option<&Tls>) -> io::Result<Stream> {
    match (endpoint, tls) {
        (Endpoint::Unix(path), _) => {
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            stream.set_write_timeout(Some(TIMEOUT))?;
            Ok(Stream::Unix(stream))
        }
        (Endpoint::Tls(host), Some(tls)) => Ok(Stream::Tls(tls.over(host, tcp(host)?)?)),
        (Endpoint::Tls(_), None) => Err(ErrorKind::InvalidInput.into()),
        (Endpoint::Tcp(host), _) => Ok(Stream::Tcp(tcp(host)?)),
    }
}

fn tcp(host: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::from(ErrorKind::NotFound);
    for address in host.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, TIMEOUT) {
            Ok(stream) => {
                stream.set_read_timeout(Some(TIMEOUT))?;
                stream.set_write_timeout(Some(TIMEOUT))?;
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
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
