//! [`TokenDigest`]: the stored digest of a token.

use sha2::{Digest, Sha256};
use std::str::FromStr;

/// The SHA-256 digest of a token. Tokens are random (`openssl rand -hex 32`), so a digest needs neither salt nor many
/// rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenDigest([u8; 32]);

/// An invalid digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 digest")]
pub struct NoDigest;

impl TokenDigest {
    /// The allowed form, for error messages.
    pub const ALLOWED: &str = "64 digits of 0 to 9 and a to f, as `printf %s TOKEN | sha256sum` prints them of a token that is not empty";

    /// Returns the digest of a token.
    pub fn of(token: &str) -> Self {
        TokenDigest(Sha256::digest(token.as_bytes()).into())
    }
}

impl FromStr for TokenDigest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Self, NoDigest> {
        let digit = |at: usize| char::from(*text.as_bytes().get(at)?).to_digit(16);
        let mut bytes = [0; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            let two = digit(2 * i).zip(digit(2 * i + 1)).ok_or(NoDigest)?;
            *byte = (two.0 * 16 + two.1) as u8;
        }
        let digest = TokenDigest(bytes);
        if text.len() == 64 && digest != TokenDigest::of("") { Ok(digest) } else { Err(NoDigest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-2, appendix B.1.
    #[test]
    fn token_digest_is_sha_256() {
        let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of_abc.parse(), Ok(TokenDigest::of("abc")));
        assert_eq!(of_abc.to_uppercase().parse(), Ok(TokenDigest::of("abc")));
        for wrong in ["", "ba78", &format!("{of_abc}0"), &of_abc.replace('b', "x"), &"é".repeat(32)]
        {
            assert_eq!(wrong.parse::<TokenDigest>(), Err(NoDigest), "{wrong}");
        }
    }
}
