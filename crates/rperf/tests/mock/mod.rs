//! A driver in virtual time without a network: each request completes, and arrives at its peer,
//! after a time given by the test.

#![allow(dead_code, reason = "every test file uses a part of it")]

use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Posts, Program, Qp, WorkRequest};
use bandwise_rperf::Generator;
use bandwise_units::Time;
use std::collections::{BTreeMap, HashMap};

/// Times of a request, counted from its doorbell.
pub(crate) struct Fate {
    /// Time until its completion is seen.
    pub completes: Time,
    /// Time until its peer, if there is one, sees the message.
    pub arrives: Time,
    /// Ground truth in the completion.
    pub truth: Option<Time>,
}

/// A step of a program.
pub(crate) struct Step {
    /// Number of the program.
    pub program: usize,
    pub now: Time,
    pub seen: Vec<Completion>,
    pub posts: Vec<WorkRequest>,
    pub next: Next,
}

/// Connections between queue pairs of programs.
pub(crate) type Peers = HashMap<(usize, Qp), (usize, Qp)>;

/// Runs the programs until all are done, nothing is pending, or `max_steps` are over. Returns every
/// step. Requests of a queue pair complete in order. `fate` is called once for each request, in the
/// order of posting.
pub(crate) fn run(
    programs: &mut [Generator],
    peers: &Peers,
    max_steps: usize,
    mut fate: impl FnMut(usize, &WorkRequest) -> Fate,
) -> Vec<Step> {
    // Pending occurrences in order; `None` wakes the program.
    let mut plan: BTreeMap<(Time, u64), (usize, Option<Completion>)> = BTreeMap::new();
    let mut planned = 0;
    let mut add = |plan: &mut BTreeMap<_, _>, time, what| {
        planned += 1;
        plan.insert((time, planned), what);
    };
    let mut last_completion: HashMap<(usize, Qp), Time> = HashMap::new();
    let mut held: Vec<Vec<WorkRequest>> = programs.iter().map(|_| Vec::new()).collect();
    let mut wake: Vec<Option<Time>> = vec![Some(Time::ZERO); programs.len()];
    for program in 0..programs.len() {
        add(&mut plan, Time::ZERO, (program, None));
    }
    let mut steps = Vec::new();
    let mut posts = Posts::default();
    while let Some((&(now, _), &(program, _))) = plan.first_key_value() {
        if steps.len() == max_steps {
            break;
        }
        // A program sees everything due now in one poll.
        let due: Vec<_> = plan.range((now, 0)..=(now, u64::MAX)).map(|(k, v)| (*k, *v)).collect();
        let mut seen = Vec::new();
        let mut awake = false;
        for (key, (_, what)) in due.into_iter().filter(|(_, (p, _))| *p == program) {
            plan.remove(&key);
            match what {
                Some(completion) => seen.push(completion),
                None => awake |= wake[program] == Some(now),
            }
        }
        if seen.is_empty() && !awake {
            continue;
        }
        let next = programs[program].step(now, &seen, &mut posts);
        let posted: Vec<WorkRequest> = posts.drain().collect();
        wake[program] = match next {
            Next::At(time) => Some(time.max(now)),
            Next::Completion | Next::Done => None,
        };
        if let Some(time) = wake[program] {
            assert!(time > now, "a program that wants to be woken at once would never end");
            add(&mut plan, time, (program, None));
        }
        for request in posted.iter().copied() {
            held[program].push(request);
            if !request.ring {
                continue;
            }
            for request in held[program].drain(..) {
                let Fate { completes, arrives, truth } = fate(program, &request);
                let (qp, bytes) = (request.qp, request.bytes);
                let last = last_completion.entry((program, qp)).or_default();
                *last = (*last).max(now + completes);
                if request.signaled {
                    let kind = CompletionKind::Sent(request.opcode);
                    let completion =
                        Completion { qp, id: request.id, kind, bytes, truth, stamp: None };
                    add(&mut plan, *last, (program, Some(completion)));
                }
                if let Some(&(peer, qp)) = peers.get(&(program, qp)) {
                    let kind = CompletionKind::Received;
                    let completion =
                        Completion { qp, id: 0, kind, bytes, truth: None, stamp: None };
                    add(&mut plan, now + arrives, (peer, Some(completion)));
                }
            }
        }
        steps.push(Step { program, now, seen, posts: posted, next });
    }
    steps
}
