//! Plans as they are written: what they mean, and what is refused with which words.

use bandwise_agents::{Plan, Role};
use bandwise_input::Source;
use bandwise_rdma::verbs::Transport;
use bandwise_session::{Method, Operation};
use bandwise_units::Time;
use proptest::prelude::*;

const HOSTS: &str = r#"
[[host]]
name = "a"
agent = "node1"
[[host]]
name = "b"
agent = "node2:7000"
"#;

fn read(text: &str) -> Result<Plan, String> {
    Plan::from_toml(&Source::new("p.toml", text), 18517).map_err(|error| error.to_string())
}

fn with(flow: &str) -> Result<Plan, String> {
    read(&format!("{HOSTS}[[flow]]\n{flow}"))
}

#[test]
fn omitted_plan_keys_have_defaults() {
    let plan = with("from = \"a\"\nto = \"b\"\nmethod = \"rperf\"").unwrap();
    assert_eq!((plan.title.as_str(), plan.seed), ("p.toml", 1));
    assert_eq!(plan.hosts[0].agent.to_string(), "node1:18517");
    assert_eq!(plan.hosts[1].agent.to_string(), "node2:7000");
    let [flow] = &plan.flows[..] else { panic!("one flow") };
    assert_eq!(
        (flow.name.as_str(), flow.from, flow.to, flow.role),
        ("rperf a->b", 0, 1, Role::Lsg)
    );
    assert_eq!((flow.task.method, flow.task.transport), (Method::Rperf, Transport::Rc));
    assert_eq!((flow.task.bytes.get(), flow.task.queue_pairs.get()), (64, 1));
    let ms = Time::from_ms;
    assert_eq!((plan.window.from(), plan.window.to(), plan.end()), (ms(100), ms(4_900), ms(5_000)));
}

#[test]
fn each_pair_of_hosts_has_a_flow() {
    let three = format!("{HOSTS}[[host]]\nname = \"c\"\nagent = \"node3\"\n");
    let plan = |flow: &str| read(&format!("{three}[[flow]]\nmethod = \"bulk\"\n{flow}")).unwrap();
    let names = |plan: &Plan| plan.flows.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
    let all = "from = [\"a\", \"b\", \"c\"]\nto = [\"a\", \"b\", \"c\"]\nname = \"x\"";
    let pairs = ["x a->b", "x a->c", "x b->a", "x b->c", "x c->a", "x c->b"];
    assert_eq!(names(&plan(all)), pairs);
    let incast = plan("from = [\"b\", \"c\"]\nto = \"a\"");
    assert_eq!(names(&incast), ["bulk b->a", "bulk c->a"]);
    assert!(incast.flows.iter().all(|f| f.role == Role::Bsg && f.task.bytes.get() == 65_536));
    // A host in both lists has flows to other hosts only.
    assert_eq!(names(&plan("from = [\"a\", \"b\"]\nto = [\"b\", \"c\"]")).len(), 3);
}

/// All flows are active from the last start to the first stop, less the margin at both ends.
#[test]
fn window_is_common_to_all_flows() {
    let text = format!(
        "duration = \"1 s\"\nmargin = \"10 ms\"\nseed = 7\n{HOSTS}\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\nmethod = \"bulk\"\n\
         [[flow]]\nfrom = \"b\"\nto = \"a\"\nmethod = \"closed-loop\"\nopcode = \"read\"\nrole = \"bsg\"\n\
         bytes = \"1 MiB\"\nstart = \"200 ms\"\nstop = \"900 ms\"\n"
    );
    let plan = read(&text).unwrap();
    let ms = Time::from_ms;
    assert_eq!((plan.window.from(), plan.window.to(), plan.end()), (ms(210), ms(890), ms(1_000)));
    assert_eq!(plan.flows[1].role, Role::Bsg);
    assert_eq!(plan.flows[1].task.method, Method::ClosedLoop(Operation::Read));
    assert_eq!(plan.seed, 7);
}

