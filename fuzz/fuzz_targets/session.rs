//! Fuzzes the session protocol of measuring hosts. Bytes in any pieces give the same messages, or the same error; a
//! message can be written and read again; a task gives a plan or a reason against it.
#![no_main]

use bandwise_session::{Lines, Message, MessageError, Part};
use libfuzzer_sys::fuzz_target;

/// Returns all messages of bytes that arrive in pieces of a given size, and the error at which decoding ended.
fn read(bytes: &[u8], part: usize) -> (Vec<Message>, Option<MessageError>) {
    let (mut lines, mut messages) = (Lines::default(), Vec::new());
    for part in bytes.chunks(part) {
        lines.push(part);
        while let Some(next) = lines.next_message() {
            match next {
                Ok(message) => messages.push(message),
                Err(error) => return (messages, Some(error)),
            }
        }
    }
    (messages, None)
}

fuzz_target!(|data: &[u8]| {
    let (messages, error) = read(data, 4096);
    assert_eq!(read(data, 7), (messages.clone(), error.clone()));
    if let Some(error) = error {
        assert!(!error.to_string().is_empty());
    }
    for message in &messages {
        if let Message::Ask { task, .. } = message {
            for part in [Part::Client, Part::Server] {
                if let Err(error) = task.plan(part) {
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    let written: String = messages.iter().map(Message::encode).collect();
    assert_eq!(read(written.as_bytes(), 4096), (messages, None));
});
