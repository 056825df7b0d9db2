//! Any order of events has the same result, without repeated commands.

use super::world::{Watched, World, any_worlds, grouping, sequences, table};
use bandwise_saba::controller::{Accepted, Event, Levels, Settings, Weighting};
use proptest::prelude::*;

/// Generates settings of each clustering and both weightings.
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

    /// Any order, with late copies and settling in between, has the result of a controller that
    /// accepts only the events that still apply at the end.
    #[test]
    fn result_depends_only_on_lasting_events((world, events) in sequences(any_worlds())) {
        for (settings, levels) in ways(&world) {
            let found = Watched::new(settings, levels.clone()).all(events.clone());
            let fresh = Watched::new(settings, levels).at_once(&world.lasting);
            prop_assert_eq!(&found.ports, &fresh.ports);
            prop_assert_eq!(&found.levels, &fresh.levels);
        }
    }

    /// Equal events give equal commands, in the same order.
    #[test]
    fn equal_events_give_equal_commands((world, events) in sequences(any_worlds())) {
        for (settings, levels) in ways(&world) {
            let one = Watched::new(settings, levels.clone()).all(events.clone());
            let other = Watched::new(settings, levels).all(events.clone());
            prop_assert_eq!(one.commands, other.commands);
        }
    }

    /// Repeated events change nothing and leave nothing to compute.
    #[test]
    fn repeated_events_have_no_effect((world, events) in sequences(any_worlds())) {
        for (settings, levels) in ways(&world) {
            let mut found = Watched::new(settings, levels).all(events.clone());
            for (event, _) in &events {
                prop_assert_eq!(found.accept(event.clone()), Accepted::Known);
                prop_assert!(found.controller.is_settled());
            }
        }
    }

    /// Settling once has the result of settling after each event, with no more commands for any
    /// port.
    #[test]
    fn settling_late_adds_no_commands((world, events) in sequences(any_worlds())) {
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
