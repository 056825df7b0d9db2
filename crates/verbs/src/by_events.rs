//! [`ByEvents`]: a measuring loop that sleeps until a completion, instead of busy polling.

use crate::{Device, Rested};
use bandwise_rdma::verbs::{Completion, Posts};
use bandwise_units::Time;

/// A device whose completions can wake a sleeping thread.
pub trait Wakes: Device {
    /// Arms the device: the next completion that arrives from now on ends a sleep.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn arm(&mut self) -> Result<(), Self::Error>;

    /// Sleeps until an event or a timeout.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn sleep(&mut self, at_most: Time) -> Result<Woken, Self::Error>;
}

/// The reason for which a sleep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// A completion has arrived since the arming. The device has to be armed again.
    ByCompletion,
    /// Another event, a signal or the timeout.
    Otherwise,
}

/// The longest sleep, after which the loop checks whether to stop.
const LONGEST: Time = Time::from_ms(100);
/// The shortest sleep; shorter waits poll. Linux extends a sleep by up to 50 us (timerslack).
const SHORTEST: Time = Time::from_us(100);

/// A device whose loop sleeps while nothing completes.
///
/// A completion between a poll and the arming ends no sleep. So the device is armed first, polled
/// once more, and only then sleeps.
#[derive(Debug)]
pub struct ByEvents<D> {
    device: D,
    is_armed: bool,
}

impl<D> ByEvents<D> {
    /// Wraps a device.
    pub fn of(device: D) -> Self {
        ByEvents { device, is_armed: false }
    }
}

impl<D: Wakes> Device for ByEvents<D> {
    type Error = D::Error;

    fn post(&mut self, posts: &mut Posts) -> Result<(), D::Error> {
        self.device.post(posts)
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), D::Error> {
        self.device.poll(seen)
    }

    fn rest(&mut self, at_most: Option<Time>) -> Result<Rested, D::Error> {
        let at_most = at_most.map_or(LONGEST, |at_most| at_most.min(LONGEST));
        if at_most < SHORTEST {
            return Ok(Rested::Briefly);
        }
        if !self.is_armed {
            self.device.arm()?;
            self.is_armed = true;
            return Ok(Rested::Briefly);
        }
        match self.device.sleep(at_most)? {
            Woken::ByCompletion => {
                self.is_armed = false;
                Ok(Rested::Woken)
            }
            Woken::Otherwise => Ok(Rested::Long),
        }
    }

    fn check(&mut self) -> Result<(), D::Error> {
        self.device.check()
    }
}

impl<D: Device> Device for &mut D {
    type Error = D::Error;

    fn post(&mut self, posts: &mut Posts) -> Result<(), D::Error> {
        D::post(self, posts)
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), D::Error> {
        D::poll(self, seen)
    }

    fn rest(&mut self, at_most: Option<Time>) -> Result<Rested, D::Error> {
        D::rest(self, at_most)
    }

    fn check(&mut self) -> Result<(), D::Error> {
        D::check(self)
    }
}

impl<D: Wakes> Wakes for &mut D {
    fn arm(&mut self) -> Result<(), D::Error> {
        D::arm(self)
    }

    fn sleep(&mut self, at_most: Time) -> Result<Woken, D::Error> {
        D::sleep(self, at_most)
    }
}
