//! [`Status`]: the status of a completion, in words.

use std::fmt;

/// The status of a completion (IBTA 11.6.2), by its code in libibverbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub u32);

/// The status of a request that was flushed after the failure of an earlier one.
const FLUSHED: u32 = 5;

/// The meaning of each code and its usual causes, by code.
const WORDS: [(&str, &str); 24] = [
    ("success", "success"),
    ("local length error", "a message is longer than the buffer of its RECV"),
    ("local queue pair operation error", "the device can't execute the posted request"),
    ("local end-to-end context operation error", "reliable datagrams, which no device has"),
    ("local protection error", "the memory of a request is not registered for this access"),
    ("flushed", "an earlier request of this queue pair failed, or it was closed"),
    ("memory window bind error", "a window was bound without the permission"),
    ("bad response", "the response does not match the request"),
    ("local access error", "received data may not be written to its destination"),
    (
        "remote invalid request",
        "the other side's queue pair does not accept this request or its size",
    ),
    (
        "remote access error",
        "the other side's memory may not be accessed like this: wrong key, address or size",
    ),
    (
        "remote operation error",
        "the other side could not execute it, often because its program failed",
    ),
    (
        "no answer after all retries",
        "the other side is gone or can't be reached: link, address, MTU, GID index",
    ),
    (
        "the receiver was not ready after all retries",
        "the other side posts no RECVs: its program hangs",
    ),
    ("local reliable datagram domain violation", "reliable datagrams, which no device has"),
    ("remote invalid reliable datagram request", "reliable datagrams, which no device has"),
    ("remote aborted", "the other side has given up"),
    ("invalid end-to-end context number", "reliable datagrams, which no device has"),
    ("invalid end-to-end context state", "reliable datagrams, which no device has"),
    ("fatal error of the device", "the device has to be reset; the kernel's log says more"),
    ("response timed out", "the other side responded too late"),
    ("general error", "the kernel's log may say more"),
    ("tag matching error", "tag matching, which Bandwise does not use"),
    ("tag matching rendezvous incomplete", "tag matching, which Bandwise does not use"),
];

impl Status {
    /// Returns `true` if the request was successful.
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }

    /// Returns `true` if an earlier failure is the cause.
    pub const fn is_flushed(self) -> bool {
        self.0 == FLUSHED
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match WORDS.get(self.0 as usize) {
            Some((what, cause)) => write!(f, "{what} (usually: {cause})"),
            None => write!(f, "an unknown failure, code {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rdma_mummy_sys::ibv_wc_status::*;

    /// The index in the table is the library's code, and every code has words.
    #[test]
    fn status_codes_have_their_messages() {
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
            let message = Status(code).to_string();
            assert!(message.contains(words) && message.contains("(usually: "), "{code}: {message}");
        }
        assert_eq!(words.len(), WORDS.len());
        let unknown = Status(IBV_WC_TM_RNDV_INCOMPLETE + 1).to_string();
        assert!(unknown.ends_with("unknown failure, code 24"), "{unknown}");
        assert!(Status(IBV_WC_WR_FLUSH_ERR).is_flushed() && Status(IBV_WC_SUCCESS).is_success());
    }
}
