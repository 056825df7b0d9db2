//! [`drive`]: the measuring loop.

use crate::{Clock, Device, Rested};
use bandwise_rdma::verbs::{Next, Posts, Program};

/// The reason for which [`drive`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveEnd {
    /// The program has finished.
    Done,
    /// `stop` has ended it; the program has its results so far.
    Stopped,
}

/// The number of polls between two checks whether to stop.
const LOOK_EVERY: u32 = 4096;

/// The initial capacity for completions of one poll.
const ROOM: usize = 256;

/// Runs a program on a device until it is done, the device fails or `stop` returns `true`, which is called now and
/// then.
///
/// The loop polls without a pause, unless the device [rests](Device::rest). The time of a step is read after the poll
/// that found its completions, so it is the time at which they were *seen*. While nothing completes, the clock is read
/// only for a program that waits for a time.
///
/// # Errors
///
/// Returns the error of the device.
pub fn drive<P: Program + ?Sized, D: Device>(
    program: &mut P,
    device: &mut D,
    clock: &impl Clock,
    stop: &mut dyn FnMut() -> bool,
) -> Result<DriveEnd, D::Error> {
    let (mut posts, mut seen) = (Posts::default(), Vec::with_capacity(ROOM));
    let mut polls = 0u32;
    let mut next = program.step(clock.now(), &seen, &mut posts);
    loop {
        if !posts.is_empty() {
            device.post(&mut posts)?;
        }
        if next == Next::Done {
            return Ok(DriveEnd::Done);
        }
        seen.clear();
        let now = loop {
            polls += 1;
            if polls >= LOOK_EVERY {
                polls = 0;
                device.check()?;
                if stop() {
                    return Ok(DriveEnd::Stopped);
                }
            }
            device.poll(&mut seen)?;
            if !seen.is_empty() {
                break clock.now();
            }
            let left = match next {
                Next::At(time) => {
                    let now = clock.now();
                    if now >= time {
                        break now;
                    }
                    Some(time - now)
                }
                _ => None,
            };
            match device.rest(left)? {
                Rested::Briefly => {}
                // Completions are polled before the check.
                Rested::Woken => polls = LOOK_EVERY - 2,
                Rested::Long => polls = LOOK_EVERY,
            }
        };
        next = program.step(now, &seen, &mut posts);
    }
}
