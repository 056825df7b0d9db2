//! [`WorkId`]: the 64 bits that a completion returns.

use bandwise_rdma::verbs::{CompletionKind, Opcode, Qp};

/// The kind, queue pair and id of a request, in 3, 16 and 45 bits. A program with a million requests a second has ids
/// for a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkId(pub(super) u64);

const ID_BITS: u32 = 45;
const QP_BITS: u32 = 16;
const ID_MASK: u64 = (1 << ID_BITS) - 1;

const RECEIVED: u64 = 5;
const OPCODES: [Opcode; 5] =
    [Opcode::Send, Opcode::Write, Opcode::WriteImm, Opcode::Read, Opcode::Atomic];

impl WorkId {
    /// Returns the id of a posted request.
    #[inline]
    pub(super) fn sent(opcode: Opcode, qp: Qp, id: u64) -> Self {
        WorkId::new(opcode as u64, qp, id)
    }

    /// Returns the id of a RECV.
    pub(super) fn received(qp: Qp) -> Self {
        WorkId::new(RECEIVED, qp, 0)
    }

    #[inline]
    fn new(kind: u64, qp: Qp, id: u64) -> Self {
        let qp = u64::from(qp.0) << ID_BITS;
        WorkId(kind << (ID_BITS + QP_BITS) | qp | id & ID_MASK)
    }

    /// Returns the queue pair.
    #[inline]
    pub(super) fn qp(self) -> Qp {
        Qp((self.0 >> ID_BITS) as u16)
    }

    /// Returns the id that the program gave.
    #[inline]
    pub(super) fn id(self) -> u64 {
        self.0 & ID_MASK
    }

    /// Returns the kind of the request.
    #[inline]
    pub(super) fn kind(self) -> CompletionKind {
        match OPCODES.get((self.0 >> (ID_BITS + QP_BITS)) as usize) {
            Some(&opcode) => CompletionKind::Sent(opcode),
            None => CompletionKind::Received,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn work_ids_round_trip(opcode in 0usize..5, qp in any::<u16>(), id in 0u64..1 << 45) {
            let (opcode, qp) = (OPCODES[opcode], Qp(qp));
            let sent = WorkId::sent(opcode, qp, id);
            let kind = CompletionKind::Sent(opcode);
            prop_assert_eq!((sent.kind(), sent.qp(), sent.id()), (kind, qp, id));
            let received = WorkId::received(qp);
            let kind = CompletionKind::Received;
            prop_assert_eq!((received.kind(), received.qp(), received.id()), (kind, qp, 0));
        }
    }
}
