//! Whatever the order: the same in the end, and nothing said twice.

use super::world::{Watched, World, any_worlds, grouping, heard, table};
use bandwise_saba::controller::{Accepted, Event, Levels, Settings, Weighting};
use proptest::prelude::*;

/// Each way to find levels, and both weightings.
fn ways(world: &World) -> [(Settings, Levels); 3] {
    let equal = Settings { weighting: Weighting::EqualQueues, ..Settings::default() };
    [
        (Settings::default(), Levels::Registered(grouping())),
        (Settings::default(), Levels::Shared(table(&world.models))),
        (equal, Levels::Registered(grouping())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Any order, with copies that come late and settling now and then, ends where a controller ends
    /// that hears only what holds in the end.
    #[test]
    fn what_holds_is_all_that_counts((world, events) in heard(any_worlds())) {
        for (settings, levels) in ways(&world) {
            let found = Watched::new(settings, levels.clone()).all(events.clone());
            let fresh = Watched::new(settings, levels).at_once(&world.holds);
            prop_assert_eq!(&found.ports, &fresh.ports);
            prop_assert_eq!(&found.levels, &fresh.levels);
        }
    }

    /// The same events give the same commands, in the same order.
    #[test]
    fn the_same_again((world, events) in heard(any_worlds())) {
        for (settings, levels) in ways(&world) {
            let one = Watched::new(settings, levels.clone()).all(events.clone());
            let other = Watched::new(settings, levels).all(events.clone());
            prop_assert_eq!(one.commands, other.commands);
        }
    }

    /// Hearing all of it again changes nothing, and nothing is to be done.
    #[test]
    fn copies_are_known((world, events) in heard(any_worlds())) {
        for (settings, levels) in ways(&world) {
            let mut found = Watched::new(settings, levels).all(events.clone());
            for (event, _) in &events {
                prop_assert_eq!(found.accept(event.clone()), Accepted::Known);
                prop_assert!(found.controller.is_settled());
            }
        }
    }

    /// Settling once does what settling after each event does, with no more commands for any port.
    #[test]
    fn settling_late_says_no_more((world, events) in heard(any_worlds())) {
        for (settings, levels) in ways(&world) {
            let often = events.iter().map(|(event, _)| (event.clone(), true));
            let often = Watched::new(settings, levels.clone()).all(often);
            let events: Vec<Event> = events.iter().map(|of| of.0.clone()).collect();
            let once = Watched::new(settings, levels).at_once(&events);
            prop_assert_eq!(&once.ports, &often.ports);
            prop_assert_eq!(once.commands.len(), once.ports.len() + once.levels.len());
            prop_assert!(once.commands.len() <= often.commands.len());
        }
    }
}
