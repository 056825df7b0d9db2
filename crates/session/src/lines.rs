//! [`Lines`]: messages out of bytes, however these come.

use crate::{Message, MessageError};

/// The longest line that is read, bytes. A thousand queue pairs take 40,000.
pub const LONGEST_LINE: usize = 1 << 16;

/// Bytes that have come and are not read yet. It does no I/O.
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// No end of a line is before this.
    searched: usize,
}

impl Lines {
    /// Adds what came.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message; `None` until its line is complete. After an error nothing that follows means anything.
    pub fn next_message(&mut self) -> Option<Result<Message, MessageError>> {
        self.next_line().map(|line| Message::decode(&line?))
    }

    /// The next line, without its end; the same for who has messages of their own.
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
