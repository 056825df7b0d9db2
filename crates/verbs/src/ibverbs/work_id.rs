//! [`WorkId`]: what a completion tells of, in the 64 bits that the device gives back.

use bandwise_rdma::verbs::{CompletionKind, Opcode, Qp};

/// Kind, queue pair and id of a request: 3, 16 and 45 bits. A program that posts a million requests a second
/// runs out of ids after a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkId(pub(super) u64);

const ID_BITS: u32 = 45;
const QP_BITS: u32 = 16;
const ID_MASK: u64 = (1 << ID_BITS) - 1;

const RECEIVED: u64 = 5;
const OPCODES: [Opcode; 5] =
    [Opcode::Send, Opcode::Write, Opcode::WriteImm, Opcode::Read, Opcode::Atomic];

impl WorkId {
    /// A request that is posted.
    #[inline]
    pub(super) fn sent(opcode: Opcode, qp: Qp, id: u64) -> Self {
        WorkId::new(opcode as u64, qp, id)
    }

    /// A RECV.
    pub(super) fn received(qp: Qp) -> Self {
        WorkId::new(RECEIVED, qp, 0)
    }

    #[inline]
    fn new(kind: u64, qp: Qp, id: u64) -> Self {
        let qp = u64::from(qp.0) << ID_BITS;
        WorkId(kind << (ID_BITS + QP_BITS) | qp | id & ID_MASK)
    }

    /// The queue pair.
    #[inline]
    pub(super) fn qp(self) -> Qp {
        Qp((self.0 >> ID_BITS) as u16)
    }

    /// What the program gave.
    #[inline]
    pub(super) fn id(self) -> u64 {
        self.0 & ID_MASK
    }

    /// What ended.
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
        fn comes_back_as_it_was(opcode in 0usize..5, qp in any::<u16>(), id in 0u64..1 << 45) {
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
