//! Applications that are registered in parts.

use super::world::{World, application, connect, register, register_part};
use bandwise_controller::core::{ClientId, Input, NumberedRequest, Owner, Refusal, Request, Rules};
use bandwise_saba::controller::ApplicationId;

/// Two clients, each with a part of `little` that sends to a host, and `all` beside them.
fn two_parts(job: [&str; 2]) -> (World, [(ClientId, ApplicationId); 2]) {
    let mut world = World::new(Rules::default());
    let parts = job.map(|job| {
        let client = world.hello();
        let part = application(&world.answer_to(client, 0, register_part("little", job)));
        world.answer_to(client, 1, connect(part, "h1", "h3")).unwrap();
        (client, part)
    });
    let client = world.hello();
    let all = application(&world.answer_to(client, 0, register("all")));
    world.answer_to(client, 1, connect(all, "h1", "h3")).unwrap();
    world.settle();
    (world, parts)
}

/// Returns the weights with an application that is registered once.
fn registered_once() -> Vec<u8> {
    super::by_hand::two_that_send().0.weights(3)
}

#[test]
fn parts_of_one_job_share_as_one_application() {
    let (together, parts) = two_parts(["j", "j"]);
    assert_ne!(parts[0].1, parts[1].1, "each is closed by itself");
    assert_eq!(together.weights(3), registered_once());
    let (apart, _) = two_parts(["j", "k"]);
    assert_ne!(apart.weights(3), registered_once());
}

/// The order of the parts does not matter, nor whether they deregister or lose their lease, nor a crash.
#[test]
fn job_ends_with_its_last_part() {
    for (first, crashes) in [(0, false), (1, false), (0, true), (1, true)] {
        let (mut world, parts) = two_parts(["j", "j"]);
        let (client, application) = parts[first];
        world.answer_to(client, 2, Request::Deregister { application }).unwrap();
        if crashes {
            world.crash(true, true);
        }
        world.settle();
        assert_eq!(world.weights(3), registered_once());
        // A new registration joins the existing job.
        let again = world.hello();
        let part =
            super::world::application(&world.answer_to(again, 0, register_part("little", "j")));
        world.answer_to(again, 1, connect(part, "h1", "h3")).unwrap();
        world.settle();
        assert_eq!(world.weights(3), registered_once());
        for client in [parts[1 - first].0, again] {
            let ticket = world.ticket();
            world.hear(Input::Goodbye { ticket, owner: Owner::default(), client });
            world.store(true);
        }
        world.settle();
        assert_eq!(world.weights(3), [1]);
        // The next registration starts another job.
        let part =
            super::world::application(&world.answer_to(client, 3, register_part("little", "j")));
        world.answer_to(client, 4, connect(part, "h1", "h3")).unwrap();
        world.settle();
        assert_eq!(world.weights(3), registered_once());
    }
}

/// A registration that was not stored is not joined.
#[test]
fn unstored_part_is_not_joined() {
    let mut world = World::new(Rules::default());
    let (one, other) = (world.hello(), world.hello());
    let request = register_part("little", "j");
    let ask = |world: &mut World, client, is_well| {
        let request =
            NumberedRequest { client, number: 0, acknowledged_below: 0, request: request.clone() };
        let ticket = world.ask(request);
        world.store(is_well);
        world.answers.remove(&ticket).unwrap()
    };
    assert!(matches!(ask(&mut world, one, false), Err(Refusal::NotStored(_))));
    let part = application(&ask(&mut world, other, true));
    let (_, stored) = world.stored.applications().next().unwrap();
    assert_eq!(stored.job.as_ref().unwrap().whole, part);
}

#[test]
fn owners_have_separate_jobs_of_equal_name() {
    let mut world = World::new(Rules::default());
    let mut wholes = ["a", "b"].map(|owner| {
        let client = world.hello_of(owner.into()).unwrap();
        application(&world.answer_to(client, 0, register_part("little", "j")))
    });
    wholes.sort();
    let jobs = world.stored.applications().map(|of| of.1.job.as_ref().unwrap().whole);
    assert_eq!(jobs.collect::<Vec<_>>(), wholes);
}

#[test]
fn unnamed_job_is_refused() {
    let mut world = World::new(Rules::default());
    let client = world.hello();
    for job in [String::new(), "x".repeat(257)] {
        let refused = world.answer_to(client, 0, register_part("little", &job)).unwrap_err();
        assert!(matches!(&refused, Refusal::BadSetting { .. }), "{refused}");
    }
    world.answer_to(client, 0, register_part("little", &"x".repeat(256))).unwrap();
}
