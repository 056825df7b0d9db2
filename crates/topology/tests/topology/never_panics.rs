//! Readers do not panic on any input.

use bandwise_input::Source;
use bandwise_topology::read;
use proptest::prelude::*;

const VALID: [&str; 5] = [
    include_str!("../data/example.toml"),
    include_str!("../data/two-racks.ibsim"),
    include_str!("../data/two-racks.ibnetdiscover"),
    include_str!("../data/two-racks-full.ibnetdiscover"),
    include_str!("../data/chassis.ibnetdiscover"),
];

/// Pieces that at least one reader knows.
const PIECES: [&str; 25] = [
    "[1]",
    "[0]",
    "[300]",
    "Switch 300 \"z\"",
    "[999999999999999999999]",
    "\"",
    "#",
    "Switch 8 \"x\"",
    "Hca\t1 \"y\"",
    "w=15",
    "s=7",
    "s=0x",
    "4x",
    "4xEDR",
    "12x ???",
    "[[fabric.link]]",
    "[fabric]",
    "link = {}",
    "build = \"back-to-back\"",
    "\n",
    "=",
    "# bandwise rate 1 bps delay 1 s",
    "width=3",
    "é",
    ":1",
];

/// Reads a text with every reader, and routes the fabrics that result.
fn read_all(text: &str) {
    let source = Source::new("input", text);
    let toml = |source: &Source| read::toml(source).map(read::FabricFile::whole);
    for reader in [read::any, toml, read::ibnetdiscover, read::ibsim] {
        match reader(&source) {
            Ok(file) => {
                for fabric in &file.parts {
                    let _ = bandwise_topology::Routes::shortest(fabric);
                }
            }
            Err(e) => {
                // An error names its file and a line that exists.
                assert!(e.to_string().starts_with("input:"), "{e}");
                assert!(e.line() <= 1 + text.matches('\n').count(), "{e}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn known_pieces_are_read_or_refused(pieces in prop::collection::vec(0..PIECES.len(), 0..30)) {
        let text: Vec<&str> = pieces.into_iter().map(|i| PIECES[i]).collect();
        read_all(&text.join(" "));
        read_all(&text.concat());
        read_all(&text.join("\n"));
    }

    #[test]
    fn edited_files_are_read_or_refused(
        file in 0..VALID.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, 0..PIECES.len()), 1..5),
    ) {
        let mut text: Vec<char> = VALID[file].chars().collect();
        for (at, remove, piece) in edits {
            let at = at.index(text.len());
            let end = text.len().min(at + remove);
            text.splice(at..end, PIECES[piece].chars());
        }
        read_all(&text.into_iter().collect::<String>());
    }

    #[test]
    fn missing_or_repeated_lines_are_read_or_refused(
        file in 0..VALID.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..4),
    ) {
        let mut lines: Vec<&str> = VALID[file].lines().collect();
        for (at, twice) in edits {
            let at = at.index(lines.len());
            if twice { lines.insert(at, lines[at]) } else { lines.remove(at); }
        }
        read_all(&lines.join("\n"));
    }
}

#[test]
fn truncated_files_are_read_or_refused() {
    for text in VALID {
        for (end, _) in text.char_indices() {
            let source = Source::new("input", &text[..end]);
            let _ = read::any(&source);
        }
    }
}
