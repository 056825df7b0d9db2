//! Any document gives a scenario, or an error that names its line.

use super::{file, read, try_read};
use bandwise_input::Source;
use bandwise_scenario::Parsed;
use bandwise_scenario::ethernet::{EthernetScenario, Study};
use bandwise_units::Time;
use proptest::prelude::*;

const DEFAULT: &str = include_str!("../../../../papers/irn/default.toml");
const FULL: &str = include_str!("full.toml");
const HOMA: &str = include_str!("../../../../fuzz/seeds/network/homa.toml");

#[test]
fn mutated_document_is_valid() {
    let results = super::read(FULL).run(&mut ());
    assert_eq!(results.finished, 105);
}

const SWEEP: &str = include_str!("../../../../docs/examples/sweep.toml");

/// The fuzzer's seeds are valid scenarios.
#[test]
fn fuzzer_seeds_run() {
    for text in [
        include_str!("../../../../fuzz/seeds/network/cables.toml"),
        include_str!("../../../../fuzz/seeds/network/congestion.toml"),
        include_str!("../../../../fuzz/seeds/network/default.toml"),
        include_str!("../../../../fuzz/seeds/network/homa.toml"),
        include_str!("../../../../fuzz/seeds/network/incast.toml"),
        include_str!("../../../../fuzz/seeds/network/lossy.toml"),
        include_str!("../../../../fuzz/seeds/network/tcp.toml"),
    ] {
        let builder = read(text).into_builder().limit(Time::from_us(20));
        let scenario = builder.build().unwrap();
        assert!(scenario.run(&mut ()).started > 0, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = EthernetScenario::from_toml(&Source::new("n.toml", &text), file);
    }

    /// A piece of a document replaced by something.
    #[test]
    fn mutated_documents_name_the_file_in_errors(
        document in prop::sample::select(vec![DEFAULT, FULL, HOMA]), at in any::<prop::sample::Index>(),
        length in 0usize..30, with in "[-0-9a-z\"{}\\[\\]=, .]{0,12}",
    ) {
        let at = at.index(document.len());
        let end = (at + length).min(document.len());
        prop_assume!(document.is_char_boundary(at) && document.is_char_boundary(end));
        let text = format!("{}{with}{}", &document[..at], &document[end..]);
        if let Err(error) = try_read(&text) {
            prop_assert!(error.starts_with("n.toml:"), "{}", error);
        }
    }

    /// Mutations of a document with a sweep are accepted or refused.
    #[test]
    fn mutated_sweeps_name_the_file_in_errors(
        at in 0usize..SWEEP.len(), length in 0usize..30, with in "[-0-9a-z\"{}\\[\\]=, .]{0,12}",
    ) {
        let end = (at + length).min(SWEEP.len());
        prop_assume!(SWEEP.is_char_boundary(at) && SWEEP.is_char_boundary(end));
        let text = format!("{}{with}{}", &SWEEP[..at], &SWEEP[end..]);
        if let Err(error) = Study::from_toml(&Source::new("n.toml", &text), file) {
            prop_assert!(error.to_string().starts_with("n.toml:"), "{}", error);
        }
    }

    /// Any number in place of a number is accepted or refused.
    #[test]
    fn any_numbers_are_read_or_refused(
        n in any::<u64>(), load in any::<f64>(), key in 0usize..20, small in 0u64..100,
    ) {
        let n = if n % 2 == 0 { small } else { n };
        let text = match key {
            0 => format!("[switch]\nbuffer = \"{n} B\"\n"),
            1 => format!("[switch]\npfc = {{ xoff = \"{n} B\" }}\n"),
            2 => format!("[host]\nmtu = {n}\n"),
            3 => format!("[transport]\nbdp-cap = {n}\n"),
            4 => format!("[transport]\nrto-high = \"{n} ps\"\n"),
            5 => format!("[transport]\nextra-header = {n}\n"),
            6 => format!("[workload]\npoisson = {{ load = {load:e}, duration = \"{n} us\" }}\n"),
            7 => format!("[workload]\nincast = {{ senders = {n}, connections = {small} }}\n"),
            8 => format!("[workload]\nincast = {{ requests = {n}, every = \"{n} ns\" }}\n"),
            9 => format!("[switch]\nqueues = \"output\"\nbuffer = \"{n} B\"\nalpha = {load:e}\n"),
            10 => format!("[switch]\nqueues = \"output\"\nreserve = \"{n} B\"\npfc = true\n"),
            11 => format!("[switch]\nqueues = \"output\"\npfc = {{ headroom = \"{n} B\" }}\n"),
            12 => format!("[switch]\nclasses = {small}\npfc = true\nbuffer = \"{n} B\"\n"),
            13 => format!("[switch]\nclasses = 8\nlossless = [{n}, {small}]\n"),
            14 => format!("[switch]\nclasses = 8\n[workload]\nincast = {{ priority = {n} }}\n"),
            15 => format!("[transport]\nkind = \"homa\"\nhoma.rtt-bytes = \"{n} B\"\n"),
            16 => format!("[transport]\nkind = \"homa\"\nhoma.unscheduled = {n}\n"),
            17 => format!(
                "[transport]\nkind = \"homa\"\nhoma.cutoffs = [\"{small} B\", \"{n} B\"]\n"
            ),
            18 => format!("[host]\npoll = \"{n} ps\"\n"),
            _ => format!("[run]\nlimit = \"{n} us\"\n"),
        };
        if let Ok(Parsed { scenario, .. }) = try_read(&text) {
            prop_assert!(scenario.arrivals().take(10).count() <= 10);
        }
    }
}
