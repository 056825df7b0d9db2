//! Queue pairs of a real device, both ends on this host. They are run where there is one: `tests/verbs/run.sh` does,
//! in virtual machines.

mod allocations;
mod contents;
#[path = "../counted/mod.rs"]
mod counted;
mod manager;
mod waiting;

use bandwise_rdma::verbs::{Completion, CompletionKind, Opcode, Posts, Qp, Transport, WorkRequest};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Path, Plan, Side, WantedPages};
use bandwise_verbs::Device;
use bandwise_verbs::ibverbs::{QueuePairs, VerbsError, Wanted, devices};
use std::time::{Duration, Instant};

const PLAN: Plan = Plan {
    transport: Transport::Rc,
    queue_pairs: 1,
    datagrams: 0,
    loopback: false,
    bytes: 4096,
    send_depth: 16,
    recv_depth: 8,
    reads: 1,
    completions: 64,
    inline: 64,
    has_contents: false,
    sees_writes: false,
    pages: WantedPages::Ordinary,
    stamps: false,
};

/// Connects both ends; `change` modifies the second side's description for the first.
fn ends(plan: Plan, change: impl FnOnce(&mut Side)) -> (QueuePairs, QueuePairs) {
    let devices = devices().unwrap();
    let chosen = Wanted::default().choose(&devices[..1]).unwrap();
    let mut a = QueuePairs::open(chosen.clone(), plan, 1).unwrap();
    let mut b = QueuePairs::open(chosen, plan, 2).unwrap();
    let path = Path { mtu: Mtu::try_from(1024).unwrap(), sl: 0, traffic_class: 0 };
    let (side_a, mut side_b) = (a.side(), b.side());
    change(&mut side_b);
    assert_eq!(b.connect(&side_a, path).unwrap().get(), 1024);
    a.connect(&side_b, path).unwrap();
    (a, b)
}

fn request(id: u64, opcode: Opcode, bytes: u32, ring: bool) -> WorkRequest {
    let inline = opcode.carries_payload() && bytes <= PLAN.inline;
    WorkRequest { qp: Qp(0), id, opcode, bytes, signaled: true, inline, ring }
}

fn post(device: &mut QueuePairs, requests: &[WorkRequest]) -> Result<(), VerbsError> {
    let mut posts = Posts::default();
    requests.iter().for_each(|&request| posts.post(request));
    device.post(&mut posts)
}

/// Returns so many completions, or an earlier failure. Panics if completions do not arrive in time.
fn completions(
    device: &mut impl Device<Error = VerbsError>,
    count: usize,
) -> Result<Vec<Completion>, VerbsError> {
    let (mut seen, began) = (Vec::new(), Instant::now());
    while seen.len() < count {
        device.poll(&mut seen)?;
        assert!(began.elapsed() < Duration::from_secs(30), "{} of {count}", seen.len());
    }
    Ok(seen)
}

fn of(kind: CompletionKind, id: u64, bytes: u32) -> Completion {
    Completion { qp: Qp(0), id, kind, bytes, truth: None, stamp: None }
}

#[test]
#[ignore = "wants an RDMA device"]
fn completions_have_id_and_size() {
    let (mut a, mut b) = ends(PLAN, |_| ());
    let operations = [
        (Opcode::Send, 100),
        (Opcode::Write, 4096),
        (Opcode::WriteImm, 30),
        (Opcode::Read, 2000),
        (Opcode::Atomic, 8),
        (Opcode::Send, 0),
    ];
    let list: Vec<_> = operations
        .iter()
        .zip(1 << 40..)
        .map(|(&(opcode, bytes), id)| {
            request(id, opcode, bytes, opcode == Opcode::Send && bytes == 0)
        })
        .collect();
    post(&mut a, &list).unwrap();
    let sent: Vec<_> =
        list.iter().map(|r| of(CompletionKind::Sent(r.opcode), r.id, r.bytes)).collect();
    assert_eq!(completions(&mut a, 6).unwrap(), sent);
    let received: Vec<_> =
        [100, 30, 0].map(|bytes| of(CompletionKind::Received, 0, bytes)).to_vec();
    assert_eq!(completions(&mut b, 3).unwrap(), received);
}

#[test]
#[ignore = "wants an RDMA device"]
fn requests_are_sent_after_the_doorbell() {
    let (mut a, mut b) = ends(PLAN, |_| ());
    post(&mut a, &[request(1, Opcode::Send, 8, false)]).unwrap();
    let mut seen = Vec::new();
    for _ in 0..20_000 {
        a.poll(&mut seen).unwrap();
        b.poll(&mut seen).unwrap();
    }
    assert_eq!(seen, []);
    let unsignaled = WorkRequest { signaled: false, ..request(2, Opcode::Send, 9, false) };
    post(&mut a, &[unsignaled, request(3, Opcode::Send, 10, true)]).unwrap();
    let ids = completions(&mut a, 2).unwrap().iter().map(|c| (c.id, c.bytes)).collect::<Vec<_>>();
    assert_eq!(ids, [(1, 8), (3, 10)]);
    let sizes = completions(&mut b, 3).unwrap().iter().map(|c| c.bytes).collect::<Vec<_>>();
    assert_eq!(sizes, [8, 9, 10]);
}

