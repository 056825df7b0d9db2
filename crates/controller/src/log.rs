//! The log of the daemon, in which a message that is repeated many times is counted.

use bandwise_input::is_printable;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// The number of messages of one kind in each period that are logged.
const MOST: u64 = 20;

/// The period after which the number of messages that were left out is logged.
const PERIOD: Duration = Duration::from_secs(10);

/// Writes log events to standard error from now on, one JSON object a line. Of many events from one place of the
/// program, the first are written, and then the number of the others. A subscriber that is set already stays.
pub fn log_to_standard_error() {
    let counts = Counts::default();
    let logs = tracing_subscriber::fmt().json().flatten_event(true).with_target(false);
    let logs = logs.with_writer(|| Escaped(std::io::stderr())).finish().with(counts.clone());
    // The call fails only if a subscriber is set already.
    if logs.try_init().is_ok() {
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(PERIOD);
                counts.report();
            }
        });
    }
}

/// A writer of JSON lines that escapes characters by which a name could change what a terminal shows.
struct Escaped<W>(W);

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut line = String::with_capacity(bytes.len());
        for c in String::from_utf8_lossy(bytes).chars() {
            match is_printable(c) || c == '\n' {
                true => line.push(c),
                false => {
                    let units = &mut [0; 2];
                    line.extend(c.encode_utf16(units).iter().map(|unit| format!("\\u{unit:04x}")));
                }
            }
        }
        self.0.write_all(line.as_bytes()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The events of the current period. All clones share them.
#[derive(Debug, Clone, Default)]
struct Counts(Arc<Mutex<HashMap<Identifier, Count>>>);

/// The number of events from one place of the program, and the message of the first that was left out.
#[derive(Debug, Default)]
struct Count {
    all: u64,
    message: String,
}

impl Counts {
    fn lock(&self) -> MutexGuard<'_, HashMap<Identifier, Count>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a new period, and logs the numbers of events that were left out in the last one.
    fn report(&self) {
        // The lock is free before anything is logged.
        let counts = std::mem::take(&mut *self.lock());
        for Count { all, message } in counts.into_values().filter(|count| count.all > MOST) {
            tracing::warn!(left_out = all - MOST, of = message, "left out messages of one kind");
        }
    }
}

impl<S: Subscriber> Layer<S> for Counts {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let mut counts = self.lock();
        let count = counts.entry(event.metadata().callsite()).or_default();
        count.all += 1;
        if count.all == MOST + 1 {
            event.record(&mut Message(&mut count.message));
        }
        count.all <= MOST
    }
}

/// A visitor that takes an event's message.
struct Message<'a>(&'a mut String);

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            *self.0 = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log in memory.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn names_can_not_move_the_cursor() {
        let log = Log::default();
        let writer = log.clone();
        let logs = tracing_subscriber::fmt().json().flatten_event(true);
        let logs = logs.with_writer(move || Escaped(writer.clone())).finish();
        let name = "évil\u{1b}[2J\u{202e}\u{9b}\u{2028}";
        tracing::subscriber::with_default(logs, || tracing::info!(name, "called"));
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let line = text.strip_suffix('\n').unwrap();
        assert!(line.chars().all(is_printable), "{line:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(line).unwrap()["name"], name);
    }

    #[test]
    fn repeated_messages_are_counted() {
        let (log, counts) = (Log::default(), Counts::default());
        let writer = log.clone();
        let logs = tracing_subscriber::fmt().json().flatten_event(true);
        let logs = logs.with_writer(move || writer.clone()).finish().with(counts.clone());
        tracing::subscriber::with_default(logs, || {
            for _ in 0..2 {
                for number in 0..1000 {
                    tracing::warn!(number, "repeated {number}");
                }
                tracing::info!("another");
                counts.report();
            }
            counts.report();
        });
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let period = MOST as usize + 2;
        assert_eq!(lines.len(), 2 * period, "{text}");
        for lines in lines.chunks(period) {
            assert!(lines[0].contains("repeated 0") && lines[19].contains("repeated 19"), "{text}");
            assert!(lines[20].contains("another"), "{text}");
            let left_out = "\"left_out\":980,\"of\":\"repeated 20\"";
            assert!(lines[21].contains(left_out), "{text}");
        }
    }
}
