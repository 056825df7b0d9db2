//! [`Message`]: the messages of two measuring hosts, and their format.

use crate::{Side, Task};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of the protocol. Any change increases it, so that incompatible programs report that.
pub const VERSION: u32 = 5;

/// A message of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Message {
    /// The client's first message: the measurement, and the addresses of its queue pairs.
    Ask {
        /// The measurement.
        task: Task,
        /// The client.
        side: Side,
    },
    /// The server's answer: its queue pairs are connected.
    Ready(Side),
    /// The server refuses; the reason.
    Refused(String),
    /// The server can't continue; the reason.
    Failed(String),
    /// A heartbeat of either side during the measurement.
    Alive,
    /// The client has finished this measurement and will ask for another.
    Next,
    /// The client has finished.
    Done,
}

/// A line that is not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// A message of another version.
    #[error(
        "the other side speaks version {0} of bandwise's protocol, this one version {VERSION}: the same bandwise is \
         needed on both"
    )]
    OtherVersion(u64),
    /// The line is not a message of Bandwise.
    #[error(
        "this is not a message of bandwise ({0}): does `bandwise rperf` run on the other side?"
    )]
    NotOurs(String),
    /// A line without an end.
    #[error("a line of more than {0} bytes came: does `bandwise rperf` run on the other side?")]
    TooLong(usize),
}

/// The format of a message.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<M> {
    bandwise: u32,
    message: M,
}

/// The part of a line that all versions have.
#[derive(Deserialize)]
struct Versioned {
    bandwise: u64,
}

impl Message {
    /// Returns the message as a line.
    pub fn encode(&self) -> String {
        encode(self) + "\n"
    }

    /// Reads the message of a line, without its end.
    ///
    /// # Errors
    ///
    /// Returns [`MessageError`] if the line is not a message of this version.
    pub fn decode(line: &[u8]) -> Result<Message, MessageError> {
        decode(line)
    }
}

/// Returns a message of any of Bandwise's protocols as a line with the version, without an end.
pub fn encode<M: Serialize>(message: &M) -> String {
    let envelope = Envelope { bandwise: VERSION, message };
    serde_json::to_string(&envelope).expect("names and numbers can be written")
}

/// Reads the message of a line that [`encode`] has written, without its end.
///
/// # Errors
///
/// Returns [`MessageError`] if the line is not a message of this version.
pub fn decode<M: DeserializeOwned>(line: &[u8]) -> Result<M, MessageError> {
    let not_ours = |error: serde_json::Error| MessageError::NotOurs(error.to_string());
    let Versioned { bandwise } = serde_json::from_slice(line).map_err(not_ours)?;
    if bandwise != u64::from(VERSION) {
        return Err(MessageError::OtherVersion(bandwise));
    }
    let envelope: Envelope<M> = serde_json::from_slice(line).map_err(not_ours)?;
    Ok(envelope.message)
}
