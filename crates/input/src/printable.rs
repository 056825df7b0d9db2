//! [`is_printable`]: characters that a screen shows where they stand.

/// Returns whether a screen shows a character where it stands. Control characters move the cursor or
/// colour the screen, separators of lines and paragraphs break lines, and Unicode's directional marks
/// (UAX 9, 2) and characters of no width show a text other than it is.
pub fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
        )
}

#[cfg(test)]
mod tests {
    use super::is_printable;

    #[test]
    fn letters_of_all_scripts_are_printable_and_marks_are_not() {
        assert!("node-1 höst ホスト مضيف 😀 a\u{301}".chars().all(is_printable));
        for c in ['\0', '\n', '\u{1b}', '\u{85}', '\u{202e}', '\u{2028}', '\u{2066}', '\u{feff}'] {
            assert!(!is_printable(c), "{c:?}");
        }
    }
}
