//! Polling a queue that stamps, where no device at hand does: one that is played.

use super::*;
use proptest::prelude::*;
use std::cell::RefCell;

/// The entries of a queue (id, status, bytes, and the device's counter), and the calls to it.
#[derive(Default)]
struct Played {
    entries: Vec<(u64, u32, u32, u64)>,
    /// The entry that may be read now.
    at: Option<usize>,
    next: usize,
    /// The error that a call returns instead of the entry with this index.
    fails_at: Option<usize>,
    ends: u32,
}

thread_local! {
    static PLAYED: RefCell<Played> = RefCell::default();
}

/// Goes to the next entry, as a start and a next do.
fn go(queue: *mut sys::ibv_cq_ex) -> i32 {
    PLAYED.with_borrow_mut(|played| {
        if played.fails_at == Some(played.next) {
            return 5;
        }
        let Some(&(id, status, ..)) = played.entries.get(played.next) else { return EMPTY };
        (played.at, played.next) = (Some(played.next), played.next + 1);
        // SAFETY: the queue is the test's own.
        unsafe { ((*queue).wr_id, (*queue).status) = (id, status) };
        0
    })
}

fn current() -> (u64, u32, u32, u64) {
    PLAYED.with_borrow(|played| played.entries[played.at.expect("only what was found is read")])
}

unsafe extern "C" fn start(queue: *mut sys::ibv_cq_ex, _: *mut sys::ibv_poll_cq_attr) -> i32 {
    go(queue)
}

unsafe extern "C" fn next(queue: *mut sys::ibv_cq_ex) -> i32 {
    go(queue)
}

unsafe extern "C" fn end(_: *mut sys::ibv_cq_ex) {
    PLAYED.with_borrow_mut(|played| {
        played.at = None;
        played.ends += 1;
    });
}

unsafe extern "C" fn bytes(_: *mut sys::ibv_cq_ex) -> u32 {
    current().2
}

unsafe extern "C" fn stamp(_: *mut sys::ibv_cq_ex) -> u64 {
    current().3
}

/// A queue with these functions and no others.
fn queue() -> sys::ibv_cq_ex {
    // SAFETY: a struct of numbers, pointers and functions that may be missing.
    let mut queue: sys::ibv_cq_ex = unsafe { zeroed() };
    queue.start_poll = Some(start);
    queue.next_poll = Some(next);
    queue.end_poll = Some(end);
    queue.read_byte_len = Some(bytes);
    queue.read_completion_ts = Some(stamp);
    queue
}

/// Polls once, and returns the completions and the outcome.
fn poll(stamps: &mut Stamps, enough: usize) -> (Vec<Completed>, bool) {
    let (mut queue, mut found) = (queue(), Vec::new());
    let each = |one| {
        found.push(one);
        if found.len() == enough { Err(VerbsError::Poll) } else { Ok(()) }
    };
    // SAFETY: the queue lives and has what is read.
    let end = unsafe { poll_stamps(&mut queue, stamps, each) };
    (found, end.is_ok())
}

proptest! {
    /// Every entry comes once, in its order, with its own stamp, in polls limited by the room for completions. A
    /// started poll is ended, also after a failure.
    #[test]
    fn entries_come_in_their_order(
        entries in prop::collection::vec((any::<u64>(), 0u32..2, any::<u32>(), 0u64..1 << 40), 0..100),
        enough in 1usize..60,
        fails_at in prop::option::of(0usize..100),
    ) {
        let mut expected = entries.clone();
        PLAYED.set(Played { entries, fails_at, ..Played::default() });
        // A gigahertz: a tick is a nanosecond.
        let mut stamps = Stamps::of(u64::MAX, 1_000_000).unwrap();
        let (mut all, mut polls) = (Vec::new(), 0);
        loop {
            let (found, went_well) = poll(&mut stamps, enough);
            prop_assert!(found.len() <= POLLED);
            let began = !found.is_empty();
            polls += u32::from(began);
            all.extend(found);
            if !began {
                prop_assert_eq!(went_well, fails_at.is_none_or(|at| at > expected.len()));
                break;
            }
        }
        expected.truncate(fails_at.unwrap_or(usize::MAX));
        prop_assert_eq!(PLAYED.with_borrow(|played| (played.ends, played.at)), (polls, None));
        prop_assert_eq!(all.len(), expected.len());
        let first = all.iter().zip(&expected).find_map(|(found, entry)| Some((found.stamp?, entry.3)));
        for (found, (id, status, bytes, ticks)) in all.iter().zip(expected) {
            prop_assert_eq!((found.id, found.status), (WorkId(id), Status(status)));
            // No other field of a failed completion is read.
            prop_assert_eq!(found.bytes, if status == 0 { bytes } else { 0 });
            prop_assert_eq!(found.stamp.is_some(), status == 0);
            if let (Some(stamp), Some((zero, at))) = (found.stamp, first) {
                let ps = (ticks as i64 - at as i64) * 1_000;
                prop_assert_eq!(stamp.signed_ps_since(zero), ps);
            }
        }
    }
}
