//! [`InvalidRecord`]: a stored record that Saba's controller refuses.

use bandwise_saba::controller::Refused;

/// A stored record that Saba's controller refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRecord {
    /// A connection that is impossible.
    #[error("stored connection {connection} is invalid: {why}")]
    Connection {
        /// The connection.
        connection: u64,
        /// The reason.
        why: Refused,
    },
    /// An application with an invalid name.
    #[error("stored application {application} has the invalid name {name:?}")]
    Name {
        /// The application.
        application: u64,
        /// The name.
        name: String,
    },
    /// An application that contradicts another record.
    #[error("stored application {application} is invalid: {why}")]
    Application {
        /// The application.
        application: u64,
        /// The reason.
        why: Refused,
    },
}
