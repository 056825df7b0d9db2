//! With which status refusals are answered.

use super::Unreadable;
use crate::core::Refusal;
use crate::daemon::Unheard;
use std::collections::HashMap;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// Whose reasons they are.
const DOMAIN: &str = "saba.bandwise";

impl From<Unreadable> for Status {
    fn from(unreadable: Unreadable) -> Status {
        Status::invalid_argument(unreadable.to_string())
    }
}

impl From<Unheard> for Status {
    fn from(unheard: Unheard) -> Status {
        let said = unheard.to_string();
        let (code, reason) = match unheard {
            Unheard::Refused(refusal) => of(&refusal),
            Unheard::Denied(_) => return Status::permission_denied(said),
            Unheard::Busy | Unheard::Ending => return Status::unavailable(said),
        };
        let details = ErrorDetails::with_error_info(reason, DOMAIN, HashMap::new());
        Status::with_error_details(code, said, details)
    }
}

fn of(refusal: &Refusal) -> (Code, &'static str) {
    match refusal {
        Refusal::NoSuchClient(_) => (Code::NotFound, "NO_SUCH_CLIENT"),
        Refusal::NoSuchApplication(_) => (Code::NotFound, "NO_SUCH_APPLICATION"),
        Refusal::NoSuchConnection(_) => (Code::NotFound, "NO_SUCH_CONNECTION"),
        Refusal::NoSuchPort(_) => (Code::NotFound, "NO_SUCH_PORT"),
        Refusal::UnknownApplication(_) => (Code::NotFound, "UNKNOWN_APPLICATION"),
        Refusal::NoPath(_) => (Code::NotFound, "NO_PATH"),
        Refusal::Heard { .. } => (Code::FailedPrecondition, "HEARD"),
        Refusal::OtherRequest(_) => (Code::FailedPrecondition, "OTHER_REQUEST"),
        Refusal::TooMany { .. } => (Code::ResourceExhausted, "TOO_MANY"),
        Refusal::BadSetting { .. } => (Code::InvalidArgument, "BAD_SETTING"),
        Refusal::NotStored(_) => (Code::Unavailable, "NOT_STORED"),
    }
}
