//! `bandwise saba rates` beside a controller that runs, with a network in memory.

use crate::common::{Place, Ran};
use crate::running::Controller;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread::JoinHandle;

const TABLE: &str = "application,share,time_s\nLR,1,132\nLR,0.5,260\nLR,0.25,447\n\
    PR,1,100\nPR,0.5,110\nPR,0.25,131\n";
const SETTINGS: &str = "table = \"table.csv\"\nstore = \"store\"\nlisten = \"unix:socket\"\n\
    [hosts]\nh0 = [\"10.0.0.1\"]\n\
    [simulated.fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"40 Gbps\" }\n";

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", SETTINGS);
    place.write("table.csv", TABLE);
    place
}

fn rates(place: &Place, flags: &[&str]) -> Ran {
    place.run(&[&["saba", "rates", "--config", "c.toml"], flags].concat())
}

/// Returns the rates of all applications or connections, Gbps.
fn gbps(answer: &Value, of: &str, key: &str) -> Vec<f64> {
    let all = answer[of].as_array().unwrap();
    all.iter().map(|of| of[key].as_f64().unwrap() / 1e9).collect()
}

#[test]
fn rates_follow_registrations_and_deregistrations() {
    let place = place();
    let mut controller = Controller::start(&place);
    let answer = rates(&place, &["--json"]).good().json();
    assert_eq!((&answer["applications"], &answer["connections"]), (&json!([]), &json!([])));
    let lr = controller.register("LR");
    // A host's other name.
    controller.connect(lr, "10.0.0.1", "h2");
    let answer = rates(&place, &["--json"]).good().json();
    assert_eq!(gbps(&answer, "applications", "rate_bps"), [40.0]);
    assert_eq!(answer["engine"], json!({ "name": "flows", "at_rest": true }));
    let pr = controller.register("PR");
    controller.connect(pr, "h1", "h2");
    let answer = rates(&place, &["--json"]).good().json();
    let found = gbps(&answer, "applications", "rate_bps");
    assert!((found[0] + found[1] - 40.0).abs() < 1e-6 && found[0] > 1.5 * found[1], "{found:?}");
    assert_eq!(gbps(&answer, "connections", "max_min_bps"), [20.0, 20.0]);
    let of_lr = &answer["applications"][0];
    assert_eq!((&of_lr["name"], &of_lr["port"]), (&json!("LR"), &json!("switch:3")));
    assert!((of_lr["part"].as_f64().unwrap() - found[0] / 40.0).abs() < 1e-6, "{answer}");
    let packets = ["--engine", "packets", "--duration", "2 ms", "--json"];
    let answer = rates(&place, &packets).good().json();
    let by_packets = gbps(&answer, "applications", "rate_bps");
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 0.02 * b;
    assert!(by_packets.iter().zip(&found).all(is_near), "{by_packets:?}, not {found:?}");
    assert_eq!(
        (&answer["engine"]["name"], &answer["engine"]["measured_ns"]),
        (&json!("packets"), &json!(2e6))
    );
    let text = rates(&place, &[]).good().stdout;
    assert!(text.contains("  LR ") && text.contains("% at switch:3"), "{text}");
    controller.ask(json!({ "deregister": { "application": lr } }));
    let answer = rates(&place, &["--json"]).good().json();
    assert_eq!(gbps(&answer, "applications", "rate_bps"), [40.0]);
}

/// Passes a controller's answers on, as a caller gets them who sees only its own.
fn relay(place: &Place) -> JoinHandle<()> {
    let listener = UnixListener::bind(place.path().join("relay")).unwrap();
    let controller = place.path().join("socket");
    std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut client, _) = listener.accept().unwrap();
            let mut request = [0; 1 << 10];
            let length = client.read(&mut request).unwrap();
            let mut controller = UnixStream::connect(&controller).unwrap();
            controller.write_all(&request[..length]).unwrap();
            let mut answer = String::new();
            controller.read_to_string(&mut answer).unwrap();
            let answer = answer.replace("\"own_only\":false", "\"own_only\":true");
            client.write_all(answer.as_bytes()).unwrap();
        }
    })
}

/// Rates depend on all connections.
#[test]
fn caller_that_sees_only_its_own_gets_no_rates() {
    let place = place();
    let _controller = Controller::start(&place);
    let relay = relay(&place);
    place.write("c.toml", SETTINGS.replace("unix:socket", "unix:relay"));
    let wanted = ["the controller shows you your own connections only", "allowed: root, "];
    rates(&place, &[]).refused(&wanted);
    relay.join().unwrap();
}

#[test]
fn mismatched_network_is_refused() {
    let place = place();
    let mut controller = Controller::start(&place);
    let lr = controller.register("LR");
    controller.connect(lr, "h0", "h2");
    let is_not = "c.toml is not what the controller was started with: ";
    place.write("c.toml", SETTINGS.replace("switch = 3", "switch = 2"));
    rates(&place, &[]).refused(&[is_not, "it has no port h2:1", "allowed"]);
    // The same ports, but fewer queues than the controller uses.
    let pr = controller.register("PR");
    controller.connect(pr, "h1", "h2");
    place.write("c.toml", SETTINGS.replace("[simulated.", "[simulated]\nqueues = 1\n[simulated."));
    rates(&place, &[]).refused(&[is_not, "2 queues are wanted, and the port has 1", "allowed"]);
}

#[test]
fn invalid_rates_request_is_refused_before_contacting_the_controller() {
    let place = place();
    let ran = rates(&place, &[]);
    let reason = "no controller answers at unix:";
    assert!(ran.code == Some(1) && ran.stderr.contains(reason), "{ran:?}");
    rates(&place, &["--duration", "1 ms"])
        .refused(&["--duration is of packets", "--engine packets"]);
    let soon = ["--engine", "packets", "--duration", "0 ms"];
    rates(&place, &soon).refused(&["--duration can't be \"0 ms\"", "allowed"]);
    rates(&place, &["--engine", "trucks"]).refused(&["flows", "packets"]);
    let real = "[[port]]\nfrom = \"a\"\nto = \"b\"\ndevice = \"none\"\nrate = \"1Gbit\"\n";
    let (before, _) = SETTINGS.split_once("[simulated").unwrap();
    place.write("c.toml", format!("{before}{real}"));
    rates(&place, &[]).refused(&["c.toml has ports of a real network", "[simulated] settings"]);
    place.write("c.toml", format!("{before}[infiniband]\n"));
    rates(&place, &[]).refused(&["c.toml has ports of a real network"]);
    let cluster = "[cluster]\netcd = [\"http://127.0.0.1:1\"]\ninstance = \"one\"\n\
        groups = { one = [\"*\"] }\n[simulated";
    let settings = SETTINGS.replace("store = \"store\"\n", "").replace("[simulated", cluster);
    place.write("c.toml", settings);
    rates(&place, &[]).refused(&["c.toml has a [cluster]", "`store`"]);
}
