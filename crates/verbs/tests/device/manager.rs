//! Connections by RDMA-CM, both ends on this host.

use super::{PLAN, completions, of, post, request};
use bandwise_rdma::verbs::{CompletionKind, Opcode, Qp, WorkRequest};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{ManagerPort, Path, Plan, Side};
use bandwise_verbs::ibverbs::manager::{Listener, connect};
use bandwise_verbs::ibverbs::{QueuePairs, Wanted, devices};
use std::thread;

const PATH: Path = Path { mtu: Mtu::MAX, sl: 0, traffic_class: 0 };

/// Two threads with two queue pairs each.
fn sides() -> (Vec<QueuePairs>, Vec<QueuePairs>, Listener) {
    let chosen = Wanted::default().choose(&devices().unwrap()[..1]).unwrap();
    let plan = Plan { queue_pairs: 2, ..PLAN };
    let open = |psn| QueuePairs::open_many(chosen.clone(), plan, 2, psn).unwrap();
    (open(1), open(9), Listener::open(&chosen, 77).unwrap())
}

fn side(threads: &[QueuePairs]) -> Side {
    Side::joined(threads.iter().map(QueuePairs::side)).unwrap()
}

#[test]
#[ignore = "wants an RDMA device"]
fn queue_pairs_are_connected_in_their_order() {
    let (mut a, mut b, listener) = sides();
    let (ours, at) = (side(&a), listener.at());
    let remote = Side { manager: Some(at), ..side(&b) };
    let accepted = thread::spawn(move || (listener.accept(&mut b, &ours, PATH).unwrap(), b));
    let (_connections, mtu) = connect(&mut a, &remote, PATH).unwrap();
    assert!(mtu <= Mtu::MAX);
    let (_accepted, mut b) = accepted.join().unwrap();
    for (a, b) in a.iter_mut().zip(&mut b) {
        for qp in [Qp(0), Qp(1)] {
            let bytes = 100 + u32::from(qp.0);
            let send = WorkRequest { qp, ..request(3, Opcode::Send, bytes, true) };
            post(a, &[send]).unwrap();
            let mut received = of(CompletionKind::Received, 0, bytes);
            received.qp = qp;
            assert_eq!(completions(b, 1).unwrap(), [received]);
            completions(a, 1).unwrap();
        }
    }
    // And READ and atomics, which need responder resources.
    for opcode in [Opcode::Read, Opcode::Atomic, Opcode::Write] {
        post(&mut a[1], &[request(4, opcode, 8, true)]).unwrap();
        assert_eq!(completions(&mut a[1], 1).unwrap(), [of(CompletionKind::Sent(opcode), 4, 8)]);
    }
}

/// A peer without the secret, and one without a listener, get an error in time.
#[test]
#[ignore = "wants an RDMA device"]
fn unknown_peers_are_refused() {
    let (mut a, mut b, listener) = sides();
    let (ours, at) = (side(&a), listener.at());
    let wrong = Side { manager: Some(ManagerPort { secret: 78, ..at }), ..side(&b) };
    let waits = thread::spawn(move || listener.accept(&mut b, &ours, PATH).map(drop).unwrap_err());
    let refused = connect(&mut a, &wrong, PATH).map(drop).unwrap_err().to_string();
    assert!(refused.contains("did not accept the connection"), "{refused}");
    let waited = waits.join().unwrap().to_string();
    assert!(waited.contains("not connected all queue pairs by RDMA-CM"), "{waited}");
    let without_listener = Side { manager: None, ..wrong };
    let error = connect(&mut a, &without_listener, PATH).map(drop).unwrap_err().to_string();
    assert!(error.contains("does not listen by RDMA-CM"), "{error}");
}
