//! The driver of a [`Session`]: connects to etcd, carries out calls, and passes the results on.

use super::calls::{Failure, Reply};
use super::etcd::Endpoints;
use super::keys::Keys;
use super::link::{Done, Link, update};
use super::session::{CallId, Notice, Session, SessionInput, SessionOutput};
use crate::daemon::{EventSender, Metrics, PersisterMessage};
use etcd_client::WatchStream;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

/// The end of a task in the background.
enum Ended {
    Open(Result<Box<Link>, Failure>),
    Call(CallId, Result<Done, Failure>),
}

/// The connection to the etcd in use.
#[derive(Default)]
struct Connection {
    link: Option<Link>,
    watch: Option<(CallId, WatchStream)>,
    /// Tasks in the background; they are aborted with the connection.
    tasks: JoinSet<Ended>,
}

/// Drives a session until the event loop has ended.
pub(super) async fn run(
    mut session: Session,
    endpoints: &Endpoints,
    keys: &Keys,
    mut messages: UnboundedReceiver<PersisterMessage>,
    events: &EventSender,
    metrics: &Metrics,
) {
    let mut connection = Connection::default();
    let mut is_stopped = false;
    let mut input = SessionInput::Tick;
    loop {
        session.handle(events.now(), input);
        while let Some(output) = session.poll() {
            match output {
                SessionOutput::Open(at) => {
                    let (url, keys) = (endpoints.urls[at].clone(), keys.clone());
                    let options = endpoints.options.clone();
                    connection.tasks.spawn(async move {
                        Ended::Open(Link::open(&url, options, keys).await.map(Box::new))
                    });
                }
                SessionOutput::Call(id, call) => {
                    let Some(mut link) = connection.link.clone() else { continue };
                    connection.tasks.spawn(async move { Ended::Call(id, link.call(call).await) });
                }
                // Calls of the session's end still use the link.
                SessionOutput::Close => {
                    (connection.tasks, connection.watch) = (JoinSet::new(), None);
                }
                // An event loop that has ended closes `messages` too.
                SessionOutput::Tell(update) => drop(events.send(update)),
                SessionOutput::Stored(after) => metrics.stored(after),
                SessionOutput::Notice(notice) => report(endpoints, notice),
                SessionOutput::Ended => return,
            }
        }
        let wait = session.wake().map_or(Duration::MAX, |wake| wake.saturating_sub(events.now()));
        input = next(&mut connection, &mut messages, &mut is_stopped, wait).await;
    }
}

/// Waits for the next input.
async fn next(
    of: &mut Connection,
    messages: &mut UnboundedReceiver<PersisterMessage>,
    is_stopped: &mut bool,
    wait: Duration,
) -> SessionInput {
    let Connection { link, watch, tasks } = of;
    let updated = async {
        match watch {
            Some((id, stream)) => (*id, stream.message().await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        message = messages.recv(), if !*is_stopped => match message {
            Some(message) => SessionInput::Message(message),
            None => {
                *is_stopped = true;
                SessionInput::Stop
            }
        },
        (id, updated) = updated => match updated {
            Ok(Some(response)) => SessionInput::Updated(id, update(&response)),
            Ok(None) => {
                let failure = Failure::Unknown("the watch has ended".into());
                SessionInput::WatchLost(id, failure)
            }
            Err(error) => SessionInput::WatchLost(id, error.into()),
        },
        Some(ended) = tasks.join_next() => match ended {
            Ok(Ended::Open(opened)) => SessionInput::Opened(opened.map(|opened| *link = Some(*opened))),
            Ok(Ended::Call(id, Ok(Done::Reply(reply)))) => SessionInput::Answered(id, Ok(reply)),
            Ok(Ended::Call(id, Ok(Done::Watch(stream)))) => {
                *watch = Some((id, *stream));
                SessionInput::Answered(id, Ok(Reply::Watching))
            }
            Ok(Ended::Call(id, Err(failure))) => SessionInput::Answered(id, Err(failure)),
            // The runtime is going down.
            Err(_) => SessionInput::Tick,
        },
        () = tokio::time::sleep(wait) => SessionInput::Tick,
    }
}

fn report(endpoints: &Endpoints, notice: Notice) {
    match notice {
        Notice::Lost { at, error } => {
            tracing::warn!(url = endpoints.urls[at], error, "lost connection to etcd");
        }
        Notice::Replaced { known } => {
            tracing::error!(known, "etcd was replaced or restored: reloading it");
        }
        Notice::Edited(revision) => {
            tracing::warn!(revision, "reloading etcd after a manual edit");
        }
        Notice::Holds(groups) => {
            let names: Vec<&str> = groups.iter().map(AsRef::as_ref).collect();
            tracing::info!(groups = ?names, "holds groups");
        }
        Notice::Alive(instance, is_alive) => {
            tracing::info!(instance = instance.as_ref(), is_alive, "controller changed state");
        }
    }
}
