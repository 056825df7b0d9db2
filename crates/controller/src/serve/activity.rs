//! [`Activity`]: whether anything happens on a connection.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http_body_util::BodyExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The requests and answers of a connection. All clones share them. Pings of HTTP/2 don't count, and neither do
/// answers that the peer doesn't take.
#[derive(Debug, Clone)]
pub(super) struct Activity(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    began: Instant,
    /// The time of the last request or part of an answer, in ms since the begin.
    last: AtomicU64,
    /// The number of requests that are being handled.
    handled: AtomicU32,
}

impl Activity {
    pub(super) fn new() -> Self {
        let (began, last, handled) = (Instant::now(), AtomicU64::new(0), AtomicU32::new(0));
        Activity(Arc::new(Shared { began, last, handled }))
    }

    fn touch(&self) {
        self.0.last.store(self.0.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Waits until nothing has happened for this time.
    pub(super) async fn silence(&self, longest: Duration) {
        loop {
            let last = self.0.began + Duration::from_millis(self.0.last.load(Ordering::Relaxed));
            let is_handled = self.0.handled.load(Ordering::Relaxed) > 0;
            match (is_handled, last + longest) {
                (false, end) if end <= Instant::now() => return,
                (false, end) => tokio::time::sleep_until(end).await,
                (true, _) => tokio::time::sleep(longest / 4).await,
            }
        }
    }

    /// Handles a request, and observes it and its answer.
    pub(super) async fn observe<F: Future<Output = Response>>(
        &self,
        request: Request,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        self.touch();
        let handled = Handled::new(self);
        let answer = handle(request).await;
        drop(handled);
        let activity = self.clone();
        answer.map(|body| Body::new(body.inspect_frame(move |_| activity.touch())))
    }
}

/// A request that is being handled.
struct Handled<'a>(&'a Activity);

impl<'a> Handled<'a> {
    fn new(activity: &'a Activity) -> Self {
        activity.0.handled.fetch_add(1, Ordering::Relaxed);
        Handled(activity)
    }
}

impl Drop for Handled<'_> {
    fn drop(&mut self) {
        self.0.touch();
        self.0.0.handled.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{StreamExt, stream};

    const LONGEST: Duration = Duration::from_secs(60);

    /// Returns the time until the silence.
    async fn silent_after(activity: &Activity) -> Duration {
        let began = Instant::now();
        activity.silence(LONGEST).await;
        began.elapsed()
    }

    async fn after(seconds: u64) {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn silence_begins_after_the_last_request() {
        let activity = Activity::new();
        assert_eq!(silent_after(&activity).await, LONGEST);
        let handle = async |_| {
            after(300).await;
            Response::default()
        };
        let ((), silent) = tokio::join!(
            async { drop(activity.observe(Request::default(), handle).await) },
            silent_after(&activity)
        );
        assert!((LONGEST + Duration::from_secs(300)..).contains(&silent), "{silent:?}");
    }

    /// A peer that takes an answer is not silent, and one that stops taking it is.
    #[tokio::test(start_paused = true)]
    async fn taken_answers_are_activity() {
        let activity = Activity::new();
        let parts = || stream::iter(0..10).map(|_| Ok::<_, std::io::Error>("part"));
        let handle = async |_| Response::new(Body::from_stream(parts()));
        let mut taken = activity.observe(Request::default(), handle).await.into_body();
        let takes = async {
            for _ in 0..5 {
                after(50).await;
                taken.frame().await.unwrap().unwrap();
            }
        };
        let ((), silent) = tokio::join!(takes, silent_after(&activity));
        assert_eq!(silent, LONGEST + Duration::from_secs(250));
    }
}
