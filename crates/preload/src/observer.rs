//! The observing thread: reads the changes of the program's descriptors, and applies marks that arrive late. It opens
//! nothing, as it shares the program's descriptors.

use crate::ledger::{Change, Identity, Ledger, Observed};
use crate::marking::{Marking, Shared};
use crate::table::At;
use crate::watch::Watch;
use crate::{DESCRIPTORS, system};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// The interval of scans while connections change. Waking the thread for each change would cost the program more than
/// all other work in its threads.
const SHORT_SCAN: Duration = Duration::from_millis(1);

/// The longest interval; without changes the interval doubles up to this.
const LONG_SCAN: Duration = Duration::from_millis(32);

/// The interval of checks for descriptors that were closed unnoticed, and for connections that have ended.
const VERIFY_INTERVAL: Duration = Duration::from_secs(1);

/// The state of the thread.
struct Observer<'a, const N: usize, const WORDS: usize, const SUMMARIES: usize> {
    watch: &'a Watch<N, WORDS, SUMMARIES>,
    marking: &'a Shared,
    /// The marking at the last scan.
    marked: Marking,
    ledger: Ledger,
    changes: Sender<Vec<Change>>,
}

/// Runs until `sleep`, which gets the duration, returns true.
pub(crate) fn run<const N: usize, const WORDS: usize, const SUMMARIES: usize>(
    watch: &Watch<N, WORDS, SUMMARIES>,
    marking: &Shared,
    changes: Sender<Vec<Change>>,
    sleep: impl Fn(Duration) -> bool,
) {
    let marked = marking.get();
    let mut observer = Observer { watch, marking, marked, ledger: Ledger::default(), changes };
    let (mut wait, mut verified) = (SHORT_SCAN, Instant::now());
    loop {
        let mut is_busy = observer.scan();
        if verified.elapsed() >= VERIFY_INTERVAL {
            observer.verify();
            is_busy |= observer.scan();
            verified = Instant::now();
        }
        observer.remark();
        wait = if is_busy { SHORT_SCAN } else { (2 * wait).min(LONG_SCAN) };
        if sleep(wait) {
            return;
        }
    }
}

impl<const N: usize, const WORDS: usize, const SUMMARIES: usize> Observer<'_, N, WORDS, SUMMARIES> {
    /// Returns the connection at a descriptor, if that is a socket with a peer on another host.
    fn observe(&self, descriptor: usize) -> Option<Observed> {
        let At::Connection(id, peer) = self.watch.at(descriptor) else { return None };
        let identity = match fd_of(descriptor) {
            Some(fd) => {
                let inode = system::socket(fd)?;
                // The address is this host's own; such packets take the loopback.
                if system::local(fd) == Some(peer) || system::has_ended(fd) {
                    return None;
                }
                Identity(inode)
            }
            // A single function destroys queue pairs, and one destroys address handles.
            None => Identity(0),
        };
        Some(Observed { id, peer, identity })
    }

    /// Reads the changes, and sends them to the reporting thread. Returns whether there are any.
    fn scan(&mut self) -> bool {
        let mut changed = Vec::new();
        self.watch.take(|descriptor| changed.push(descriptor));
        let is_any = !changed.is_empty();
        let observed: Vec<_> =
            changed.into_iter().map(|changed| (changed, self.observe(changed))).collect();
        let changes = self.ledger.update(observed);
        if !changes.is_empty() {
            // The reporting thread has ended if the controller refuses the application.
            let _ = self.changes.send(changes);
        }
        is_any
    }

    /// Finds descriptors that were closed unnoticed, for example by `fclose`, and connections that were refused or
    /// reset.
    fn verify(&mut self) {
        for (descriptor, id, identity) in self.ledger.held() {
            let Some(fd) = fd_of(descriptor) else { continue };
            if system::socket(fd).map(Identity) != Some(identity) || system::has_ended(fd) {
                self.watch.lost(descriptor, id);
            }
        }
    }

    /// Marks sockets that were connected before the current mark was known.
    fn remark(&mut self) {
        let mark = self.marking.get();
        if mark == std::mem::replace(&mut self.marked, mark) {
            return;
        }
        for (descriptor, ..) in self.ledger.held() {
            if let (At::Connection(_, peer), Some(fd)) =
                (self.watch.at(descriptor), fd_of(descriptor))
            {
                system::mark(fd, peer, mark, false);
            }
        }
    }
}

/// Returns the file descriptor at an index of the table; `None` for queue pairs and address handles.
fn fd_of(descriptor: usize) -> Option<i32> {
    i32::try_from(descriptor).ok().filter(|_| descriptor < DESCRIPTORS)
}
