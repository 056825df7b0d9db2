//! Commands of a controller, step by step.

use super::world::{
    Watched, closed, connected, found, grouping, name, registered, registered_by, sends, table,
};
use crate::common::share;
use bandwise_saba::controller::{
    Accepted, ApplicationId, Command, Coordinates, Event, Grouping, Levels, PortConfig, PortId,
    Profile, Refused, Settings,
};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_saba::sensitivity::{Model, Polynomial};

fn controller() -> Watched {
    Watched::new(Settings::default(), Levels::Registered(grouping()))
}

fn assign(application: u64, level: u16) -> Command {
    Command::Assign { application: ApplicationId(application), level: PriorityLevel(level) }
}

fn configure(port: u64, table: &[(u16, u8)], weights: &[u8]) -> Command {
    let table = table.iter().map(|&(level, queue)| (PriorityLevel(level), queue)).collect();
    let config = PortConfig { table, weights: weights.to_vec() };
    Command::Configure { port: PortId(port), config }
}

/// The library's calls in sequence (Saba 4.4.2).
#[test]
fn lifecycle_from_registration_to_end() {
    let mut saba = controller();
    saba.accept(found(7, 8, 0));
    saba.accept(registered(1, &sends(0.2)));
    saba.accept(registered(2, &sends(0.8)));
    assert_eq!(saba.settle(), [assign(1, 0), assign(2, 1)]);
    saba.accept(connected(1, 1, 0, &[7]));
    assert_eq!(saba.settle(), [configure(7, &[(0, 0)], &[255])]);
    // Four times the data gets twice the share.
    saba.accept(connected(2, 2, 1, &[7]));
    assert_eq!(saba.settle(), [configure(7, &[(0, 0), (1, 1)], &[128, 255])]);
    // A second connection of an application takes no share from others.
    saba.accept(connected(3, 1, 0, &[7]));
    assert_eq!(saba.settle(), []);
    saba.accept(closed(1, &[7]));
    assert_eq!(saba.settle(), []);
    saba.accept(closed(3, &[7]));
    assert_eq!(saba.settle(), [configure(7, &[(1, 0)], &[255])]);
    // The end of an application ends its connections.
    saba.accept(Event::Gone { application: ApplicationId(2) });
    assert_eq!(saba.settle(), [configure(7, &[], &[])]);
    assert_eq!(saba.controller.level(ApplicationId(2)), None);
}

/// A later registration moves levels, while open connections keep theirs.
#[test]
fn a_connection_keeps_its_level() {
    let mut saba = controller();
    saba.accept(found(7, 8, 0));
    saba.accept(registered(1, &sends(0.8)));
    assert_eq!(saba.settle(), [assign(1, 0)]);
    saba.accept(connected(1, 1, 0, &[7]));
    assert_eq!(saba.settle(), [configure(7, &[(0, 0)], &[255])]);
    saba.accept(registered(2, &sends(0.2)));
    assert_eq!(saba.settle(), [assign(1, 1), assign(2, 0)]);
    // The old connection and the new application are in level 0. The first application has two
    // thirds of the port, and each of its connections a half of that.
    saba.accept(connected(2, 1, 1, &[7]));
    saba.accept(connected(3, 2, 0, &[7]));
    assert_eq!(saba.settle(), [configure(7, &[(0, 0), (1, 1)], &[255, 128])]);
    saba.accept(closed(1, &[7]));
    assert_eq!(saba.settle(), [configure(7, &[(0, 0), (1, 1)], &[128, 255])]);
}

/// A level that no application has any more takes the place of its connections' applications.
#[test]
fn an_old_level_merges_with_the_nearest() {
    let mut saba = controller();
    saba.accept(found(7, 2, 0));
    for (application, c) in [(1, 0.2), (2, 0.6), (3, 1.0)] {
        saba.accept(registered(application, &sends(c)));
    }
    assert_eq!(saba.settle(), [assign(1, 0), assign(2, 1), assign(3, 2)]);
    for (connection, level) in [(1, 0), (2, 1), (3, 2)] {
        saba.accept(connected(connection, connection, level, &[7]));
    }
    saba.settle();
    // The second application changes its level when the first ends. Its old connection shares level
    // 1 with the third's new one. The third's old connection is alone in level 2.
    saba.accept(Event::Gone { application: ApplicationId(1) });
    let commands = saba.settle();
    assert_eq!(commands[..2], [assign(2, 0), assign(3, 1)]);
    saba.accept(connected(4, 2, 0, &[7]));
    saba.settle();
    let config = &saba.ports[&PortId(7)];
    // Level 0 has the second application, level 1 the mean of both, level 2 the third. Level 1 is
    // equally near to both.
    assert_eq!(config.table.iter().len(), 3);
    assert_ne!(config.table.of(PriorityLevel(0)), config.table.of(PriorityLevel(2)));
}

/// A connection counts once its application and ports are known, in any order.
#[test]
fn early_connections_wait_for_application_and_port() {
    let mut saba = controller();
    saba.accept(connected(1, 1, 0, &[7]));
    saba.accept(found(7, 8, 0));
    assert_eq!(saba.settle(), []);
    let named = Profile::Named(name(0));
    saba.accept(registered_by("", 1, named));
    assert_eq!(saba.settle(), []);
    saba.accept(Event::ModelUpdated { name: name(0), model: sends(0.4), revision: 1 });
    assert_eq!(saba.settle(), [assign(1, 0), configure(7, &[(0, 0)], &[255])]);
    // A connection that was closed before it was opened never counts.
    assert_eq!(saba.accept(closed(2, &[7])), Accepted::New);
    assert_eq!(saba.accept(connected(2, 1, 3, &[7])), Accepted::Known);
    assert_eq!(saba.settle(), []);
}

