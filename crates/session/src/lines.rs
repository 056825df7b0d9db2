//! [`Lines`]: the lines of a byte stream.

use crate::{Message, MessageError};

/// The longest accepted line, in bytes. A thousand queue pairs take 40,000.
pub const LONGEST_LINE: usize = 1 << 16;

/// Received bytes that are not read yet. It does no I/O.
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// The offset before which no line ends.
    searched: usize,
}

impl Lines {
    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next message; `None` if its line is incomplete. After an error the stream is unusable.
    pub fn next_message(&mut self) -> Option<Result<Message, MessageError>> {
        self.next_line().map(|line| Message::decode(&line?))
    }

    /// Returns the next line without its end, for protocols with other messages.
    pub fn next_line(&mut self) -> Option<Result<Vec<u8>, MessageError>> {
        let end = self.bytes[self.searched..].iter().position(|&byte| byte == b'\n');
        match end.map(|end| self.searched + end) {
            Some(end) if end <= LONGEST_LINE => {
                let line = self.bytes[..end].to_vec();
                self.bytes.drain(..=end);
                self.searched = 0;
                Some(Ok(line))
            }
            None if self.bytes.len() <= LONGEST_LINE => {
                self.searched = self.bytes.len();
                None
            }
            _ => Some(Err(MessageError::TooLong(LONGEST_LINE))),
        }
    }
}
