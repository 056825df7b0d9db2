//! [`Encoding`]: encodings other than UTF-8 of texts that can't be decoded.

/// An encoding of text that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Two bytes a character, as `Out-File` of Windows PowerShell writes.
    Utf16,
    /// One byte a character, as Windows and spreadsheets write in Western Europe.
    Windows1252,
}

impl Encoding {
    /// Returns the likely encoding of a text that is not UTF-8. `None` for bytes that are no text.
    pub fn of(bytes: &[u8]) -> Option<Encoding> {
        let head = &bytes[..bytes.len().min(64)];
        // Without a byte order mark, every second byte of Western text is zero, in either order.
        let is_wide = |zero: usize| {
            head.len() > 3
                && head.chunks_exact(2).all(|pair| pair[zero] == 0 && pair[1 - zero] != 0)
        };
        if bytes.starts_with(b"\xff\xfe")
            || bytes.starts_with(b"\xfe\xff")
            || is_wide(0)
            || is_wide(1)
        {
            return Some(Encoding::Utf16);
        }
        let is_control = |b: &u8| b.is_ascii_control() && !b.is_ascii_whitespace();
        let is_text = !bytes.iter().any(is_control) && std::str::from_utf8(bytes).is_err();
        is_text.then_some(Encoding::Windows1252)
    }

    /// Returns the remedy.
    pub const fn remedy(self) -> &'static str {
        match self {
            Encoding::Utf16 => "this file saved as UTF-8, e.g. by iconv -f UTF-16 -t UTF-8",
            Encoding::Windows1252 => {
                "this file saved as UTF-8, e.g. by iconv -f WINDOWS-1252 -t UTF-8"
            }
        }
    }
}
