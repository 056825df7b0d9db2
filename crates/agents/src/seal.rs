//! [`Seals`]: how each side knows that a line comes from who has the same token, and comes now.
//!
//! Each side draws a [`Challenge`] and tells it in the clear. Every later line is `TAG JSON`, where the tag is
//! HMAC-SHA256 (RFC 2104) under the token over: who speaks, both challenges, the number of the line, the JSON. A line
//! of another connection has other challenges, one that is said twice another number, one that is sent back another
//! speaker: none of them is taken. What is said can be read by who sees it; nothing of it is secret.

use bandwise_session::{MessageError, decode, encode};
use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::fmt;

/// What agents and coordinator both know, and nobody else.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Vec<u8>);

/// What can't be a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a token of {0} bytes; allowed: {LEAST} to {MOST}, such as what `openssl rand -hex 32` prints"
)]
pub struct TokenError(usize);

/// Fewer could be guessed, if they are letters.
const LEAST: usize = 16;
const MOST: usize = 4096;

impl Token {
    /// The token that a file holds: its text without space and ends of lines around it.
    pub fn of_text(text: &str) -> Result<Token, TokenError> {
        let text = text.trim();
        match (LEAST..=MOST).contains(&text.len()) {
            true => Ok(Token(text.as_bytes().to_vec())),
            false => Err(TokenError(text.len())),
        }
    }
}

/// It is never printed.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// A number that nobody can guess, another one for each connection.
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

/// Of both sides of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Challenges {
    /// The agent's.
    pub agent: Challenge,
    /// The coordinator's.
    pub coordinator: Challenge,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// Who does as it is told.
    Agent,
    /// Who tells.
    Coordinator,
}

/// A line that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// It has no tag, or not the one that it must have.
    #[error("it is not signed by the token that is used here: is it the same on all hosts?")]
    Forged,
    /// It is signed, and no message.
    #[error(transparent)]
    Message(#[from] MessageError),
}

/// One side's part of a connection.
#[derive(Debug)]
pub struct Seals {
    token: Token,
    speaks: Speaker,
    challenges: Challenges,
    said: u64,
    heard: u64,
}

/// Bytes of a tag, and what it has as text.
const TAG: usize = 32;
const TAG_TEXT: usize = 2 * TAG;

impl Seals {
    /// The seals of who speaks as that side.
    pub fn new(token: Token, speaks: Speaker, challenges: Challenges) -> Self {
        Seals { token, speaks, challenges, said: 0, heard: 0 }
    }

    /// A message as a line with its end.
    pub fn seal<M: Serialize>(&mut self, message: &M) -> String {
        let body = encode(message);
        let tag = self.mac(self.speaks, self.said, body.as_bytes()).finalize().into_bytes();
        self.said += 1;
        format!("{} {body}\n", hex(&tag))
    }

    /// The message of the other side's next line, which comes without its end. After an error there is no next.
    pub fn open<M: DeserializeOwned>(&mut self, line: &[u8]) -> Result<M, SealError> {
        let (tag, rest) = line.split_at_checked(TAG_TEXT).ok_or(SealError::Forged)?;
        let tag: [u8; TAG] = unhex(tag).ok_or(SealError::Forged)?;
        let body = rest.strip_prefix(b" ").ok_or(SealError::Forged)?;
        let other = match self.speaks {
            Speaker::Agent => Speaker::Coordinator,
            Speaker::Coordinator => Speaker::Agent,
        };
        // Takes as long wherever the first byte is that differs.
        self.mac(other, self.heard, body).verify_slice(&tag).map_err(|_| SealError::Forged)?;
        self.heard += 1;
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

/// As many bytes as the text must have, in lower case.
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
    fn is_hmac_with_sha_256() {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        mac.update(b"what do ya want ");
        mac.update(b"for nothing?");
        let tag = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(&mac.finalize().into_bytes()), tag);
    }

    #[test]
    fn hexadecimal_digits() {
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
