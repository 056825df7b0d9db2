//! Models that are doubtful where they are used.

use crate::scenario;
use bandwise_saba::sensitivity::Warning;
use bandwise_scenario::jobs::Doubt;

fn doubts(text: &str) -> Vec<Doubt> {
    let scenario = scenario(text);
    scenario.doubts(&scenario.outlook())
}

#[test]
fn models_used_within_their_measured_range_give_no_doubts() {
    assert!(
        doubts("[[job]]\nworkload = \"LR\"\n[[job]]\nworkload = \"TS\"\ndata = 10.0\n").is_empty()
    );
    // Three times the nodes is still within what models explain (Saba 4.6.3).
    assert!(doubts("[[job]]\nworkload = \"LR\"\ninstances = 24\n").is_empty());
    // A job of stages is modelled with its own number of instances.
    let stage = "stage = [{ compute = \"1 s\", pattern = \"shuffle\", bytes = \"1 GB\" }]";
    assert!(doubts(&format!("[[job]]\nname = \"x\"\ninstances = 32\n{stage}\n")).is_empty());
}

/// The worst job of several with one model counts.
#[test]
fn nodes_and_data_far_from_the_profile_give_doubts() {
    let found = doubts(
        "[[job]]\nname = \"a\"\nworkload = \"LR\"\ninstances = 25\n\
         [[job]]\nname = \"b\"\nworkload = \"LR\"\ninstances = 32\n\
         [[job]]\nname = \"c\"\nworkload = \"LR\"\ninstances = 2\n\
         [[job]]\nname = \"d\"\nworkload = \"TS\"\ndata = 100.0\n\
         [[job]]\nname = \"e\"\nworkload = \"WC\"\ninstances = 26\n",
    );
    let of =
        |doubt: &Doubt| (doubt.application.clone(), doubt.jobs.join(" "), doubt.warning.clone());
    let expected = [
        ("LR", "a b", Warning::Nodes { times: 4.0 }),
        ("LR", "c", Warning::Nodes { times: 0.25 }),
        ("TS", "d", Warning::Dataset { times: 100.0 }),
        ("WC", "e", Warning::Nodes { times: 3.25 }),
    ];
    let expected =
        expected.map(|(name, jobs, warning)| (name.to_owned(), jobs.to_owned(), warning));
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), expected);
    let texts = Doubt::texts(&found);
    assert_eq!(texts.len(), 3);
    assert!(texts[0].starts_with("the model of LR, for a, b: used with 4.00 times"), "{texts:?}");
    assert!(texts[0].ends_with("; models of WC are affected too, by as much or less"), "{texts:?}");
}

/// Twelve jobs at one link have less than the least measured share, and a model of three shares.
#[test]
fn few_shares_and_a_share_below_the_measured_range_give_doubts() {
    let times = "times = { \"100%\" = \"100 s\", \"50%\" = \"150 s\", \"25%\" = \"260 s\" }";
    let text = format!(
        "[fabric]\nbuild = {{ single-switch = 4 }}\nlink = {{ rate = \"8 Gbps\" }}\n\
         [[job]]\nname = \"j\"\ninstances = 4\ncount = 12\n{times}\n"
    );
    let found = doubts(&text);
    let [few, Doubt { jobs, warning: Warning::Extrapolated { share, least }, .. }] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert_eq!(few.warning, Warning::FewShares { shares: 3 });
    assert_eq!((jobs.len(), least.get()), (12, 0.25));
    assert!((share.get() - 1.0 / 12.0).abs() < 1e-9, "{share}");
}
