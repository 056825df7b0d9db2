//! No reader panics, with any input.

use bandwise_input::{InputError, Source};
use bandwise_workload::{Spread, read, write};
use proptest::prelude::*;

/// Generates pieces that are keywords of a reader.
const PIECES: [&str; 24] = [
    ":",
    " 1 0:1",
    "start_ns,src,dst,bytes",
    "\n",
    "\r\n",
    ",",
    " ",
    "\t",
    "#",
    "0",
    "1",
    "1.5",
    ".",
    "53",
    "54",
    "100",
    "0.15",
    "1e9",
    "-1",
    "nan",
    "inf",
    "1099511627776",
    "9223372036854775808",
    "é\u{feff}",
];

fn is_sound(error: &InputError, text: &str) {
    assert!(error.to_string().starts_with("input:"), "{error}");
    assert!((1..=text.lines().count() + 1).contains(&error.line()), "{error}");
}

fn read_all(text: &str) {
    let source = Source::new("input", text);
    let mut flows = Vec::new();
    for found in read::flows(&source, 54, 8) {
        match found {
            Ok(listed) => flows.push(listed.flow),
            Err(error) => is_sound(&error, text),
        }
    }
    let written = write::flows(&flows);
    let again = read::flows(&Source::new("written", &written), 54, 8);
    assert!(again.map(|listed| listed.unwrap().flow).eq(flows));
    match read::coflows(&source) {
        Ok(trace) => {
            let text = write::coflows(&trace);
            let again = read::coflows(&Source::new("written", &text)).unwrap();
            assert_eq!((again.ports, again.flows()), (trace.ports, trace.flows()));
        }
        Err(error) => is_sound(&error, text),
    }
    for spread in [Spread::Uniform, Spread::LogUniform] {
        match read::cdf(&source, spread, bandwise_units::Bytes::new(1)) {
            Ok(sizes) => {
                let sound = sizes.least().get() as f64 - 1e-6..=sizes.most().get() as f64 + 1e-6;
                assert!(sound.contains(&sizes.mean()), "{sizes:?}");
                assert!(
                    sizes.quantile(0.5) >= sizes.least() && sizes.quantile(1.0) <= sizes.most()
                );
            }
            Err(error) => is_sound(&error, text),
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        read_all(&text);
    }

    #[test]
    fn known_pieces_are_read_or_refused(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        read_all(&pieces.concat());
        read_all(&format!("start_ns,src,dst,bytes\n{}", pieces.concat()));
        read_all(&format!("54 1\n1 0 1 {}", pieces.concat()));
    }

    #[test]
    fn point_lines_are_read_or_refused(points in prop::collection::vec((0u64..=1 << 40, 0u32..=100), 2..20)) {
        let (mut sizes, mut shares): (Vec<_>, Vec<_>) = points.into_iter().unzip();
        sizes.sort();
        shares.sort();
        *shares.last_mut().unwrap() = 100;
        let line = |(size, share): (&u64, &u32)| format!("{size} {share}\n");
        read_all(&sizes.iter().zip(&shares).map(line).collect::<String>());
    }
}
