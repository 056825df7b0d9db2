//! A client of a controller, with one connection to the socket for the whole session, as the client
//! library has.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client with an open session.
pub(super) struct Client {
    stream: BufReader<UnixStream>,
    client: u64,
    number: u64,
}

impl Client {
    /// Opens a session.
    pub(super) fn hello(socket: &Path) -> Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut client = Client { stream: BufReader::new(stream), client: 0, number: 0 };
        let welcome = client.post("/v1/clients", "")?;
        client.client = id(&welcome, "client")?;
        Ok(client)
    }

    /// Registers an application and returns its number.
    pub(super) fn register(&mut self, name: &str) -> Result<u64> {
        id(&self.ask(&json!({ "register": { "name": name } }))?, "application")
    }

    /// Makes a connection and returns its number.
    pub(super) fn connect(&mut self, application: u64, from: &str, to: &str) -> Result<u64> {
        let request = json!({ "connect": { "application": application, "from": from, "to": to } });
        id(&self.ask(&request)?, "connection")
    }

    /// Closes a connection.
    pub(super) fn close(&mut self, connection: u64) -> Result<()> {
        self.ask(&json!({ "close": { "connection": connection } })).map(drop)
    }

    fn ask(&mut self, request: &Value) -> Result<Value> {
        let number = self.number;
        self.number += 1;
        let request = json!({
            "client": self.client, "number": number, "acknowledged_below": number, "request": request,
        });
        self.post("/v1/requests", &request.to_string())
    }

    fn post(&mut self, path: &str, body: &str) -> Result<Value> {
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: controller\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (String::new(), 0);
        self.stream.read_line(&mut status)?;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().context("an answer of the controller")?;
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        if status.split(' ').nth(1) != Some("200") {
            bail!("the controller refused: {}", String::from_utf8_lossy(&answer));
        }
        Ok(serde_json::from_slice(&answer)?)
    }
}

fn id(answer: &Value, of: &str) -> Result<u64> {
    answer[of].as_u64().with_context(|| format!("the controller answers without {of}: {answer}"))
}