/// Omitted values of a key-value store are those of the simulated study.
#[test]
fn key_value_flow_has_defaults() {
    let flow = "from = \"a\"\nto = \"b\"\nmethod = \"key-value\"\n";
    let plan = with(flow).unwrap();
    let [flow_of] = &plan.flows[..] else { panic!("one flow") };
    let Method::KeyValue(store) = flow_of.task.method else { panic!("{:?}", flow_of.task) };
    assert_eq!((store.clients.get(), store.workers.get(), store.put_every), (4, 4, 20));
    assert_eq!(
        (flow_of.task.bytes.get(), flow_of.task.depth.get(), flow_of.task.inline.get()),
        (32, 4, 236)
    );
    assert_eq!((flow_of.name.as_str(), flow_of.role), ("key-value a->b", Role::Lsg));
    assert_eq!(flow_of.think, Time::ZERO);
    let plan = with(&format!(
        "{flow}clients = 3\nworkers = 2\nput-every = 0\ndepth = 9\nbytes = \"100 B\"\ncompletion = \"event\"\nmtu = 256"
    ));
    let task = plan.unwrap().flows[0].task;
    let Method::KeyValue(store) = task.method else { panic!("{task:?}") };
    assert_eq!((store.clients.get(), store.workers.get(), store.put_every), (3, 2, 0));
    assert_eq!((task.bytes.get(), task.depth.get(), task.events), (100, 9, true));
    for (more, message) in [
        ("clients = 0", "p.toml:12: clients can't be 0 (allowed: 1 to 64)"),
        ("workers = 65", "p.toml:12: workers can't be 65 (allowed: 1 to 64)"),
        ("put-every = -1", "is negative"),
        ("depth = 0", "p.toml:12: depth can't be 0 (allowed: 1 to 16384)"),
        ("bytes = \"0 B\"", "p.toml:12: bytes can't be 0 B (allowed: 1 B to 4078 B)"),
        ("bytes = \"5000 B\"", "bytes can't be 5000 B (allowed: 1 B to 4078 B)"),
        (
            "bytes = \"1 KiB\"\nmtu = 1024",
            "p.toml:12: a datagram of 1024 B does not fit the MTU of 1024 B (allowed: up to 1006)",
        ),
        ("opcode = \"write\"", "p.toml:12: key-value has one opcode only (allowed: no opcode)"),
        ("transport = \"ud\"", "allowed: fewer clients or workers, less depth, transport = \"rc\""),
        (
            "qps = 2",
            "p.toml:12: `qps` does not apply to key-value (allowed: with method = \"bulk\")",
        ),
        ("role = \"bsg\"", "this method takes no bandwidth"),
        ("clients = 64\nworkers = 64", "64 threads with 128 queue pairs each are too many"),
        ("depth = 16384", "32 queue pairs of 16384 requests are too many"),
    ] {
        let error = with(&format!("{flow}{more}")).unwrap_err();
        assert!(error.contains(message), "{message:?} is not in {error:?}");
    }
}

