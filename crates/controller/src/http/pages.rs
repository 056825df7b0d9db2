//! Long answers, which are read and sent page by page. A caller that reads slowly holds one page, and the event loop is
//! never busy with more than one.

use super::answers::Fails;
use super::documents::ConnectionStatus;
use super::readers::Turn;
use crate::core::{Core, Owner};
use crate::daemon::{CallError, Handle};
use axum::response::Response;
use bandwise_saba::controller::ConnectionId;
use futures_util::stream::try_unfold;

/// The number of connections on a page.
const PAGE: usize = 256;

/// The next part of an answer.
enum Part {
    /// This page, which was read.
    Page(Page),
    /// The page that begins with this connection or the first one after it.
    From(ConnectionId),
    Done,
}

struct Page {
    connections: Vec<ConnectionStatus>,
    /// The first connection of the next page.
    next: Option<ConnectionId>,
}

/// Answers with all connections, in the form of [`ConnectionsDocument`](super::ConnectionsDocument).
pub(super) async fn connections(
    handle: Handle,
    reader: Owner,
    turn: Turn,
) -> Result<Response, Fails> {
    // The first page is read before the answer begins, as only then can a failure have its status.
    let first = page(&handle, &reader, ConnectionId(0)).await?;
    let texts = try_unfold(Part::Page(first), move |part| {
        let (handle, reader) = (handle.clone(), reader.clone());
        async move {
            let (page, is_first) = match part {
                Part::Page(page) => (page, true),
                Part::From(first) => (page(&handle, &reader, first).await?, false),
                Part::Done => return Ok(None),
            };
            let text = text(&page, is_first);
            Ok::<_, CallError>(Some((text, page.next.map_or(Part::Done, Part::From))))
        }
    });
    Ok(turn.texts("application/json", texts))
}

async fn page(handle: &Handle, reader: &Owner, first: ConnectionId) -> Result<Page, CallError> {
    let read = move |core: &mut Core| {
        let mut all = core.state().connections_from(first);
        let connections = all.by_ref().take(PAGE).map(ConnectionStatus::from).collect();
        Page { connections, next: all.next().map(|(next, _)| next) }
    };
    handle.inspect(reader, move |core, _| read(core)).await
}

/// Returns the JSON of a page: a part of one document.
fn text(page: &Page, is_first: bool) -> String {
    let list = serde_json::to_string(&page.connections).expect("connections are JSON");
    let items = list.trim_start_matches('[').trim_end_matches(']');
    let begin = match (is_first, items.is_empty()) {
        (true, _) => "{\"connections\":[",
        (false, false) => ",",
        // The rest was closed since the page before.
        (false, true) => "",
    };
    let end = if page.next.is_none() { "]}" } else { "" };
    format!("{begin}{items}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::ConnectionsDocument;
    use bandwise_saba::controller::ApplicationId;
    use bandwise_saba::mapping::PriorityLevel;

    fn with(connections: u64, next: Option<u64>) -> Page {
        let connection = |id| ConnectionStatus {
            connection: ConnectionId(id),
            application: ApplicationId(1),
            level: PriorityLevel(2),
            from: "a]".into(),
            to: "[b".into(),
            path: Vec::new(),
        };
        Page {
            connections: (0..connections).map(connection).collect(),
            next: next.map(ConnectionId),
        }
    }

    /// The texts of all pages are one document, also if the last page has become empty.
    #[test]
    fn pages_are_one_document() {
        for (pages, connections) in [
            (vec![with(0, None)], 0),
            (vec![with(2, None)], 2),
            (vec![with(2, Some(2)), with(3, Some(5)), with(1, None)], 6),
            (vec![with(2, Some(2)), with(0, None)], 2),
        ] {
            let text: String =
                pages.iter().enumerate().map(|(at, page)| text(page, at == 0)).collect();
            let read: ConnectionsDocument = serde_json::from_str(&text).unwrap();
            assert_eq!(read.connections.len(), connections, "{text}");
        }
    }
}
