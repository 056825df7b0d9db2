//! A writer of HTML and SVG that produces only well-formed pages. Elements close where their block
//! ends, and all texts and attribute values that are not part of the program are escaped.

use bandwise_input::is_printable;
use std::fmt::{Display, Write};

/// The attributes of an element. Values are escaped.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a dyn Display)];

/// Elements without a line break after them, because it would show as a space.
const INLINE: [&str; 12] =
    ["a", "b", "code", "dd", "dt", "li", "small", "span", "td", "text", "th", "tspan"];

/// A page, or a part of one, under construction.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    out: String,
}

impl Markup {
    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// Writes a text of the program without escaping. The lifetime excludes data.
    pub(crate) fn raw(&mut self, text: &'static str) {
        self.out.push_str(text);
    }

    /// Writes a finished part.
    pub(crate) fn part(&mut self, part: Markup) {
        self.out.push_str(&part.out);
    }

    /// Writes an escaped text.
    pub(crate) fn text(&mut self, text: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(Escape(&mut self.out), "{text}");
    }

    /// Writes an element with the content of `body`.
    pub(crate) fn element(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        body: impl FnOnce(&mut Self),
    ) {
        self.start(tag, attributes);
        self.out.push('>');
        body(self);
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push('>');
        self.end_line(tag);
    }

    /// Writes an element with a text.
    pub(crate) fn leaf(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        text: impl Display,
    ) {
        self.element(tag, attributes, |m| m.text(text));
    }

    /// Writes an element without content: `<meta …>`.
    pub(crate) fn void(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.start(tag, attributes);
        self.out.push('>');
        self.end_line(tag);
    }

    /// Writes a shape of SVG: `<path …/>`.
    pub(crate) fn shape(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.start(tag, attributes);
        self.out.push_str("/>");
    }

    fn start(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.out.push('<');
        self.out.push_str(tag);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            self.text(value);
            self.out.push('"');
        }
    }

    fn end_line(&mut self, tag: &str) {
        if !INLINE.contains(&tag) {
            self.out.push('\n');
        }
    }
}

/// An adapter that escapes text for element content and quoted attributes alike. Characters that
/// HTML and XML forbid become the replacement character.
struct Escape<'a>(&'a mut String);

impl Write for Escape<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\t' | '\n' => self.0.push(c),
                '\r' => {}
                c if !is_printable(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                    self.0.push(char::REPLACEMENT_CHARACTER);
                }
                c => self.0.push(c),
            }
        }
        Ok(())
    }
}

/// A coordinate of a plot, printed with at most one decimal and never as `-0`.
pub(crate) struct Px(pub f64);

impl Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let (sign, size) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
        match size % 10 {
            0 => write!(f, "{sign}{}", size / 10),
            tenth => write!(f, "{sign}{}.{tenth}", size / 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn text_and_attributes_are_escaped(text in "\\PC*[<>&\"'\u{0}\r\u{2028}]?\\PC*") {
            let shown: String = text
                .chars()
                .filter(|&c| c != '\r')
                .map(|c| if is_printable(c) { c } else { char::REPLACEMENT_CHARACTER })
                .collect();
            let mut m = Markup::default();
            m.leaf("b", &[("title", &text)], &text);
            let out = m.finish();
            let rest = out.strip_prefix("<b title=\"").and_then(|o| o.strip_suffix("</b>")).unwrap();
            let (attribute, content) = rest.split_once("\">").unwrap();
            for escaped in [attribute, content] {
                proptest::prop_assert!(!escaped.contains(['<', '>', '"', '\'']), "{}", out);
                proptest::prop_assert_eq!(unescape(escaped), &*shown);
            }
        }
    }

    fn unescape(text: &str) -> String {
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&")
    }

    #[test]
    fn coordinates_are_short() {
        let text: Vec<_> =
            [0.0, -0.01, -0.5, 12.0, 12.345].iter().map(|&v| Px(v).to_string()).collect();
        assert_eq!(text, ["0", "0", "-0.5", "12", "12.3"]);
    }
}
