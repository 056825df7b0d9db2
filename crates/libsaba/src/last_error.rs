//! The text that `saba_error` returns. It has no destructor, so destructors of threads and of the program can use it.

use std::cell::Cell;
use std::ffi::c_char;

/// The size of the text with the zero at its end. A longer one is cut.
const SIZE: usize = 1024;

/// The text of a thread.
struct LastError {
    /// The process that has set the text: a forked child starts without one.
    process: Cell<u32>,
    text: [Cell<u8>; SIZE],
}

thread_local! {
    static LAST: LastError =
        const { LastError { process: Cell::new(0), text: [const { Cell::new(0) }; SIZE] } };
}

/// Returns the whole letters of a text that fit in a number of bytes.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Sets the text of this thread.
pub(crate) fn set(text: &str) {
    let bytes = cut(text, SIZE - 1).bytes().map(|byte| if byte == 0 { b' ' } else { byte });
    LAST.with(|last| {
        last.process.set(std::process::id());
        for (cell, byte) in last.text.iter().zip(bytes.chain([0])) {
            cell.set(byte);
        }
    });
}

/// Returns the text of this thread, with a zero at its end. It stays where it is until the thread ends.
pub(crate) fn get() -> *const c_char {
    LAST.with(|last| {
        if last.process.get() != std::process::id() {
            last.text[0].set(0);
        }
        last.text.as_ptr().cast()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        let is_text = |cell: &&Cell<u8>| cell.get() != 0;
        LAST.with(|last| {
            String::from_utf8(last.text.iter().take_while(is_text).map(Cell::get).collect())
        })
        .unwrap()
    }

    #[test]
    fn a_text_is_cut_between_letters() {
        set("a\0b");
        assert_eq!(text(), "a b");
        set(&"é".repeat(SIZE));
        assert_eq!(text(), "é".repeat((SIZE - 1) / 2));
        set("");
        assert_eq!(text(), "");
    }
}
