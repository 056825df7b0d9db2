//! [`Message`]: what is said, and how it is written.

use crate::{Side, Task};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of the protocol. It goes up with any change, so that two programs that would misunderstand each
/// other say so instead.
pub const VERSION: u32 = 4;

/// What one side says to the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Message {
    /// The client's first: what to measure, and where its queue pairs are.
    Ask {
        /// What is measured.
        task: Task,
        /// The client.
        side: Side,
    },
    /// The server's answer: its queue pairs are connected.
    Ready(Side),
    /// The server's other answer, and why.
    Refused(String),
    /// The server can't go on, and why.
    Failed(String),
    /// Either side's, while they measure: its program runs.
    Alive,
    /// The client has all it wanted of this, and will ask for something else.
    Next,
    /// The client has all it wanted.
    Done,
}

/// What came is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It is one of another version.
    #[error(
        "the other side speaks version {0} of bandwise's protocol, this one version {VERSION}: the same bandwise is \
         needed on both"
    )]
    OtherVersion(u64),
    /// It is something else.
    #[error("this is not said by bandwise ({0}): does `bandwise rperf` run on the other side?")]
    NotOurs(String),
    /// It has no end.
    #[error("a line of more than {0} bytes came: does `bandwise rperf` run on the other side?")]
    TooLong(usize),
}

/// A message as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<M> {
    bandwise: u32,
    message: M,
}

/// What a line of any version has.
#[derive(Deserialize)]
struct Versioned {
    bandwise: u64,
}

impl Message {
    /// The message as a line.
    pub fn encode(&self) -> String {
        encode(self) + "\n"
    }

    /// The message of a line, without its end.
    pub fn decode(line: &[u8]) -> Result<Message, MessageError> {
        decode(line)
    }
}

/// A message of any protocol of bandwise's, with the version and without an end.
pub fn encode<M: Serialize>(message: &M) -> String {
    let envelope = Envelope { bandwise: VERSION, message };
    serde_json::to_string(&envelope).expect("names and numbers can be written")
}

/// The message of such a line.
pub fn decode<M: DeserializeOwned>(line: &[u8]) -> Result<M, MessageError> {
    let not_ours = |error: serde_json::Error| MessageError::NotOurs(error.to_string());
    let Versioned { bandwise } = serde_json::from_slice(line).map_err(not_ours)?;
    if bandwise != u64::from(VERSION) {
        return Err(MessageError::OtherVersion(bandwise));
    }
    let envelope: Envelope<M> = serde_json::from_slice(line).map_err(not_ours)?;
    Ok(envelope.message)
}