#[test]
fn invalid_plans_are_refused() {
    let flow = "from = \"a\"\nto = \"b\"\nmethod = ";
    for (text, message) in [
        ("method = \"guess\"\nfrom = \"a\"\nto = \"b\"", "p.toml:9: unknown method \"guess\""),
        ("from = \"a\"\nto = \"b\"", "p.toml:9: missing field `method`"),
        (
            "from = \"a\"\nto = \"c\"\nmethod = \"rperf\"",
            "p.toml:10: there is no host \"c\" (allowed: a, b)",
        ),
        ("from = \"a\"\nto = \"a\"\nmethod = \"rperf\"", "a host can't measure with itself"),
        ("from = [\"a\", \"a\"]\nto = \"b\"\nmethod = \"rperf\"", "\"a\" stands there twice"),
        ("from = []\nto = \"b\"\nmethod = \"rperf\"", "the list is empty"),
        (&format!("{flow}\"rperf\"\nopcode = \"write\""), "p.toml:12: rperf has one opcode"),
        (&format!("{flow}\"post-poll\"\nopcode = \"send\""), "allowed: opcode = \"write\""),
        (&format!("{flow}\"rperf\"\nqps = 2"), "`qps` does not apply to one message at a time"),
        (
            &format!("{flow}\"bulk\"\nclients = 2"),
            "p.toml:12: `clients` does not apply to bulk (allowed: with method = \"key-value\")",
        ),
        (&format!("{flow}\"rperf\"\nput-every = 2"), "`put-every` does not apply to rperf"),
        (
            &format!("{flow}\"ping-pong\"\ndepth = 2"),
            "one message at a time (allowed: with method = \"bulk\", \"closed-loop\" or \"key-value\")",
        ),
        (
            &format!("{flow}\"closed-loop\"\nopcode = \"read\"\ndepth = 256"),
            "256 outstanding READs or atomics are too many for a connection: 255 at most",
        ),
        (&format!("{flow}\"bulk\"\ndepth = 0"), "depth can't be 0 (allowed: 1 to 16384)"),
        (&format!("{flow}\"bulk\"\nbytes = \"0 B\""), "bytes can't be 0 B"),
        (&format!("{flow}\"bulk\"\nopcode = \"read\""), "bulk does not use READs"),
        (&format!("{flow}\"bulk\"\nrole = \"lsg\""), "bulk traffic measures no latency"),
        (&format!("{flow}\"rperf\"\nrole = \"bsg\""), "this method takes no bandwidth"),
        (&format!("{flow}\"rperf\"\nrole = \"x\""), "unknown role \"x\" (allowed: lsg or bsg)"),
        (&format!("{flow}\"rperf\"\ntransport = \"ud\""), "datagrams (UD) can only be measured by"),
        (&format!("{flow}\"bulk\"\ntransport = \"ud\"\nbytes = \"5 KiB\""), "does not fit the MTU"),
        (&format!("{flow}\"bulk\"\nmtu = 1500"), "an MTU of 1500 bytes does not exist"),
        (&format!("{flow}\"rperf\"\nsl = 16"), "sl can't be 16 (allowed: 0 to 15)"),
        (
            &format!("{flow}\"rperf\"\nstart = \"2 s\"\nstop = \"1 s\""),
            "stop at 1 s is not after its start",
        ),
        (
            &format!("{flow}\"rperf\"\nstop = \"150 ms\""),
            "leaves nothing between margins of 100 ms",
        ),
        (&format!("{flow}\"bulk\"\nthink = \"1 us\""), "bulk traffic does not pause"),
        (&format!("{flow}\"rperf\"\nspeed = 1"), "unknown field `speed`"),
        (
            &format!("{flow}\"rperf\"\n[[flow]]\n{flow}\"rperf\""),
            "there are two flows \"rperf a->b\"",
        ),
    ] {
        let error = with(text).unwrap_err();
        assert!(error.contains(message), "{message:?} is not in {error:?}");
    }
    for (text, message) in [
        (HOSTS.to_owned(), "no flow: nothing would be measured"),
        (format!("{HOSTS}[[host]]\nname = \"a\"\nagent = \"node3\""), "there are two hosts \"a\""),
        (
            format!("{HOSTS}[[host]]\nname = \"c\"\nagent = \"node1\""),
            "\"a\" has the agent at node1:18517 already",
        ),
        (format!("{HOSTS}[[host]]\nname = \"\"\nagent = \"node3\""), "\"\" is no name of a host"),
        (
            format!("{HOSTS}[[host]]\nname = \"c\"\nagent = \"node3:x\""),
            "\"x\" is not a port (allowed: a port",
        ),
        (
            format!("{HOSTS}[[host]]\nname = \"c\"\nagent = \"n\"\n[[flow]]\n{flow}\"rperf\""),
            "host \"c\" has no part in any flow",
        ),
        ("margin = \"1 ns\"".to_owned(), "margin can't be 1 ns"),
        ("duration = \"2 h\"".to_owned(), "needs another unit"),
        (String::new(), "no flow"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.contains(message), "{message:?} is not in {error:?}");
    }
}

proptest! {
    /// Parts of plans in any order give an error or a plan that can be run.
    #[test]
    fn any_text_is_a_valid_plan_or_an_error(parts in prop::collection::vec(prop::sample::select(vec![
        "[[host]]\n", "[[flow]]\n", "name = \"a\"\n", "name = \"b\"\n", "agent = \"a\"\n", "agent = \"b:1\"\n",
        "from = \"a\"\n", "to = [\"b\", \"a\"]\n", "to = \"b\"\n", "method = \"bulk\"\n", "method = \"rperf\"\n",
        "duration = \"1 s\"\n", "start = \"1 s\"\n", "stop = \"2 s\"\n", "bytes = \"1 GiB\"\n", "qps = 9\n",
        "method = \"key-value\"\n", "clients = 3\n", "depth = 9000\n", "bytes = \"40 B\"\n",
    ]), 0..16)) {
        if let Ok(plan) = read(&parts.concat()) {
            prop_assert!(plan.window.to() <= plan.end());
            prop_assert!(plan.flows.iter().all(|f| f.from != f.to && f.to < plan.hosts.len()));
        }
    }
}
