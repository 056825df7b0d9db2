//! Messages that hold something, by connections and by datagrams.

use super::{PLAN, completions, ends, request};
use bandwise_rdma::verbs::{Contents, Opcode, Posts, Qp, WorkRequest};
use bandwise_session::Plan;
use bandwise_verbs::Device;
use bandwise_verbs::ibverbs::WithContents;

/// Numbers the messages of a queue pair, and keeps those that come.
#[derive(Default)]
struct Numbered {
    filled: [u8; 4],
    came: Vec<(Qp, Vec<u8>)>,
}

impl Contents for Numbered {
    fn arrived(&mut self, qp: Qp, message: &[u8]) {
        self.came.push((qp, message.to_vec()));
    }

    fn fill(&mut self, qp: Qp, message: &mut [u8]) {
        let number = &mut self.filled[usize::from(qp.0)];
        message.fill(*number);
        *number += 1;
    }

    fn check(&mut self) -> Result<(), String> {
        match self.came.last() {
            Some((_, message)) if message.len() == 13 => Err("thirteen".to_owned()),
            _ => Ok(()),
        }
    }
}

/// With two connections and two datagram queue pairs, several outstanding messages on each, inline and not, and more
/// messages than slots, each message arrives unchanged at its destination.
#[test]
#[ignore = "wants an RDMA device"]
fn message_contents_arrive() {
    let plan = Plan {
        queue_pairs: 2,
        datagrams: 2,
        bytes: 100,
        recv_depth: 8,
        completions: 4 * 24,
        has_contents: true,
        ..PLAN
    };
    let (a, b) = ends(plan, |_| ());
    let (mut a, mut b) =
        (WithContents::of(a, Numbered::default()), WithContents::of(b, Numbered::default()));
    let mut expected = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for round in 0..30u8 {
        let mut posts = Posts::default();
        for (qp, opcode) in
            [Opcode::WriteImm, Opcode::WriteImm, Opcode::Send, Opcode::Send].iter().enumerate()
        {
            for i in 0..3u8 {
                let bytes = [100, 64, 1][usize::from((round + i) % 3)];
                let request = request(u64::from(round), *opcode, bytes, true);
                posts.post(WorkRequest { qp: Qp(qp as u16), ..request });
                expected[qp].push(vec![round * 3 + i; bytes as usize]);
            }
        }
        a.post(&mut posts).unwrap();
        completions(&mut a, 12).unwrap();
        completions(&mut b, 12).unwrap();
    }
    let came = &b.contents().unwrap().came;
    for (qp, expected) in expected.iter().enumerate() {
        let of_it: Vec<&Vec<u8>> =
            came.iter().filter(|(from, _)| usize::from(from.0) == qp).map(|(_, m)| m).collect();
        assert_eq!(of_it, expected.iter().collect::<Vec<_>>(), "queue pair {qp}");
    }
    // A wrong message is a failure of the device.
    let mut posts = Posts::default();
    posts.post(request(1, Opcode::WriteImm, 13, true));
    a.post(&mut posts).unwrap();
    completions(&mut b, 1).unwrap();
    assert_eq!(b.poll(&mut Vec::new()).unwrap_err().to_string(), "thirteen");
}

/// A side whose memory ends before that of all queue pairs.
#[test]
#[ignore = "wants an RDMA device"]
fn too_small_region_is_refused() {
    let plan = Plan { datagrams: 1, bytes: 100, completions: 48, has_contents: true, ..PLAN };
    let (mut a, b) = ends(plan, |_| ());
    let mut side = b.side();
    side.queue_pairs[1].part += 1;
    let path =
        bandwise_session::Path { mtu: bandwise_rdma::wire::Mtu::MAX, sl: 0, traffic_class: 0 };
    let message = a.connect(&side, path).unwrap_err().to_string();
    assert!(message.contains("no room for all queue pairs"), "{message}");
}
