//! Long answers, which are read and sent page by page. A caller that reads slowly holds one page, and the event loop is
//! never busy with more than one.

use super::answers::Fails;
use super::documents::ConnectionStatus;
use super::readers::Turn;
use crate::core::Core;
use crate::credentials::Caller;
use crate::daemon::{CallError, Handle};
use axum::response::Response;
use bandwise_saba::controller::ConnectionId;
use futures_util::stream::try_unfold;

/// The number of connections that are looked at for a page.
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

/// Answers with the connections that a caller sees, in the form of [`ConnectionsDocument`](super::ConnectionsDocument).
pub(super) async fn connections(
    handle: Handle,
    caller: Caller,
    turn: Turn,
) -> Result<Response, Fails> {
    // The first page is read before the answer begins, as only then can a failure have its status.
    let first = page(&handle, &caller, ConnectionId(0)).await?;
    if first.next.is_none() {
        return Ok(turn.text("application/json", text(&first, Joint::Begin).0));
    }
    let texts = try_unfold((Part::Page(first), Joint::Begin), move |(part, joint)| {
        let (handle, caller) = (handle.clone(), caller.clone());
        async move {
            let page = match part {
                Part::Page(page) => page,
                Part::From(first) => page(&handle, &caller, first).await?,
                Part::Done => return Ok(None),
            };
            let (text, joint) = text(&page, joint);
            Ok::<_, CallError>(Some((text, (page.next.map_or(Part::Done, Part::From), joint))))
        }
    });
    Ok(turn.texts("application/json", texts))
}

async fn page(handle: &Handle, caller: &Caller, first: ConnectionId) -> Result<Page, CallError> {
    let viewer = caller.clone();
    let read = move |core: &mut Core| {
        let state = core.state();
        let mut all = state.connections_from(first);
        let seen = all.by_ref().take(PAGE).filter(|of| viewer.sees(state.owner_of(of.1.client)));
        Page {
            connections: seen.map(ConnectionStatus::from).collect(),
            next: all.next().map(|of| of.0),
        }
    };
    handle.inspect(caller.owner(), move |core, _| read(core)).await
}

/// The text before the connections of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// The begin of the document.
    Begin,
    /// Nothing, as no connection was sent.
    Nothing,
    Comma,
}

/// Returns the JSON of a page, which is a part of one document, and the joint before the next.
fn text(page: &Page, joint: Joint) -> (String, Joint) {
    let list = serde_json::to_string(&page.connections).expect("connections are JSON");
    let items = list.trim_start_matches('[').trim_end_matches(']');
    let before = match joint {
        Joint::Begin => "{\"connections\":[",
        Joint::Comma if !items.is_empty() => ",",
        Joint::Comma | Joint::Nothing => "",
    };
    let joint = match joint {
        Joint::Begin | Joint::Nothing if items.is_empty() => Joint::Nothing,
        _ => Joint::Comma,
    };
    let end = if page.next.is_none() { "]}" } else { "" };
    (format!("{before}{items}{end}"), joint)
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

    /// The texts of all pages are one document, whichever pages are empty.
    #[test]
    fn pages_are_one_document() {
        for pages in [vec![0], vec![2], vec![2, 3, 1], vec![2, 0], vec![0, 0, 2, 0, 1], vec![0, 0]]
        {
            let last = pages.len() - 1;
            let (mut text, mut joint) = (String::new(), Joint::Begin);
            for (at, &connections) in pages.iter().enumerate() {
                let page = with(connections, (at < last).then_some(9));
                let (more, next) = super::text(&page, joint);
                text += &more;
                joint = next;
            }
            let read: ConnectionsDocument = serde_json::from_str(&text).unwrap();
            assert_eq!(read.connections.len() as u64, pages.iter().sum::<u64>(), "{text}");
        }
    }
}
