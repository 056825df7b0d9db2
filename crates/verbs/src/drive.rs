//! [`drive`]: the measuring loop.

use crate::{Clock, Device, Rested};
use bandwise_rdma::verbs::{Next, Posts, Program};

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It has what it wanted.
    Done,
    /// Somebody asked for it to stop; it holds what it has so far.
    Stopped,
}

/// Polls between two looks at whether to stop.
const LOOK_EVERY: u32 = 4096;

/// Completions of one poll that there is room for from the beginning.
const ROOM: usize = 256;

/// Runs a program over a device until it is done, the device fails or `stop` says so, which is asked now and then.
///
/// It polls without a pause, unless the device [rests](Device::rest). The time of a step is read after the poll that
/// found what the step is told, so it is when the completions were *seen*; while nothing is found the clock is read
/// only for a program that waits for a time.
pub fn drive<P: Program + ?Sized, D: Device>(
    program: &mut P,
    device: &mut D,
    clock: &impl Clock,
    stop: &mut dyn FnMut() -> bool,
) -> Result<End, D::Error> {
    let (mut posts, mut seen) = (Posts::default(), Vec::with_capacity(ROOM));
    let mut polls = 0u32;
    let mut next = program.step(clock.now(), &seen, &mut posts);
    loop {
        if !posts.is_empty() {
            device.post(&mut posts)?;
        }
        if next == Next::Done {
            return Ok(End::Done);
        }
        seen.clear();
        let now = loop {
            polls += 1;
            if polls >= LOOK_EVERY {
                polls = 0;
                device.check()?;
                if stop() {
                    return Ok(End::Stopped);
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
                // What completed is polled for before it is asked.
                Rested::Woken => polls = LOOK_EVERY - 2,
                Rested::Long => polls = LOOK_EVERY,
            }
        };
        next = program.step(now, &seen, &mut posts);
    }
}
