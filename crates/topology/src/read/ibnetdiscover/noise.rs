//! Lines of ibnetdiscover's output, and others in a dump: its error messages, and prompts of a shell.

use crate::read::node_id::node_id_in;

/// The keys of lines about the next node, of which only `devid` has an effect.
pub(super) const KEYS: [&str; 6] =
    ["vendid", "devid", "sysimgguid", "switchguid", "caguid", "rtguid"];

/// The beginnings of what ibnetdiscover writes to standard error.
const MESSAGES: [&str; 4] = ["ibwarn: [", "ibpanic: [", "ibdebug: [", "ibnetdiscover: "];

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

/// Returns whether a line begins with the prompt of a shell: `[root@host ~]# `, `me@host:~$ `, `$ `.
pub(super) fn is_prompt(text: &str) -> bool {
    let end = |word: &str| word.ends_with(['$', '#', '%', '>']);
    let mut words = text.split_whitespace().take(3);
    let first = words.next().unwrap_or_default();
    let is_short = ["$", "%", ">"].contains(&first);
    let names_host = first.contains('@') && (end(first) || words.any(end));
    is_short || names_host || (end(first) && text.contains("ibnetdiscover"))
}

/// Returns whether a line is one of those that ibnetdiscover prints, by its begin.
pub(super) fn is_of_dump(line: &str) -> bool {
    let key = line.split_once('=').map(|(key, _)| key);
    let grouping = ["Chassis ", "Hostname: ", "Non-Chassis Nodes"];
    line.is_empty()
        || line.starts_with(['#', '['])
        || key.is_some_and(|key| KEYS.contains(&key))
        || grouping.iter().any(|start| line.starts_with(start))
        || node_id_in(line).is_some()
}
