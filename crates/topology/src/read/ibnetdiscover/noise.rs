//! Lines in a dump that are not of ibnetdiscover's output: its error messages, and prompts of a shell.

use crate::read::cursor::Cursor;
use bandwise_input::Source;

/// The beginnings of what ibnetdiscover writes to standard error.
pub(super) const MESSAGES: [&str; 4] = ["ibwarn: [", "ibpanic: [", "ibdebug: [", "ibnetdiscover: "];

/// Returns whether a line is a message of ibnetdiscover, such as `src/query_smp.c:197; umad …`, or of a
/// shell that does not find it.
pub(super) fn is_message(text: &str) -> bool {
    // The tool writes its name as it was called, and a shell writes its own before it.
    let is_tool = text.split_once("ibnetdiscover: ").is_some_and(|(before, _)| {
        before.is_empty() || before.ends_with('/') || before.ends_with(": ")
    });
    let first = text.split_whitespace().next().unwrap_or_default();
    is_tool
        || text.ends_with("command not found: ibnetdiscover")
        || MESSAGES.iter().any(|message| text.starts_with(message))
        || names_source(first)
}

/// Returns whether a text contains a message of ibnetdiscover.
pub(super) fn has_message(text: &str) -> bool {
    MESSAGES.iter().any(|message| text.contains(message)) || names_source(text)
}

/// Returns whether a text names a line of a source file, such as `src/query_smp.c:197;`.
fn names_source(text: &str) -> bool {
    text.split(".c:").skip(1).any(|after| {
        let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < after.len() && (rest.is_empty() || rest.starts_with([';', ':']))
    })
}

/// Returns whether a text is of an ibnetdiscover that found nothing: its error messages or the head of its
/// output, and besides only prompts and comments.
pub(in crate::read) fn has_failed(source: &Source) -> bool {
    let lines = || Cursor::lines(*source).map(|line| line.rest());
    let is_beside = |text: &str| text.is_empty() || text.starts_with('#') || is_prompt(text);
    lines().any(|text| is_message(text) || text.starts_with(HEAD))
        && lines().all(|text| is_message(text) || is_beside(text))
}

/// The beginning of the output of ibnetdiscover.
const HEAD: &str = "# Topology file: generated on ";

/// Returns whether a line begins with the prompt of a shell: `[root@host ~]# `, `me@host:~$ `, `$ `.
pub(super) fn is_prompt(text: &str) -> bool {
    let end = |word: &str| word.ends_with(['$', '#', '%', '>']);
    let mut words = text.split_whitespace().take(3);
    let first = words.next().unwrap_or_default();
    let is_short = ["$", "%", ">"].contains(&first);
    let names_host = first.contains('@') && (end(first) || words.any(end));
    is_short || names_host || (end(first) && text.contains("ibnetdiscover"))
}