/// Many more messages than there are RECVs, and than the send queue holds.
#[test]
#[ignore = "wants an RDMA device"]
fn recvs_are_reposted() {
    let (mut a, mut b) = ends(PLAN, |_| ());
    for id in 0..200 {
        post(&mut a, &[request(id, Opcode::Send, 64, true)]).unwrap();
        let kind = CompletionKind::Sent(Opcode::Send);
        assert_eq!(completions(&mut b, 1).unwrap(), [of(CompletionKind::Received, 0, 64)]);
        assert_eq!(completions(&mut a, 1).unwrap(), [of(kind, id, 64)]);
    }
}

/// Datagrams up to a packet's payload arrive, without a header before them.
#[test]
#[ignore = "wants an RDMA device"]
fn datagrams_arrive() {
    let plan = Plan { transport: Transport::Ud, bytes: 1024, ..PLAN };
    let (mut a, mut b) = ends(plan, |_| ());
    for (id, bytes) in (0..40).flat_map(|id| [(id, 1024), (id, 8)]) {
        post(&mut a, &[request(id, Opcode::Send, bytes, true)]).unwrap();
        let sent = of(CompletionKind::Sent(Opcode::Send), id, bytes);
        assert_eq!(completions(&mut a, 1).unwrap(), [sent]);
        assert_eq!(completions(&mut b, 1).unwrap(), [of(CompletionKind::Received, 0, bytes)]);
    }
    let long = Plan { bytes: 1025, ..plan };
    let chosen = Wanted::default().choose(&devices().unwrap()[..1]).unwrap();
    let mut long = QueuePairs::open(chosen, long, 3).unwrap();
    let path = Path { mtu: Mtu::try_from(1024).unwrap(), sl: 0, traffic_class: 0 };
    let message = long.connect(&long.side(), path).unwrap_err().to_string();
    assert!(message.contains("1025 B does not fit packets of 1024 B"), "{message}");
}

/// More of them than marks there are.
#[test]
#[ignore = "wants an RDMA device"]
fn writes_are_seen_to_arrive() {
    let plan = Plan { sees_writes: true, recv_depth: 0, ..PLAN };
    let (mut a, mut b) = ends(plan, |_| ());
    let arrived = [of(CompletionKind::Received, 0, 4096)];
    for id in 0..300 {
        let write = WorkRequest { signaled: id % 8 == 7, ..request(id, Opcode::Write, 4096, true) };
        post(&mut a, &[write]).unwrap();
        assert_eq!(completions(&mut b, 1).unwrap(), arrived);
        if write.signaled {
            completions(&mut a, 1).unwrap();
        }
    }
    let mut seen = Vec::new();
    b.poll(&mut seen).unwrap();
    assert_eq!(seen, []);
}

#[test]
#[ignore = "wants an RDMA device"]
fn loopback_queue_pair_receives_its_own_messages() {
    let (mut a, _b) = ends(Plan { loopback: true, ..PLAN }, |_| ());
    let loopback = a.loopback().unwrap();
    let send = WorkRequest { qp: loopback, ..request(5, Opcode::Send, 64, true) };
    post(&mut a, &[send]).unwrap();
    let mut kinds: Vec<_> =
        completions(&mut a, 2).unwrap().iter().map(|c| (c.qp, c.id, c.bytes)).collect();
    kinds.sort();
    assert_eq!(kinds, [(loopback, 0, 64), (loopback, 5, 64)]);
}

#[test]
#[ignore = "wants an RDMA device"]
fn failed_operations_have_messages() {
    let (mut a, _b) = ends(PLAN, |side| side.region.rkey ^= 0xff);
    post(&mut a, &[request(1, Opcode::Write, 8, true)]).unwrap();
    let message = completions(&mut a, 1).unwrap_err().to_string();
    assert!(message.contains("a WRITE failed: remote access error"), "{message}");

    let (mut a, b) = ends(PLAN, |_| ());
    drop(b);
    post(&mut a, &[request(1, Opcode::Send, 8, true)]).unwrap();
    let message = completions(&mut a, 1).unwrap_err().to_string();
    assert!(message.contains("a SEND failed: no answer after all retries"), "{message}");
}

#[test]
#[ignore = "wants an RDMA device"]
fn oversized_requests_and_lists_are_refused() {
    let (mut a, _b) = ends(PLAN, |_| ());
    let long = post(&mut a, &[request(1, Opcode::Write, 4097, true)]);
    assert!(matches!(long, Err(VerbsError::TooLong { bytes: 4097, room: 4096 })));
    let many: Vec<_> = (0..17).map(|id| request(id, Opcode::Write, 8, false)).collect();
    assert!(matches!(post(&mut a, &many), Err(VerbsError::Post { depth: 16, .. })));
    let side = Side { queue_pairs: Vec::new(), ..a.side() };
    let path = Path { mtu: Mtu::MAX, sl: 0, traffic_class: 0 };
    let message = a.connect(&side, path).unwrap_err().to_string();
    assert!(message.contains("it has 0 queue pairs, not 1"), "{message}");
    let side = Side { gid: None, ..a.side() };
    let message = a.connect(&side, path).unwrap_err().to_string();
    assert!(message.contains("give -x on both sides"), "{message}");
}
