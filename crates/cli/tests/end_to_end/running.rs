//! [`Controller`]: a running `bandwise saba controller`.

use crate::common::Place;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A controller that runs until it is dropped, and a client of it.
pub(crate) struct Controller<'a> {
    place: &'a Place,
    child: Child,
    /// The lines of its log.
    log: Receiver<String>,
    client: u64,
    /// The number of the last request.
    number: u64,
}

impl Drop for Controller<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a> Controller<'a> {
    /// Starts a controller with the settings in `c.toml`.
    pub(crate) fn start(place: &'a Place) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bandwise"))
            .args(["saba", "controller", "--config", "c.toml"])
            .current_dir(place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("reached at")));
        // The log is read, so that the controller never blocks on it.
        let (each, log) = channel();
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| drop(each.send(line)))
        });
        let mut controller = Controller { place, child, log, client: 0, number: 0 };
        controller.client = controller.http("POST", "/v1/clients", "")["client"].as_u64().unwrap();
        controller
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id() as i32), signal).unwrap();
    }

    /// Returns the next line of the log with this text.
    pub(crate) fn logged(&self, text: &str) -> String {
        let lines = std::iter::from_fn(|| self.log.recv_timeout(Duration::from_secs(60)).ok());
        lines.into_iter().find(|line| line.contains(text)).unwrap()
    }

    /// Waits until the controller has ended, and returns its exit code.
    pub(crate) fn ended(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    fn http(&self, method: &str, path: &str, body: &str) -> Value {
        let mut stream = UnixStream::connect(self.place.path().join("socket")).unwrap();
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: c\r\nConnection: close\r\n");
        write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(body).unwrap()
    }

    pub(crate) fn ask(&mut self, request: Value) -> Value {
        self.number += 1;
        let asked = json!({ "client": self.client, "number": self.number, "request": request });
        let answer = self.http("POST", "/v1/requests", &asked.to_string());
        let until = Instant::now() + Duration::from_secs(60);
        while self.http("GET", "/v1/status", "")["settled"] != true {
            assert!(Instant::now() < until, "the controller does not settle");
            std::thread::yield_now();
        }
        answer
    }

    pub(crate) fn register(&mut self, name: &str) -> u64 {
        let answer = self.ask(json!({ "register": { "name": name } }));
        answer["application"].as_u64().unwrap()
    }

    pub(crate) fn connect(&mut self, application: u64, from: &str, to: &str) {
        self.ask(json!({ "connect": { "application": application, "from": from, "to": to } }));
    }
}
