//! The refusal of web pages. A browser on the controller's machine reaches loopback for any page that it
//! shows: the page can send requests ("cross-site request forgery"), and read answers after its own name
//! was resolved to loopback ("DNS rebinding").

use super::Peer;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, TRANSFER_ENCODING};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use std::net::IpAddr;

/// The name of the controller that clients without another one state, as over a Unix socket.
const CONTROLLER: &str = "controller";

/// The relation of a request to the page that caused it, as browsers state it.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The reason why a request may come from a web page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FromPage {
    /// A page sent it.
    #[error("a request of a web page (allowed: programs, not pages)")]
    Page,
    /// The name of the controller is one that a page's author can choose.
    #[error(
        "{0:?} is no name of this controller on loopback (allowed: localhost, an IP address, or controller)"
    )]
    Host(String),
    /// A body of a kind that any page can send.
    #[error("a body without Content-Type: application/json (allowed: that, or gRPC)")]
    Content,
}

impl FromPage {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            FromPage::Page => StatusCode::FORBIDDEN,
            FromPage::Host(_) => StatusCode::MISDIRECTED_REQUEST,
            FromPage::Content => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        }
    }
}

/// Refuses requests that a web page may have caused. No page reaches a Unix socket.
pub(super) fn check(peer: Option<&Peer>, uri: &Uri, headers: &HeaderMap) -> Result<(), FromPage> {
    if let Some(Peer::User(_)) = peer {
        return Ok(());
    }
    let site = headers.get(FETCH_SITE).map(|site| site.as_bytes());
    let from_page = site.is_some_and(|site| site != b"none" && site != b"same-origin");
    if from_page || headers.contains_key(ORIGIN) {
        return Err(FromPage::Page);
    }
    // On other machines every request carries a credential, which no browser adds for a page.
    if !matches!(peer, Some(Peer::Loopback)) {
        return Ok(());
    }
    let stated = uri.authority().map(Authority::as_str);
    let stated = stated.or_else(|| headers.get(HOST)?.to_str().ok()).unwrap_or_default();
    if !is_own(stated) {
        return Err(FromPage::Host(stated.chars().take(100).collect()));
    }
    let length = headers.get(CONTENT_LENGTH).map(|length| length.as_bytes());
    let has_body =
        length.is_some_and(|length| length != b"0") || headers.contains_key(TRANSFER_ENCODING);
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_known = kind == "application/json" || kind.starts_with("application/grpc");
    // HTTP/2 states no length of a body that it streams, as gRPC does.
    if (has_body || !kind.is_empty()) && !is_known {
        return Err(FromPage::Content);
    }
    Ok(())
}

/// Returns whether a host, with or without its port, is one that no author of a page can choose.
fn is_own(stated: &str) -> bool {
    let Ok(authority) = stated.parse::<Authority>() else { return false };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let is_name = |name: &str| host.eq_ignore_ascii_case(name);
    is_name("localhost") || is_name(CONTROLLER) || host.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    /// Returns the refusal of a request over a connection of this peer.
    fn refused(peer: &Peer, uri: &str, headers: &[(&str, &str)]) -> Option<FromPage> {
        let start = Request::post(uri);
        let request =
            headers.iter().fold(start, |request, (name, value)| request.header(*name, *value));
        let (parts, ()) = request.body(()).unwrap().into_parts();
        check(Some(peer), &parts.uri, &parts.headers).err()
    }

    const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");
    const BODY: (&str, &str) = ("content-length", "17");

    #[test]
    fn programs_on_loopback_are_served() {
        for host in ["localhost", "LOCALHOST:7470", "127.0.0.1:7470", "[::1]:7470", "controller"] {
            let host = ("host", host);
            assert_eq!(refused(&Peer::Loopback, "/v1/drain", &[host, JSON, BODY]), None);
            assert_eq!(refused(&Peer::Loopback, "/v1/clients", &[host]), None);
            assert_eq!(
                refused(&Peer::Loopback, "/v1/clients", &[host, ("content-length", "0")]),
                None
            );
        }
        // HTTP/2 has the host in the URI; gRPC has a type of its own.
        let grpc = ("content-type", "application/grpc+proto");
        assert_eq!(refused(&Peer::Loopback, "http://127.0.0.1:7470/x", &[grpc]), None);
    }

    #[test]
    fn pages_of_other_sites_give_no_orders() {
        let host = ("host", "127.0.0.1:7470");
        for page in [
            ("origin", "https://example.org"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            for peer in [Peer::Loopback, Peer::Remote(None)] {
                assert_eq!(
                    refused(&peer, "/v1/drain", &[host, JSON, BODY, page]),
                    Some(FromPage::Page)
                );
            }
        }
        // A browser that states nothing can't send JSON without asking.
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            let kind = ("content-type", kind);
            assert_eq!(
                refused(&Peer::Loopback, "/v1/drain", &[host, kind, BODY]),
                Some(FromPage::Content)
            );
        }
        assert_eq!(refused(&Peer::Loopback, "/v1/drain", &[host, BODY]), Some(FromPage::Content));
        let chunks = ("transfer-encoding", "chunked");
        assert_eq!(refused(&Peer::Loopback, "/v1/drain", &[host, chunks]), Some(FromPage::Content));
    }

    #[test]
    fn names_that_resolve_to_loopback_are_refused() {
        for host in
            ["attacker.example", "localhost.attacker.example:7470", "127.0.0.1.example", "", "a b"]
        {
            let found = refused(&Peer::Loopback, "/v1/status", &[("host", host)]);
            assert_eq!(found, Some(FromPage::Host(host.to_owned())));
        }
        let found = refused(&Peer::Loopback, "http://attacker.example/x", &[("host", "localhost")]);
        assert_eq!(found, Some(FromPage::Host("attacker.example".to_owned())));
        assert!(refused(&Peer::Loopback, "/v1/status", &[]).is_some());
        // A Unix socket has no name, and on another machine a request needs a credential.
        assert_eq!(refused(&Peer::User(0), "/v1/status", &[("host", "c")]), None);
        assert_eq!(refused(&Peer::Remote(None), "/v1/status", &[("host", "c.example.org")]), None);
    }
}
