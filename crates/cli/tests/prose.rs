//! Rules of prose that a program can check: the first words of doc comments, and words that the
//! project has replaced.

use std::path::{Path, PathBuf};

/// First words with which a doc comment does not say what an item is or does.
const OPENINGS: [&str; 14] = [
    "What",
    "Who",
    "Where",
    "How",
    "Whether",
    "That",
    "Of",
    "Which",
    "Why",
    "Whatever",
    "Whichever",
    "Whoever",
    "Somebody",
    "Nobody",
];

/// The largest share of doc comments of a crate that may open so, in percent.
const LIMIT: usize = 5;

/// Replaced words. Identifiers count word by word: `Door` and `MOST_DOORS`, but not `doorbell`.
const WORDS: [&str; 14] = [
    "desk", "desks", "keeper", "keepers", "scout", "scouts", "shelf", "shelves", "door", "doors",
    "courier", "couriers", "crew", "crews",
];

/// Replaced phrases. `hands` is a verb too, so it counts in these phrases only.
const PHRASES: [&str; 16] = [
    "told to stop",
    "sent again",
    "under way",
    "looking all the time",
    "put back",
    "put off",
    "by lot",
    "datagram of subnet management",
    "datagrams of subnet management",
    "the hands",
    "pair of hands",
    "many hands",
    "more hands",
    "two hands",
    "both hands",
    "hands of",
];

/// Kinds of files with prose or names.
const KINDS: [&str; 12] =
    ["rs", "md", "toml", "py", "sh", "java", "proto", "h", "c", "js", "css", "service"];

/// Folders of generated or foreign files.
const SKIPPED: [&str; 6] = ["target", "node_modules", "book", ".git", "corpus", "artifacts"];

/// The history, which names old words, and the lists above.
const EXEMPT: [&str; 2] = ["CHANGELOG.md", "crates/cli/tests/prose.rs"];

/// Returns the path of a file relative to the root, with slashes.
fn place(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string().replace('\\', "/")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Collects the files of these kinds below a folder, in the order of their names.
fn files(folder: &Path, kinds: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                files(&path, kinds, found);
            }
        } else if path.extension().is_some_and(|end| kinds.iter().any(|kind| *kind == end)) {
            found.push(path);
        }
    }
}

/// Returns the text of a line of a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    // Four slashes and more are a plain comment.
    (!text.starts_with('/')).then(|| text.trim())
}

/// Returns the line number and text of the first line of each doc comment.
fn openings(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for (at, line) in text.lines().enumerate() {
        let doc = doc(line);
        if let Some(doc) = doc.filter(|doc| !doc.is_empty() && !is_inside) {
            found.push((at + 1, doc));
            is_inside = true;
        } else if doc.is_none() {
            is_inside = false;
        }
    }
    found
}

/// Returns whether a doc comment opens with one of [`OPENINGS`].
fn is_bad(opening: &str) -> bool {
    let word = opening.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    OPENINGS.contains(&word)
}

/// Returns the words of a text in lower case, each with its line. Parts of identifiers are words.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words = vec![(1, String::new())];
    let (mut line, mut was_lower) = (1, false);
    for c in text.chars() {
        line += usize::from(c == '\n');
        let ends_word = !c.is_alphabetic() || (c.is_uppercase() && was_lower);
        if ends_word && !words.last().unwrap().1.is_empty() {
            words.push((line, String::new()));
        }
        let word = words.last_mut().unwrap();
        if c.is_alphabetic() {
            word.1.extend(c.to_lowercase());
        } else if c.is_whitespace() || "/!*#_-".contains(c) {
            word.0 = line;
        } else {
            // Punctuation is a word, so that no phrase goes across it.
            word.1.push(c);
            words.push((line, String::new()));
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.1.is_empty());
    words
}

/// Returns the replaced words and phrases in a text, each with its line. A phrase may be broken
/// over two lines.
fn replaced(text: &str) -> Vec<(usize, &'static str)> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    let mut all = Vec::new();
    for phrase in WORDS.into_iter().chain(PHRASES) {
        let parts: Vec<&str> = phrase.split(' ').collect();
        // Most files have none of them, and need not be split.
        if !parts.iter().all(|part| lower.contains(part)) {
            continue;
        }
        if all.is_empty() {
            all = words(text);
        }
        let windows = all.windows(parts.len());
        let same = windows.filter(|window| window.iter().map(|word| &word.1).eq(&parts));
        found.extend(same.map(|window| (window[0].0, phrase)));
    }
    found.sort_unstable();
    found
}

