//! [`Seals`]: the proof that a line comes from a peer with the same token, on this connection.
//!
//! Each side draws a [`Challenge`] and sends it in the clear. Every later line is `TAG JSON`. The tag is HMAC-SHA256
//! (RFC 2104) under the token over the sender's role, both challenges, the number of the line, and the JSON. A line of
//! another connection has other challenges, a repeated line another number, a reflected line another role: all of them
//! are rejected. Lines are not encrypted, since they contain no secret.

use bandwise_session::{MessageError, decode, encode};
use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::fmt;

/// The secret that agents and the coordinator share.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Vec<u8>);

/// A token of a wrong length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a token of {0} bytes; allowed: {LEAST} to {MOST}, such as what `openssl rand -hex 32` prints"
)]
pub struct TokenError(usize);

/// The smallest length; shorter tokens of letters could be guessed.
const LEAST: usize = 16;
const MOST: usize = 4096;

impl Token {
    /// Reads the token in a file: its text without surrounding white space.
    ///
    /// # Errors
    ///
    /// Returns [`TokenError`] if the token is too short or too long.
    pub fn of_text(text: &str) -> Result<Token, TokenError> {
        let text = text.trim();
        match (LEAST..=MOST).contains(&text.len()) {
            true => Ok(Token(text.as_bytes().to_vec())),
            false => Err(TokenError(text.len())),
        }
    }
}

/// A token is never printed.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// A random number, drawn for each connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Challenge(pub [u8; 16]);

impl From<Challenge> for String {
    fn from(challenge: Challenge) -> String {
        hex(&challenge.0)
    }
}

impl TryFrom<String> for Challenge {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Challenge, &'static str> {
        unhex(text.as_bytes()).map(Challenge).ok_or("a challenge is 32 hexadecimal digits")
    }
}

/// The challenges of both sides of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Challenges {
    /// The agent's.
    pub agent: Challenge,
    /// The coordinator's.
    pub coordinator: Challenge,
}

/// The role of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The agent.
    Agent,
    /// The coordinator.
    Coordinator,
}

/// A line that is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The tag is missing or wrong.
    #[error("the message is not signed with this token: do all hosts have the same token?")]
    Forged,
    /// The tag is right, but the message is invalid.
    #[error(transparent)]
    Message(#[from] MessageError),
}

/// The state of one side of a connection.
#[derive(Debug)]
pub struct Seals {
    token: Token,
    speaks: Speaker,
    challenges: Challenges,
    sent: u64,
    received: u64,
}

/// The length of a tag in bytes, and as text.
const TAG: usize = 32;
const TAG_TEXT: usize = 2 * TAG;

impl Seals {
    /// Returns the seals of a sender with this role.
    pub fn new(token: Token, speaks: Speaker, challenges: Challenges) -> Self {
        Seals { token, speaks, challenges, sent: 0, received: 0 }
    }

    /// Returns a message as a sealed line, with its end.
    pub fn seal<M: Serialize>(&mut self, message: &M) -> String {
        let body = encode(message);
        let tag = self.mac(self.speaks, self.sent, body.as_bytes()).finalize().into_bytes();
        self.sent += 1;
        format!("{} {body}\n", hex(&tag))
    }

    /// Returns the message of the next line, which is passed without its end. After an error the
    /// connection is unusable.
    ///
    /// # Errors
    ///
    /// Returns [`SealError`] if the line is rejected.
    pub fn open<M: DeserializeOwned>(&mut self, line: &[u8]) -> Result<M, SealError> {
        let (tag, rest) = line.split_at_checked(TAG_TEXT).ok_or(SealError::Forged)?;
        let tag: [u8; TAG] = unhex(tag).ok_or(SealError::Forged)?;
        let body = rest.strip_prefix(b" ").ok_or(SealError::Forged)?;
        let other = match self.speaks {
            Speaker::Agent => Speaker::Coordinator,
            Speaker::Coordinator => Speaker::Agent,
        };
        // The duration of the comparison does not depend on the position of the difference.
        self.mac(other, self.received, body).verify_slice(&tag).map_err(|_| SealError::Forged)?;
        self.received += 1;
        Ok(decode(body)?)
    }

    fn mac(&self, speaks: Speaker, number: u64, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.token.0).expect("keys have any length");
        mac.update(b"bandwise agents");
        mac.update(&[match speaks {
            Speaker::Agent => 0,
            Speaker::Coordinator => 1,
        }]);
        mac.update(&self.challenges.agent.0);
        mac.update(&self.challenges.coordinator.0);
        mac.update(&number.to_be_bytes());
        mac.update(body);
        mac
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a text of exactly this length, in lower case.
fn unhex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2, by the same parts as `mac`.
    #[test]
    fn seal_is_hmac_sha_256() {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        mac.update(b"what do ya want ");
        mac.update(b"for nothing?");
        let tag = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(&mac.finalize().into_bytes()), tag);
    }

    #[test]
    fn only_lower_case_hex_digits_are_read() {
        assert_eq!(unhex::<2>(b"00ff"), Some([0, 255]));
        for text in ["", "00f", "00FF", "00fg", "00ff0"] {
            assert_eq!(unhex::<2>(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn tokens_are_long_enough() {
        assert!(Token::of_text(" 0123456789abcdef\n").is_ok());
        let error = Token::of_text("short\n").unwrap_err().to_string();
        assert!(error.starts_with("a token of 5 bytes; allowed: 16 to 4096"), "{error}");
        assert!(!format!("{:?}", Token::of_text(&"secret".repeat(4))).contains("secret"));
    }
}
