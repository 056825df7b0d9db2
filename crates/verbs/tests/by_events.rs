//! A program that sleeps until a completion wakes it misses none.

use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Posts, Program, Qp};
use bandwise_units::Time;
use bandwise_verbs::{ByEvents, Device, DriveEnd, Monotonic, Rested, Wakes, Woken, drive};
use proptest::prelude::*;
use std::convert::Infallible;

/// A completion queue as verbs have it (IBTA 11.4.2.2): an event is of the next completion after it was asked for,
/// and there is one for each time that it was asked for.
#[derive(Default)]
struct Model {
    /// Numbers of completions that come before each call, in reverse order.
    coming: Vec<u8>,
    /// Completions that have come and were not polled.
    there: u32,
    is_armed: bool,
    events: u32,
    sleeps: u32,
}

impl Model {
    /// Advances to the next call. Returns `false` if nothing will happen any more.
    fn time_goes_by(&mut self) -> bool {
        let Some(come) = self.coming.pop() else { return false };
        self.there += u32::from(come);
        if come > 0 && std::mem::take(&mut self.is_armed) {
            self.events += 1;
        }
        true
    }
}

impl Device for Model {
    type Error = Infallible;

    fn post(&mut self, _posts: &mut Posts) -> Result<(), Infallible> {
        Ok(())
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), Infallible> {
        self.time_goes_by();
        // Some completions remain for the next poll, as with a full buffer.
        for _ in 0..self.there.min(2) {
            let kind = CompletionKind::Received;
            seen.push(Completion { qp: Qp(0), id: 0, kind, bytes: 8, truth: None, stamp: None });
            self.there -= 1;
        }
        Ok(())
    }
}

impl Wakes for Model {
    fn arm(&mut self) -> Result<(), Infallible> {
        self.time_goes_by();
        self.is_armed = true;
        self.time_goes_by();
        Ok(())
    }

    fn sleep(&mut self, _at_most: Time) -> Result<Woken, Infallible> {
        self.sleeps += 1;
        self.time_goes_by();
        while self.events == 0 {
            assert_eq!(self.there, 0, "the device sleeps with an unreported completion");
            if !self.time_goes_by() {
                return Ok(Woken::Otherwise);
            }
        }
        self.events -= 1;
        Ok(Woken::ByCompletion)
    }
}

/// Waits for so many.
struct Wants(u32);

impl Program for Wants {
    fn step(&mut self, _now: Time, seen: &[Completion], _posts: &mut Posts) -> Next {
        self.0 -= seen.len() as u32;
        if self.0 == 0 { Next::Done } else { Next::Completion }
    }
}

proptest! {
    #[test]
    fn no_completion_is_missed(coming in prop::collection::vec(prop_oneof![4 => Just(0u8), 3 => Just(1), 1 => 2u8..6], 0..200)) {
        let all = coming.iter().map(|&come| u32::from(come)).sum();
        prop_assume!(all > 0);
        let mut device = ByEvents::of(Model { coming, ..Model::default() });
        let (mut program, clock) = (Wants(all), Monotonic::start());
        // A sleep without a completion checks the stop condition repeatedly, one that ends by a completion checks it once.
        let mut asked = 0;
        let mut stop = || {
            asked += 1;
            asked > all
        };
        let end = drive(&mut program, &mut device, &clock, &mut stop);
        prop_assert_eq!(end, Ok(DriveEnd::Done));
    }
}

/// A program that is always woken by completions can be stopped.
#[test]
fn busy_program_can_be_stopped() {
    let mut device = ByEvents::of(Model { coming: [0, 1].repeat(500), ..Model::default() });
    let mut asked = 0;
    let mut stop = || {
        asked += 1;
        asked == 10
    };
    let (mut program, clock) = (Wants(500), Monotonic::start());
    assert_eq!(drive(&mut program, &mut device, &clock, &mut stop), Ok(DriveEnd::Stopped));
    assert!(program.0 > 400, "{} were left", program.0);
}

/// A program that waits for a near time does not sleep; one without a deadline is stepped at intervals.
#[test]
fn short_waits_do_not_sleep() {
    let mut model = Model::default();
    let mut device = ByEvents::of(&mut model);
    for _ in 0..4 {
        assert_eq!(device.rest(Some(Time::from_us(99))), Ok(Rested::Briefly));
    }
    assert_eq!(device.rest(Some(Time::from_us(100))), Ok(Rested::Briefly));
    assert_eq!(device.rest(Some(Time::from_us(100))), Ok(Rested::Long));
    assert_eq!(device.rest(None), Ok(Rested::Long));
    assert_eq!(model.sleeps, 2);
}
