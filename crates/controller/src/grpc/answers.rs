//! The translation of refusals into gRPC status codes.

use super::MissingField;
use crate::core::Refusal;
use crate::daemon::CallError;
use std::collections::HashMap;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// The domain of error reasons.
const DOMAIN: &str = "saba.bandwise";

impl From<MissingField> for Status {
    fn from(missing: MissingField) -> Status {
        Status::invalid_argument(missing.to_string())
    }
}

impl From<CallError> for Status {
    fn from(error: CallError) -> Status {
        let message = error.to_string();
        let (code, reason) = match error {
            CallError::Refused(refusal) => of(&refusal),
            CallError::Denied(_) => return Status::permission_denied(message),
            CallError::Busy | CallError::Ending => return Status::unavailable(message),
        };
        let details = ErrorDetails::with_error_info(reason, DOMAIN, HashMap::new());
        Status::with_error_details(code, message, details)
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
        Refusal::Acknowledged { .. } => (Code::FailedPrecondition, "ACKNOWLEDGED"),
        Refusal::OtherRequest(_) => (Code::FailedPrecondition, "OTHER_REQUEST"),
        Refusal::TooMany { .. } => (Code::ResourceExhausted, "TOO_MANY"),
        Refusal::BadSetting { .. } => (Code::InvalidArgument, "BAD_SETTING"),
        Refusal::NotStored(_) => (Code::Unavailable, "NOT_STORED"),
    }
}
