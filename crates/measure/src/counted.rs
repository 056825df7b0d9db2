//! Counts of a flow, summed over the programs of its threads.

use bandwise_agents::Counted;
use bandwise_rperf::{Generator, Latency, Measure, PARTS, Window, WindowLatency};
use bandwise_units::{Bytes, Time};
use std::array;

/// Returns the counts of the whole run, which took `took`.
pub(crate) fn whole(programs: &[Generator], bytes: u32, took: Time) -> Counted {
    if let [Generator::Bulk(bulk)] = programs {
        return counted(bulk.completed(), bytes, took);
    }
    of_latency(&merged(programs.iter().filter_map(Generator::latency)), bytes, took)
}

/// Returns the counts of a window, cut at the end of the flow.
pub(crate) fn within(programs: &[Generator], bytes: u32, window: Window, ended: Time) -> Counted {
    if let [Generator::Bulk(bulk)] = programs {
        return of_bulk(bulk.bandwidth().messages, bytes, window, ended);
    }
    let Some(within) = joined(programs) else { return Counted::NONE };
    of_rounds(within.latency(), within.span(), bytes)
}

/// Returns the counts from the start of a window to the end of each of its parts, cut at the end of
/// the flow.
pub(crate) fn parts(
    programs: &[Generator],
    bytes: u32,
    window: Window,
    ended: Time,
) -> [Counted; PARTS] {
    if let [Generator::Bulk(bulk)] = programs {
        return array::from_fn(|part| {
            let parts = part + 1;
            let messages =
                bulk.slices().map_or(0, |slices| slices.first(Window::units(parts) as usize));
            of_bulk(messages, bytes, window.first(parts), ended)
        });
    }
    let Some(within) = joined(programs) else { return [Counted::NONE; PARTS] };
    let mut parts = within.parts();
    let (mut latency, mut so_far) = (Latency::coarse(), Counted::NONE);
    let mut span: Option<(Time, Time)> = None;
    array::from_fn(|_| {
        if let Some((part, Some((began, ended)))) = parts.next() {
            latency.merge(part);
            span = Some((span.map_or(began, |(from, _)| from.min(began)), ended));
        }
        // Percentiles are unchanged without new rounds.
        if latency.count() > so_far.messages {
            so_far = of_rounds(&latency, span, bytes);
        }
        so_far
    })
}

/// Returns the earliest of the threads' last messages.
pub(crate) fn carried(programs: &[Generator]) -> Option<Time> {
    let last: Option<Vec<Time>> = programs.iter().map(Generator::last).collect();
    last?.into_iter().min()
}

/// Merges the rounds of all threads in the window.
fn joined(programs: &[Generator]) -> Option<WindowLatency> {
    let mut each =
        programs.iter().filter_map(Generator::measure).filter_map(Measure::window_latency);
    let mut all = each.next()?.clone();
    each.for_each(|one| all.merge(one));
    Some(all)
}

fn of_bulk(messages: u64, bytes: u32, window: Window, ended: Time) -> Counted {
    counted(messages, bytes, window.to.min(ended).saturating_sub(window.from))
}

fn of_rounds(latency: &Latency, span: Option<(Time, Time)>, bytes: u32) -> Counted {
    of_latency(latency, bytes, span.map_or(Time::ZERO, |(from, to)| to - from))
}

fn merged<'a>(latencies: impl Iterator<Item = &'a Latency>) -> Latency {
    latencies.fold(Latency::new(), |mut all, one| {
        all.merge(one);
        all
    })
}

fn of_latency(latency: &Latency, bytes: u32, over: Time) -> Counted {
    Counted { latency: latency.summary(), ..counted(latency.count(), bytes, over) }
}

