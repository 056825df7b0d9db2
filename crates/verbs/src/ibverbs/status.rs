//! [`Status`]: why a request failed, in words.

use std::fmt;

/// What a completion says that tells of no success (IBTA 11.6.2), by its code in libibverbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub u32);

/// That a request was given up because an earlier one had failed.
const FLUSHED: u32 = 5;

/// What each code means, and what usually brings it about; the place is the code.
const WORDS: [(&str, &str); 24] = [
    ("success", "nothing is wrong"),
    ("local length error", "a message is longer than the buffer of the RECV that it met"),
    ("local queue pair operation error", "the device can't carry out what was posted"),
    ("local end-to-end context operation error", "reliable datagrams, which nobody builds"),
    ("local protection error", "the memory of a request is not registered as it is used"),
    ("flushed", "an earlier request of this queue pair failed, or it was closed"),
    ("memory window bind error", "a window was bound without the right to"),
    ("bad response", "the answer was not one to what was asked"),
    ("local access error", "what came may not be written to where it is to go"),
    ("remote invalid request", "the other side's queue pair takes no such request or size"),
    (
        "remote access error",
        "the other side's memory may not be used so: wrong key, address or size",
    ),
    (
        "remote operation error",
        "the other side could not carry it out, often because its program failed",
    ),
    (
        "no answer after all retries",
        "the other side is gone or can't be reached: link, address, MTU, GID index",
    ),
    (
        "the receiver was not ready after all retries",
        "the other side posts no RECVs: its program hangs",
    ),
    ("local reliable datagram domain violation", "reliable datagrams, which nobody builds"),
    ("remote invalid reliable datagram request", "reliable datagrams, which nobody builds"),
    ("remote aborted", "the other side gave up"),
    ("invalid end-to-end context number", "reliable datagrams, which nobody builds"),
    ("invalid end-to-end context state", "reliable datagrams, which nobody builds"),
    ("fatal error of the device", "the device has to be reset; the kernel's log says more"),
    ("response timed out", "the other side took too long for an answer"),
    ("general error", "the kernel's log may say more"),
    ("tag matching error", "tag matching, which is not used here"),
    ("tag matching rendezvous incomplete", "tag matching, which is not used here"),
];

impl Status {
    /// Whether a request went well.
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }

    /// Whether an earlier failure is the reason for it.
    pub const fn is_flushed(self) -> bool {
        self.0 == FLUSHED
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match WORDS.get(self.0 as usize) {
            Some((what, cause)) => write!(f, "{what} (usually: {cause})"),
            None => write!(f, "a failure that is not known here, code {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rdma_mummy_sys::ibv_wc_status::*;

    /// The place in the table is the library's code, and every code has words.
    #[test]
    fn words_are_those_of_the_code() {
        let words = [
            (IBV_WC_SUCCESS, "success"),
            (IBV_WC_LOC_LEN_ERR, "local length"),
            (IBV_WC_LOC_QP_OP_ERR, "local queue pair operation"),
            (IBV_WC_LOC_EEC_OP_ERR, "local end-to-end context operation"),
            (IBV_WC_LOC_PROT_ERR, "local protection"),
            (IBV_WC_WR_FLUSH_ERR, "flushed"),
            (IBV_WC_MW_BIND_ERR, "window bind"),
            (IBV_WC_BAD_RESP_ERR, "bad response"),
            (IBV_WC_LOC_ACCESS_ERR, "local access"),
            (IBV_WC_REM_INV_REQ_ERR, "remote invalid request"),
            (IBV_WC_REM_ACCESS_ERR, "remote access"),
            (IBV_WC_REM_OP_ERR, "remote operation"),
            (IBV_WC_RETRY_EXC_ERR, "no answer after all retries"),
            (IBV_WC_RNR_RETRY_EXC_ERR, "receiver was not ready"),
            (IBV_WC_LOC_RDD_VIOL_ERR, "local reliable datagram domain"),
            (IBV_WC_REM_INV_RD_REQ_ERR, "remote invalid reliable datagram"),
            (IBV_WC_REM_ABORT_ERR, "remote aborted"),
            (IBV_WC_INV_EECN_ERR, "invalid end-to-end context number"),
            (IBV_WC_INV_EEC_STATE_ERR, "invalid end-to-end context state"),
            (IBV_WC_FATAL_ERR, "fatal"),
            (IBV_WC_RESP_TIMEOUT_ERR, "timed out"),
            (IBV_WC_GENERAL_ERR, "general"),
            (IBV_WC_TM_ERR, "tag matching error"),
            (IBV_WC_TM_RNDV_INCOMPLETE, "rendezvous"),
        ];
        for (code, words) in words {
            let said = Status(code).to_string();
            assert!(said.contains(words) && said.contains("(usually: "), "{code}: {said}");
        }
        assert_eq!(words.len(), WORDS.len());
        let unknown = Status(IBV_WC_TM_RNDV_INCOMPLETE + 1).to_string();
        assert!(unknown.ends_with("not known here, code 24"), "{unknown}");
        assert!(Status(IBV_WC_WR_FLUSH_ERR).is_flushed() && Status(IBV_WC_SUCCESS).is_success());
    }
}
