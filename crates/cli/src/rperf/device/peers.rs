//! The flag of allowed addresses of queue pairs, which server and agent share.

use crate::values::{Refusal, refused};
use bandwise_session::AllowedPeer;

/// The flag of allowed addresses.
#[derive(Debug, clap::Args)]
pub(crate) struct Peers {
    /// Addresses, besides the peer's own, with which queue pairs are connected: IP addresses or GIDs
    /// with a prefix length or without, LIDs such as lid:17, or `any`; InfiniBand needs the flag
    #[arg(long = "peer", value_name = "ADDRESS,…", value_delimiter = ',', value_parser = peer)]
    pub(crate) allowed: Vec<AllowedPeer>,
}

fn peer(text: &str) -> Result<AllowedPeer, Refusal> {
    text.trim()
        .parse()
        .or_else(|error: bandwise_session::AllowedPeerError| refused(None, error.allowed()))
}
