//! What the programs of a flow counted, all its threads together.

use bandwise_agents::Counted;
use bandwise_rperf::{Generator, Latency, Measure, Window};
use bandwise_units::{Bytes, Time};

/// In all the time, which took so long.
pub(super) fn whole(programs: &[Generator], bytes: u32, took: Time) -> Counted {
    if let [Generator::Bulk(bulk)] = programs {
        return counted(bulk.completed(), bytes, took);
    }
    of_latency(&merged(programs.iter().filter_map(Generator::latency)), bytes, took)
}

/// In a window, as far as it was over when the flow ended.
pub(super) fn within(programs: &[Generator], bytes: u32, window: Window, ended: Time) -> Counted {
    if let Some(bandwidth) = programs.first().and_then(Generator::bandwidth) {
        let over = window.to.min(ended).saturating_sub(window.from);
        return counted(bandwidth.messages, bytes, over);
    }
    let each: Vec<_> =
        programs.iter().filter_map(Generator::measure).filter_map(Measure::within).collect();
    let spans = || each.iter().filter_map(|within| within.span());
    let from = spans().map(|(from, _)| from).min().unwrap_or_default();
    let to = spans().map(|(_, to)| to).max().unwrap_or_default();
    of_latency(&merged(each.iter().map(|within| within.latency())), bytes, to - from)
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

/// Messages of one size that took so long.
fn counted(messages: u64, bytes: u32, over: Time) -> Counted {
    Counted { messages, bytes: Bytes::new(u64::from(bytes)) * messages, over, latency: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_rdma::verbs::{Completion, CompletionKind, Opcode, Posts, Program, Qp};
    use bandwise_rperf::{ClosedLoop, ClosedLoopSettings, Rounds, Think};

    /// Two threads, of which one has a message each 10 us and the other each 20 us.
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
            program.count_within(window);
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
        // The first's from 20 to 60, the second's from 20 to 60.
        let some = within(&programs, 100, window, us(60));
        assert_eq!((some.messages, some.over), (6, us(40)));
        let latency = some.latency.unwrap();
        assert!((latency.max_ns - 20_000.0).abs() < 100.0 && latency.count == 6, "{latency:?}");
        assert_eq!(within(&[], 100, window, us(60)).messages, 0);
    }
}
