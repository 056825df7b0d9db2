//! A reader of this crate's markup, stricter than any browser. It accepts only lower-case tags,
//! quoted attributes without markup in them, and elements that close in order.

/// The tag and attributes of an element.
pub(crate) struct Element<'a> {
    /// The tag.
    pub tag: &'a str,
    /// Names and values, still escaped.
    pub attributes: Vec<(&'a str, &'a str)>,
}

/// Returns all elements of a page, or its first error.
pub(crate) fn elements(page: &str) -> Result<Vec<Element<'_>>, String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").ok_or("no document type")?;
    let (mut open, mut found) = (Vec::new(), Vec::new());
    while let Some(at) = rest.find(['<', '>']) {
        let (inside, after) = rest[at..]
            .strip_prefix('<')
            .and_then(|tag| tag.split_once('>'))
            .ok_or_else(|| format!("a stray bracket: {:.80}", &rest[at..]))?;
        rest = after;
        if let Some(tag) = inside.strip_prefix('/') {
            if open.pop() != Some(tag) {
                return Err(format!("</{tag}> closes nothing"));
            }
            continue;
        }
        let element = element(inside.trim_end_matches('/'))?;
        let closed = inside.ends_with('/') || matches!(element.tag, "meta" | "link");
        if matches!(element.tag, "style" | "script") {
            // Raw text up to the end tag.
            let end = rest.find("</").ok_or("an endless style or script")?;
            rest = &rest[end..];
        }
        if !closed {
            open.push(element.tag);
        }
        found.push(element);
    }
    if open.is_empty() { Ok(found) } else { Err(format!("still open: {open:?}")) }
}

fn element(inside: &str) -> Result<Element<'_>, String> {
    let plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let (tag, mut rest) = inside.split_once(' ').unwrap_or((inside, ""));
    let mut attributes = Vec::new();
    while !rest.is_empty() {
        let (name, value) = rest.split_once("=\"").ok_or_else(|| format!("not quoted: {rest}"))?;
        let (value, after) = value.split_once('"').ok_or_else(|| format!("no end: {rest}"))?;
        if !plain(name) || name.starts_with("on") {
            return Err(format!("attribute {name:?} of {tag}"));
        }
        attributes.push((name, value));
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    if plain(tag) { Ok(Element { tag, attributes }) } else { Err(format!("tag {tag:?}")) }
}