/// Counts messages of one size over a time.
fn counted(messages: u64, bytes: u32, over: Time) -> Counted {
    Counted { messages, bytes: Bytes::new(u64::from(bytes)) * messages, over, latency: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_rdma::verbs::{Completion, CompletionKind, Opcode, Posts, Program, Qp};
    use bandwise_rperf::{Bulk, BulkSettings, ClosedLoop, ClosedLoopSettings, Rounds, Think};

    /// Two threads: one has a message every 10 us, the other every 20 us.
    #[test]
    fn threads_are_counted_together() {
        let us = Time::from_us;
        let window = Window { from: us(15), to: us(100) };
        let program = |every: u64| {
            let mut posts = Posts::default();
            let rounds = Rounds { warmup: 0, samples: u64::MAX, think: Think::none() };
            let (qp, opcode, bytes, inline_max) = (Qp(0), Opcode::Write, 100, 0);
            let settings = ClosedLoopSettings { qp, opcode, bytes, inline_max, depth: 1, rounds };
            let mut program = Generator::from(ClosedLoop::new(settings));
            program.record_window(window);
            program.step(Time::ZERO, &[], &mut posts);
            for now in (1..).map(|i| us(i * every)).take_while(|&now| now <= us(60)) {
                let id = posts.drain().last().map_or(0, |request| request.id);
                let kind = CompletionKind::Sent(opcode);
                let seen = Completion { qp, id, kind, bytes, truth: None, stamp: None };
                program.step(now, &[seen], &mut posts);
            }
            program
        };
        let programs = [program(10), program(20)];
        let all = whole(&programs, 100, us(60));
        assert_eq!((all.messages, all.bytes, all.over), (9, Bytes::new(900), us(60)));
        // The rounds of both from 20 to 60 us.
        let some = within(&programs, 100, window, us(60));
        assert_eq!((some.messages, some.over), (6, us(40)));
        let latency = some.latency.unwrap();
        assert!((latency.max_ns - 20_000.0).abs() < 100.0 && latency.count == 6, "{latency:?}");
        assert_eq!(within(&[], 100, window, us(60)).messages, 0);
        // Until 15 us plus 32 of 64 units, 57.5 us: three rounds of the first, one of the second.
        let parts = parts(&programs, 100, window, us(60));
        let first = parts[23];
        assert_eq!((first.messages, first.over, parts[0].messages), (4, us(30), 0));
        assert_eq!((parts[31].messages, parts[31].over), (some.messages, some.over));
        assert_eq!(carried(&programs), Some(us(60)));
        assert_eq!(carried(&[]), None);
    }

    /// Two messages at a time, which complete every 10 us.
    #[test]
    fn bulk_is_counted_by_parts() {
        let us = Time::from_us;
        let window = Window { from: us(20), to: us(340) };
        let mut bulk = Bulk::new(BulkSettings {
            qps: vec![Qp(0)],
            opcode: Opcode::Write,
            bytes: 100,
            buffer: Bytes::new(200),
            depth: 2,
            batch: 2,
            signal_every: 2,
            inline_max: 0,
            start: Time::ZERO,
            until: None,
            messages: None,
            rate: None,
            window,
        })
        .unwrap()
        .by_slices(window.unit());
        let mut posts = Posts::default();
        bulk.step(Time::ZERO, &[], &mut posts);
        for now in (1..=12).map(|i| us(10 * i)) {
            let seen = posts.drain().filter(|request| request.signaled).map(|request| Completion {
                qp: request.qp,
                id: request.id,
                kind: CompletionKind::Sent(request.opcode),
                bytes: 100,
                truth: None,
                stamp: None,
            });
            let seen: Vec<Completion> = seen.collect();
            bulk.step(now, &seen, &mut posts);
        }
        let programs = [Generator::from(bulk)];
        let parts = parts(&programs, 100, window, us(125));
        let of = |part: usize| (parts[part].messages, parts[part].over);
        // Parts of 5 us, from the seventeenth on of 10 us. A completion at the end of a part counts in
        // the next; the last completion was at 120 us.
        assert_eq!([of(0), of(1), of(2)], [(2, us(5)), (2, us(10)), (4, us(15))]);
        assert_eq!([of(15), of(16), of(17)], [(16, us(80)), (18, us(90)), (20, us(100))]);
        let whole = within(&programs, 100, window, us(125));
        assert_eq!((whole.messages, whole.over), (22, us(105)));
        assert_eq!((of(31), carried(&programs)), ((22, us(105)), Some(us(120))));
    }
}
