use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The answers to a client.
#[derive(Default)]
struct Answers {
    by_number: BTreeMap<u64, (Value, Reply)>,
    acknowledged_below: u64,
}

/// A model of the controller's answers: request numbers, clients, and open connections.
#[derive(Default)]
struct Controller {
    clients: BTreeMap<u64, Answers>,
    open: BTreeMap<u64, (u64, String)>,
    registered: BTreeSet<u64>,
    next: u64,
}

impl Controller {
    fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn answer(&mut self, HttpRequest { path, body, .. }: &HttpRequest) -> Reply {
        if path == "/v1/clients" {
            let client = self.id();
            self.clients.insert(client, Answers::default());
            return Reply::Done(json!({ "client": client, "lease_ms": 30_000 }));
        }
        let body: Value = serde_json::from_str(body).unwrap();
        let (client, number) = (body["client"].as_u64().unwrap(), body["number"].as_u64().unwrap());
        let Some(answers) = self.clients.get_mut(&client) else { return Reply::Forgotten };
        let acknowledged_below = body["acknowledged_below"].as_u64().unwrap();
        assert!(number >= answers.acknowledged_below, "an acknowledged request is not repeated");
        answers.acknowledged_below = answers.acknowledged_below.max(acknowledged_below);
        if let Some((before, answer)) = answers.by_number.get(&number) {
            assert_eq!(before, &body["request"], "a number has one request");
            return answer.clone();
        }
        let request = &body["request"];
        let answer = if let Some(connect) = request.get("connect") {
            assert!(self.registered.contains(&connect["application"].as_u64().unwrap()));
            let (id, to) = (self.id(), connect["to"].as_str().unwrap().to_owned());
            if to == "nowhere" {
                Reply::Refused("there is no host".into())
            } else {
                self.open.insert(id, (client, to));
                Reply::Done(json!({ "connection": id, "level": 1 }))
            }
        } else if let Some(close) = request.get("close") {
            let closed = self.open.remove(&close["connection"].as_u64().unwrap());
            assert!(closed.is_some(), "it was open");
            Reply::Done(json!({}))
        } else {
            let id = self.id();
            self.registered.insert(id);
            Reply::Done(json!({ "application": id, "level": 1, "dscp": 7 }))
        };
        let entry = (request.clone(), answer.clone());
        self.clients.get_mut(&client).unwrap().by_number.insert(number, entry);
        answer
    }

    /// Forgets all clients, as after the end of their leases or with an empty store.
    fn forget(&mut self) {
        *self = Controller { next: self.next, ..Controller::default() };
    }
}

fn session() -> Session {
    Session::new(Registration { name: "LR".into(), job: None, nodes: None, dataset: None })
}

/// The number of requests that are sent at once.
const AT_ONCE: usize = 3;

fn settle(session: &mut Session, controller: &mut Controller) {
    loop {
        let requests = session.next_requests(AT_ONCE);
        if requests.is_empty() {
            return;
        }
        for (ticket, request) in requests {
            session.handle(ticket, controller.answer(&request));
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Open(bool),
    Close(usize),
    /// Requests are sent; for each, the flags say whether it arrives, and whether its answer returns.
    Say([(bool, bool); AT_ONCE]),
    Forget,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        any::<bool>().prop_map(Step::Open),
        (0..8usize).prop_map(Step::Close),
        any::<[(bool, bool); AT_ONCE]>().prop_map(Step::Say),
        Just(Step::Forget),
    ]
}

proptest! {
    /// With any lost messages and restarts the controller finally knows each open connection once.
    #[test]
    fn controller_knows_open_connections_after_any_losses(
        steps in proptest::collection::vec(step(), 0..60),
    ) {
        let (mut session, mut controller) = (session(), Controller::default());
        settle(&mut session, &mut controller);
        let mut open: Vec<(Local, String)> = Vec::new();
        for (i, step) in steps.into_iter().enumerate() {
            match step {
                Step::Open(is_somewhere) => {
                    let to = if is_somewhere { format!("h{i}") } else { "nowhere".into() };
                    let local = session.open("h".into(), to.clone()).unwrap();
                    open.push((local, to));
                }
                Step::Close(which) if which < open.len() => session.close(open.remove(which).0),
                Step::Close(_) => {}
                Step::Say(all) => {
                    let requests = session.next_requests(AT_ONCE);
                    for ((ticket, request), (arrives, returns)) in requests.into_iter().zip(all) {
                        let reply = arrives.then(|| controller.answer(&request));
                        if let Some(reply) = reply.filter(|_| returns) {
                            session.handle(ticket, reply);
                        }
                    }
                }
                Step::Forget => controller.forget(),
            }
            let is_pending = |link: &Link| {
                !link.is_outstanding && (link.known.is_none() || link.is_closed)
            };
            let pending = session.links.iter().filter(|of| is_pending(of.1)).map(|of| *of.0);
            prop_assert_eq!(&pending.collect::<BTreeSet<_>>(), &session.pending);
        }
        // A renewal detects this.
        let is_known = session.client.is_some_and(|client| controller.clients.contains_key(&client));
        if session.client.is_some() && !is_known {
            session.forgotten();
        }
        settle(&mut session, &mut controller);
        let mut known: Vec<&String> =
            controller.open.values().filter(|of| Some(of.0) == session.client).map(|of| &of.1).collect();
        let mut wanted: Vec<&String> =
            open.iter().map(|of| &of.1).filter(|to| *to != "nowhere").collect();
        known.sort();
        wanted.sort();
        prop_assert_eq!(known, wanted);
        for (local, to) in &open {
            prop_assert_eq!(session.refusal(*local).is_some(), to == "nowhere");
        }
        prop_assert_eq!(session.mark().unwrap().traffic_class(), Some(28));
    }
}

#[test]
fn refused_registration_is_not_repeated() {
    let mut session = session();
    assert_eq!(session.open("h1".into(), "h2".into()), None, "no controller has responded");
    let mut controller = Controller::default();
    let (ticket, hello) = session.next_requests(AT_ONCE).remove(0);
    session.handle(ticket, controller.answer(&hello));
    let (ticket, _) = session.next_requests(AT_ONCE).remove(0);
    session.handle(ticket, Reply::Refused("it may not".into()));
    assert_eq!(session.refused(), Some("it may not"));
    assert_eq!(session.next_requests(AT_ONCE), []);
}

/// A registration names the job only if there is one, as older controllers know no jobs.
#[test]
fn job_is_sent_only_if_set() {
    for job in [None, Some("LR at noon".to_owned())] {
        let registration = Registration { job: job.clone(), ..session().registration };
        let mut session = Session::new(registration);
        let (ticket, hello) = session.next_requests(AT_ONCE).remove(0);
        session.handle(ticket, Controller::default().answer(&hello));
        let (_, register) = session.next_requests(AT_ONCE).remove(0);
        let body: Value = serde_json::from_str(&register.body).unwrap();
        let sent = body["request"]["register"].get("job");
        assert_eq!(sent, job.map(Value::from).as_ref());
    }
}
