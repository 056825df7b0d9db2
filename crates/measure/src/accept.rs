//! [`accept`]: waiting for connections, whatever fails meanwhile.

use crate::Note;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// The pause after an error that lasts, such as a lack of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits for the next connection. An error ends neither the listener nor the wait: the peer may have closed its
/// connection, or the system lack descriptors for a moment. Reports an error by `note`, once for as long as it repeats.
pub fn accept(listener: &TcpListener, note: Note) -> (TcpStream, SocketAddr) {
    until_accepted(|| listener.accept(), || thread::sleep(PAUSE), &mut |error| {
        note(format_args!("waiting for a connection: {error}; trying again"));
    })
}

fn until_accepted<T>(
    mut accept: impl FnMut() -> io::Result<T>,
    mut pause: impl FnMut(),
    report: &mut dyn FnMut(&io::Error),
) -> T {
    let mut last = None;
    loop {
        let error = match accept() {
            Ok(accepted) => return accepted,
            Err(error) => error,
        };
        // These concern one peer; the next one may be there already.
        if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::Interrupted) {
            continue;
        }
        let code = error.raw_os_error();
        if last != Some(code) {
            report(&error);
        }
        last = Some(code);
        pause();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of errors on Linux: EMFILE, ENOBUFS, ECONNABORTED.
    #[test]
    fn errors_of_accept_are_waited_out_and_reported_once() {
        let (emfile, enobufs, aborted) = (24, 105, 103);
        let mut errors = [aborted, emfile, emfile, aborted, emfile, enobufs].into_iter();
        let (mut pauses, mut reported) = (0, Vec::new());
        let accepted = until_accepted(
            || errors.next().map_or(Ok("a peer"), |code| Err(io::Error::from_raw_os_error(code))),
            || pauses += 1,
            &mut |error| reported.push(error.raw_os_error().unwrap()),
        );
        assert_eq!((accepted, pauses, reported), ("a peer", 4, vec![emfile, enobufs]));
    }
}