#[test]
fn doc_comments_open_with_what_an_item_is_or_does() {
    let mut crates: Vec<PathBuf> =
        std::fs::read_dir(root().join("crates")).unwrap().map(|e| e.unwrap().path()).collect();
    crates.sort();
    assert!(crates.len() > 20, "{crates:?}");
    let mut report = String::new();
    for folder in crates {
        let mut sources = Vec::new();
        files(&folder, &["rs"], &mut sources);
        let (mut all, mut bad) = (0, Vec::new());
        for source in sources {
            let text = std::fs::read_to_string(&source).unwrap();
            let openings = openings(&text);
            all += openings.len();
            let place = place(&source);
            let of_file: Vec<String> = openings
                .iter()
                .filter(|(_, doc)| is_bad(doc))
                .map(|(line, doc)| format!("  {place}:{line}: {doc}"))
                .collect();
            if !of_file.is_empty() {
                bad.push(of_file);
            }
        }
        let count: usize = bad.iter().map(Vec::len).sum();
        if count * 100 >= LIMIT * all.max(1) && count > 0 {
            // The files with the most bad openings come first.
            bad.sort_by_key(|of_file| std::cmp::Reverse(of_file.len()));
            let name = folder.file_name().unwrap().to_string_lossy();
            report += &format!("{name}: {count} of {all} doc comments, for example\n");
            report.extend(bad.iter().flatten().take(12).map(|line| format!("{line}\n")));
        }
    }
    assert!(report.is_empty(), "open with {}:\n{report}", OPENINGS.join(", "));
}

#[test]
fn replaced_words_are_in_the_changelog_only() {
    let mut found = Vec::new();
    files(&root(), &KINDS, &mut found);
    assert!(found.iter().any(|path| path.ends_with("README.md")));
    let mut report = Vec::new();
    for path in found {
        let place = place(&path);
        if EXEMPT.contains(&place.as_str()) {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let replaced = replaced(&text).into_iter();
        report.extend(replaced.map(|(line, word)| format!("{place}:{line}: {word}")));
    }
    let some = report.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(report.is_empty(), "{} replaced words:\n{some}", report.len());
}

#[test]
fn bad_doc_openings_are_found() {
    let text = "//! What it is.\n//! Of two.\n\n/// Returns a number.\nfn a() {}\n\
                /// \n    /// Whether it is full.\n    x: bool,\n//// Where?\n// How?\n\
                /// Whatever comes.\n/// That's all.\n";
    let openings = openings(text);
    let lines: Vec<usize> = openings.iter().map(|of| of.0).collect();
    assert_eq!(lines, [1, 4, 7, 11]);
    let bad: Vec<bool> = openings.iter().map(|of| is_bad(of.1)).collect();
    assert_eq!(bad, [true, false, true, true]);
    assert!(is_bad("That's all.") && is_bad("Of a port.") && !is_bad("Often right."));
}

#[test]
fn replaced_words_are_found() {
    assert_eq!(replaced("mod door; struct Doorbell;"), [(1, "door")]);
    assert_eq!(replaced("const MOST_DOORS: u8 =\n    FrontDoor;"), [(1, "doors"), (2, "door")]);
    assert_eq!(replaced("The Keeper puts it on its shelf."), [(1, "keeper"), (1, "shelf")]);
    assert_eq!(replaced("/// packets that are sent\n/// again."), [(1, "sent again")]);
    assert_eq!(replaced("the hands of an executor"), [(1, "hands of"), (1, "the hands")]);
    let fine = "doorbell, desktop, the event loop hands a batch over, put(back), bookkeeper";
    assert_eq!(replaced(fine), []);
}

#[test]
fn every_replaced_word_is_found_by_the_check() {
    for phrase in WORDS.into_iter().chain(PHRASES) {
        assert!(replaced(phrase).contains(&(1, phrase)), "{phrase}");
    }
}