/// A tenant has at most 3/4 of a port that it shares with one other, however many applications it
/// registers, and an equal part if that is guaranteed.
#[test]
fn many_applications_leave_another_tenant_its_guaranteed_part() {
    let weights = |guaranteed: Option<f64>, applications: u64| {
        let guaranteed = guaranteed.map(share);
        let settings = Settings { guaranteed, ..Settings::default() };
        let mut saba = Watched::new(settings, Levels::Registered(grouping()));
        saba.accept(found(7, 8, 0));
        for id in 0..=applications {
            let (tenant, level) = if id == 0 { ("other", 0) } else { ("many", 1) };
            saba.accept(registered_by(tenant, id, Profile::Model(sends(0.4))));
            saba.accept(connected(id, id, level, &[7]));
        }
        saba.settle();
        saba.ports[&PortId(7)].weights.clone()
    };
    assert_eq!(weights(Some(0.5), 1), [255, 255]);
    assert_eq!(weights(Some(0.5), 2), [128, 255]);
    assert_eq!(weights(Some(0.5), 999), [85, 255]);
    assert_eq!(weights(Some(1.0), 999), [255, 255]);
    assert_eq!(weights(None, 999), [1, 255]);
}

/// A port that is found again is configured again, also if its loss was not noticed.
#[test]
fn rediscovered_port_is_configured_again() {
    let mut saba = controller();
    saba.accept(registered(1, &sends(0.4)));
    saba.accept(connected(1, 1, 0, &[7]));
    saba.accept(found(7, 8, 1));
    let commands = [configure(7, &[(0, 0)], &[255])];
    assert_eq!(saba.settle()[1..], commands);
    assert_eq!(saba.accept(found(7, 8, 1)), Accepted::Known);
    assert_eq!(saba.settle(), []);
    saba.accept(found(7, 8, 2));
    assert_eq!(saba.settle(), commands);
    saba.accept(Event::PortLost { port: PortId(7), revision: 4 });
    assert_eq!(saba.accept(found(7, 8, 3)), Accepted::Known);
    assert_eq!(saba.settle(), []);
    assert!(saba.controller.configurations().next().is_none());
}

/// An application that was profiled after the table was made takes the nearest level.
#[test]
fn later_applications_take_the_nearest_level() {
    let table = table(&[sends(0.2), sends(0.6), sends(1.0)]);
    let mut saba = Watched::new(Settings::default(), Levels::Shared(table));
    saba.accept(registered(1, &sends(0.65)));
    let named = Profile::Named(name(2));
    saba.accept(registered_by("", 2, named));
    assert_eq!(saba.settle(), [assign(1, 1), assign(2, 2)]);
    // An updated model changes weights. Levels stay until another table is loaded.
    saba.accept(Event::ModelUpdated { name: name(2), model: sends(0.2), revision: 1 });
    assert_eq!(saba.settle(), []);
}

#[test]
fn contradictions_are_refused() {
    let mut saba = controller().controller;
    let mut refuse = |first: Event, second: Event, refused: Refused| {
        assert_eq!(saba.handle(first.clone()), Ok(Accepted::New));
        assert_eq!(saba.handle(second), Err(refused));
        assert_eq!(saba.handle(first), Ok(Accepted::Known));
    };
    refuse(
        registered(1, &sends(0.2)),
        registered(1, &sends(0.4)),
        Refused::OtherProfile(ApplicationId(1)),
    );
    let other = bandwise_saba::controller::ConnectionId(1);
    refuse(connected(1, 1, 0, &[7]), connected(1, 1, 0, &[8]), Refused::OtherConnection(other));
    let port = Refused::OtherPort { port: PortId(7), revision: 3 };
    refuse(found(7, 8, 3), found(7, 4, 3), port);
    let update = |c| Event::ModelUpdated { name: name(0), model: sends(c), revision: 5 };
    refuse(update(0.2), update(0.4), Refused::OtherModel { revision: 5 });
    let refused = saba.handle(connected(2, 1, 4, &[7])).unwrap_err();
    assert_eq!(refused.to_string(), "no priority level 4: there are 4, counted from 0");
}

#[test]
fn grouping_by_coefficients_needs_polynomials() {
    let grouping = Grouping { coordinates: Coordinates::Coefficients, ..grouping() };
    let levels = Levels::Registered(grouping);
    let mut saba = Watched::new(Settings::default(), levels);
    let refused = saba.controller.handle(registered(1, &sends(0.2)));
    assert_eq!(refused, Err(Refused::NoCoefficients));
    let line = |slope: f64| {
        let least = crate::common::share(0.05);
        Model::Polynomial(Polynomial::new([1.0 - slope, slope, 0.0, 0.0], least).unwrap())
    };
    saba.accept(registered(1, &line(-2.0)));
    saba.accept(registered(2, &line(-0.5)));
    assert_eq!(saba.settle(), [assign(1, 1), assign(2, 0)]);
}
