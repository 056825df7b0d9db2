use super::{run, share};
use bandwise_input::Source;
use bandwise_profiler::{Journal, Outcome, Purpose, Run};
use bandwise_saba::Share;
use bandwise_units::Time;
use proptest::prelude::*;

fn journal() -> Journal {
    let command = ["bash", "-c", "a \"b\"\n c"].map(String::from).to_vec();
    Journal::new("LR".into(), command, "lab lab, 200 Mbps".into())
}

fn runs() -> impl Strategy<Value = Vec<Run>> {
    let purpose = prop_oneof![Just(Purpose::Warmup), Just(Purpose::Sample)];
    let outcome = prop_oneof![
        Just(Outcome::Success),
        any::<i32>().prop_map(Outcome::Code),
        any::<i32>().prop_map(Outcome::Signal),
        Just(Outcome::Late),
    ];
    let one = (1e-9f64..=1.0, purpose, 1u64..1 << 50, outcome).prop_map(
        |(part, purpose, ns, outcome)| {
            run(Share::try_from(part).unwrap(), purpose, Time::from_ns(ns), outcome)
        },
    );
    prop::collection::vec(one, 0..12)
}

fn text(runs: &[Run]) -> String {
    journal().first_line() + &runs.iter().map(Journal::line).collect::<String>()
}

proptest! {
    /// Written journals are read as the same. A truncated journal loses at most its last line, and
    /// lines appended to the rest are read.
    #[test]
    fn journals_round_trip_and_survive_truncation(runs in runs(), cut in any::<prop::sample::Index>()) {
        let text = text(&runs);
        let read = Journal::read(&Source::new("j", &text)).unwrap();
        prop_assert_eq!(read, Some((journal(), runs.clone(), text.len())));
        let cut = cut.index(text.len() + 1);
        let whole_lines = text[..cut].matches('\n').count();
        // A text that ends within the first word of the header is refused.
        prop_assume!(cut == 0 || cut > 11);
        match Journal::read(&Source::new("j", &text[..cut])).unwrap() {
            None => prop_assert_eq!(whole_lines, 0),
            Some((head, read, bytes)) => {
                prop_assert_eq!(head, journal());
                prop_assert_eq!(&read[..], &runs[..whole_lines - 1]);
                prop_assert_eq!(text[..bytes].matches('\n').count(), whole_lines);
            }
        }
    }

    #[test]
    fn any_text_is_refused_without_panic(lines in prop::collection::vec(".*", 0..5)) {
        let _ = Journal::read(&Source::new("j", &lines.join("\n")));
        let after = journal().first_line() + &lines.join("\n") + "\n";
        let _ = Journal::read(&Source::new("j", &after));
    }
}

#[test]
fn invalid_journal_line_is_named() {
    let good = text(&[run(share(5.0), Purpose::Sample, Time::from_ms(1), Outcome::Code(3))]);
    let errors = [
        ("application = 1\n".to_owned(), 1, "no line of a journal"),
        ("application = 1".to_owned(), 1, "no journal"),
        (good.replace("\"profile\":1", "\"profile\":2"), 1, "form 2"),
        (good.replace("0.05", "0"), 2, "a share of 0"),
        (good.replace("1000000", "0"), 2, "a run of 0 ns"),
        (good.replace("1000000", "18446744073709551615"), 2, "a run of 18446744073709551615 ns"),
        (good.replace("sample", "example"), 2, "no line of a journal"),
        (good + "\n", 3, "no line of a journal"),
    ];
    for (text, line, message) in errors {
        let error = Journal::read(&Source::new("j", &text)).expect_err(&text);
        assert_eq!(error.line(), line, "{text}");
        assert!(error.message().contains(message), "{}", error.message());
    }
}

#[test]
fn a_journal_of_another_subject_differs() {
    assert_eq!(journal().differs(&journal()), None);
    let of = |application: &str, command: &[&str], links: &str| {
        let command = command.iter().copied().map(String::from).collect();
        Journal::new(application.into(), command, links.into())
    };
    let a = of("LR", &["run", "a b"], "lab");
    let differs = |other: Journal| a.differs(&other).unwrap();
    assert_eq!(differs(of("SVM", &["run", "a b"], "lab")).what, "application");
    assert_eq!(differs(of("LR", &["run", "a b"], "eth0")).has, "lab");
    assert_eq!(differs(of("LR", &["run", "b"], "lab")).wanted, "run b");
    let parted = differs(of("LR", &["run", "a", "b"], "lab"));
    assert_ne!(parted.has, parted.wanted);
}
