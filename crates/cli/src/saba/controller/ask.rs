//! One question to a controller over HTTP.

use anyhow::{Context, Result, bail};
use bandwise_controller::settings::Listen;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What stands at a path of its HTTP.
pub fn get(listen: &Listen, path: &str) -> Result<Value> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: controller\r\nConnection: close\r\n\r\n");
    let (place, answer) = match listen {
        Listen::Unix { path: socket, .. } => {
            let place = format!("unix:{}", socket.display());
            let exchange = || {
                let stream = UnixStream::connect(socket)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                exchange(stream, &request)
            };
            (place, exchange())
        }
        Listen::Loopback(address) => {
            let exchange = || {
                let stream = TcpStream::connect_timeout(address, PATIENCE)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                exchange(stream, &request)
            };
            (format!("http://{address}"), exchange())
        }
    };
    let answer = answer.with_context(|| format!("no controller answers at {place}"))?;
    let Some((head, body)) = answer.split_once("\r\n\r\n") else {
        bail!("what answers at {place} does not speak HTTP");
    };
    let status = head.split(' ').nth(1).unwrap_or_default();
    let body = serde_json::from_str(body);
    let body: Value = body.with_context(|| format!("what answers at {place} is no controller"))?;
    match status {
        "200" => Ok(body),
        _ => bail!("{}", body["error"].as_str().unwrap_or("the controller refused")),
    }
}

fn exchange(mut stream: impl Read + Write, request: &str) -> std::io::Result<String> {
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
