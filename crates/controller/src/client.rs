//! A client of the local HTTP interface, for the documents of a controller.

use crate::http::{ConnectionsDocument, StatusDocument};
use crate::settings::Listen;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The longest time for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest answer in MiB: several times that of all connections of one caller.
const LONGEST_MIB: u64 = 128;

/// An error of a request to a controller.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection failed.
    #[error("no controller answers at {place}")]
    NoAnswer {
        /// The address.
        place: Listen,
        /// The error of the operating system.
        source: io::Error,
    },
    /// No answer came in time.
    #[error("the controller at {0} did not answer within 10 s")]
    Silent(Listen),
    /// The answer has no end, or is longer than any of a controller.
    #[error("the answer of {0} has more than {LONGEST_MIB} MiB: not a controller")]
    TooLong(Listen),
    /// The answer is not HTTP.
    #[error("what answers at {0} does not speak HTTP")]
    NotHttp(Listen),
    /// The answer's body is not JSON.
    #[error("the server at {place} is not a controller")]
    NotJson {
        /// The address.
        place: Listen,
        /// The error of the reader.
        source: serde_json::Error,
    },
    /// The document lacks a field, or has one of another type.
    #[error("the controller's answer to {path} can't be read")]
    OtherDocument {
        /// The path.
        path: &'static str,
        /// The error of the reader.
        source: serde_json::Error,
    },
    /// The controller refused, for this reason.
    #[error("{0}")]
    Refused(String),
}

/// Returns the controller's state, without single connections.
///
/// # Errors
///
/// Returns an error if no controller answers within 10 s, if it refuses, or if its version has
/// another document.
pub fn status(listen: &Listen) -> Result<StatusDocument, ClientError> {
    document(listen, "/v1/status")
}

/// Returns the controller's connections.
///
/// # Errors
///
/// Returns an error if no controller answers within 10 s, if it refuses, or if its version has
/// another document.
pub fn connections(listen: &Listen) -> Result<ConnectionsDocument, ClientError> {
    document(listen, "/v1/connections")
}

/// Ends all clients of the controller.
///
/// # Errors
///
/// Returns an error if no controller answers within 10 s, or if it refuses.
pub fn reset(listen: &Listen) -> Result<(), ClientError> {
    ask(listen, "POST", "/v1/reset").map(drop)
}

fn document<T: DeserializeOwned>(listen: &Listen, path: &'static str) -> Result<T, ClientError> {
    serde_json::from_value(ask(listen, "GET", path)?)
        .map_err(|source| ClientError::OtherDocument { path, source })
}

/// Returns the answer to a request without a body to a controller's HTTP interface.
fn ask(listen: &Listen, method: &str, path: &str) -> Result<Value, ClientError> {
    // In HTTP/1.0 the end of the connection ends an answer, also a long one.
    let request = format!("{method} {path} HTTP/1.0\r\nHost: controller\r\n\r\n");
    let answer = exchange(listen, &request, TIMEOUT, LONGEST_MIB << 20)?;
    let (head, body) =
        answer.split_once("\r\n\r\n").ok_or_else(|| ClientError::NotHttp(listen.clone()))?;
    let body: Value = serde_json::from_str(body)
        .map_err(|source| ClientError::NotJson { place: listen.clone(), source })?;
    match head.split(' ').nth(1) {
        Some("200") => Ok(body),
        _ => {
            let reason = body["error"].as_str().unwrap_or("the controller refused");
            Err(ClientError::Refused(reason.to_owned()))
        }
    }
}

/// Sends a request and returns the whole response of up to `most` bytes.
fn exchange(
    listen: &Listen,
    request: &str,
    timeout: Duration,
    most: u64,
) -> Result<String, ClientError> {
    let answer = match listen {
        Listen::Unix { path, .. } => UnixStream::connect(path).and_then(|stream| {
            stream.set_read_timeout(Some(timeout))?;
            send(stream, request, most)
        }),
        Listen::Loopback(address) => {
            TcpStream::connect_timeout(address, timeout).and_then(|stream| {
                stream.set_read_timeout(Some(timeout))?;
                send(stream, request, most)
            })
        }
    };
    let answer = answer.map_err(|source| match source.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => ClientError::Silent(listen.clone()),
        _ => ClientError::NoAnswer { place: listen.clone(), source },
    })?;
    if answer.len() as u64 > most {
        return Err(ClientError::TooLong(listen.clone()));
    }
    String::from_utf8(answer).map_err(|_| ClientError::NotHttp(listen.clone()))
}

/// Sends a request and returns the bytes of the response, one more than `most` at most.
fn send(mut stream: impl Read + Write, request: &str, most: u64) -> io::Result<Vec<u8>> {
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(most + 1).read_to_end(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Returns the error of a request to a server that sends these bytes and leaves the connection open.
    fn error_of(sent: &'static [u8]) -> ClientError {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = Listen::Loopback(listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(sent).unwrap();
            stream
        });
        let request = "GET /v1/status HTTP/1.0\r\n\r\n";
        let error = exchange(&listen, request, Duration::from_millis(200), 8).unwrap_err();
        drop(server.join().unwrap());
        error
    }

    #[test]
    fn silent_controller_is_named() {
        let error = error_of(b"");
        assert!(matches!(error, ClientError::Silent(_)), "{error}");
    }

    #[test]
    fn endless_answer_is_refused_at_its_limit() {
        let error = error_of(b"123456789");
        assert!(matches!(error, ClientError::TooLong(_)), "{error}");
        assert!(error.to_string().ends_with("has more than 128 MiB: not a controller"));
    }
}
