//! [`Readers`]: the bound of answers that are being sent to a caller.

use crate::bounds::{Bounds, Held};
use crate::core::Owner;
use crate::daemon::CallError;
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{iter, try_unfold};
use futures_util::{Stream, StreamExt};
use std::pin::Pin;
use std::time::Duration;

/// The number of long answers that are sent to one caller at a time; others wait.
const MOST: u32 = 32;

/// The longest wait for the turn to read.
const WAIT: Duration = Duration::from_secs(30);

/// The size of a part of an answer, in bytes. A caller that does not read holds one part in the connection's buffers.
const PART: usize = 8 << 10;

/// The bound of long answers that are being sent to each caller. All clones share it.
#[derive(Debug, Clone)]
pub(super) struct Readers(Bounds);

impl Default for Readers {
    fn default() -> Self {
        Readers(Bounds::new(MOST))
    }
}

/// The turn of a caller to read a long answer.
pub(super) struct Turn {
    _held: Held,
}

impl Readers {
    /// Waits for the turn of a caller.
    ///
    /// # Errors
    ///
    /// Returns [`CallError::Busy`] if the caller does not read the answers before.
    pub(super) async fn turn(&self, owner: &Owner) -> Result<Turn, CallError> {
        let held = self.0.hold(owner, 1, WAIT).await;
        held.map(|held| Turn { _held: held }).ok_or(CallError::Busy)
    }
}

type Texts = Pin<Box<dyn Stream<Item = Result<String, CallError>> + Send>>;

/// An answer that is being sent.
struct Sending {
    texts: Texts,
    /// The text that was read and is not sent.
    rest: Bytes,
    _turn: Turn,
}

impl Turn {
    /// Returns an answer of this text.
    pub(super) fn text(self, kind: &'static str, text: String) -> Response {
        let length = text.len();
        let mut answer = self.texts(kind, iter([Ok(text)]));
        answer.headers_mut().insert(CONTENT_LENGTH, length.into());
        answer
    }

    /// Returns an answer of these texts, which are read as the caller takes the answer. The turn ends when all of it is
    /// taken: the last byte is sent by itself, after the caller has made room for all others.
    pub(super) fn texts<S>(self, kind: &'static str, texts: S) -> Response
    where
        S: Stream<Item = Result<String, CallError>> + Send + 'static,
    {
        let sending = Sending { texts: Box::pin(texts), rest: Bytes::new(), _turn: self };
        let parts = try_unfold(sending, |mut sending| async {
            let part = sending.part().await?;
            Ok::<_, CallError>(part.map(|part| (part, sending)))
        });
        ([(CONTENT_TYPE, kind)], Body::from_stream(parts)).into_response()
    }
}

impl Sending {
    async fn part(&mut self) -> Result<Option<Bytes>, CallError> {
        while self.rest.len() <= PART {
            let Some(text) = self.texts.next().await.transpose()? else { break };
            self.rest = [&self.rest[..], text.as_bytes()].concat().into();
        }
        let size = match self.rest.len() {
            0 => return Ok(None),
            1 => 1,
            more => (more - 1).min(PART),
        };
        Ok(Some(Bytes::copy_from_slice(&self.rest.split_to(size))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(texts: Vec<String>, turn: Turn) -> impl Stream<Item = usize> {
        let answer = turn.texts("text/plain", iter(texts.into_iter().map(Ok)));
        answer.into_body().into_data_stream().map(|part| part.unwrap().len())
    }

    #[tokio::test]
    async fn answers_are_sent_in_small_parts() {
        let readers = Readers::default();
        for (texts, parts) in [
            (vec![], vec![]),
            (vec![1], vec![1]),
            (vec![0, 2, 0], vec![1, 1]),
            (vec![3, 4], vec![6, 1]),
            (vec![PART + 1], vec![PART, 1]),
            (vec![2 * PART, 5], vec![PART, PART, 4, 1]),
        ] {
            let texts = texts.into_iter().map(|size| "x".repeat(size)).collect();
            let turn = readers.turn(&"spark".into()).await.unwrap();
            assert_eq!(parts_of(texts, turn).collect::<Vec<_>>().await, parts);
        }
    }

    /// An answer that is not taken holds a turn of its caller, and none of another one.
    #[tokio::test(start_paused = true)]
    async fn answers_hold_turns_until_they_are_taken() {
        let readers = Readers::default();
        let mut held = Vec::new();
        for _ in 0..MOST {
            let turn = readers.turn(&"spark".into()).await.unwrap();
            held.push(Box::pin(parts_of(vec!["xyz".into()], turn)));
        }
        assert!(readers.turn(&"spark".into()).await.is_err());
        drop(readers.turn(&"root".into()).await.unwrap());
        assert_eq!(held[0].next().await, Some(2));
        assert!(readers.turn(&"spark".into()).await.is_err(), "the last byte is not taken");
        assert_eq!((held[0].next().await, held[0].next().await), (Some(1), None));
        drop(readers.turn(&"spark".into()).await.unwrap());
        drop(held.pop());
        drop(readers.turn(&"spark".into()).await.unwrap());
    }

    #[tokio::test]
    async fn failures_end_an_answer() {
        let turn = Readers::default().turn(&"spark".into()).await.unwrap();
        let texts = iter([Ok("text".to_owned()), Err(CallError::Ending)]);
        let mut parts = turn.texts("text/plain", texts).into_body().into_data_stream();
        assert!(parts.next().await.unwrap().is_err());
    }
}
