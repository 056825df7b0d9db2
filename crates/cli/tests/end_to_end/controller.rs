//! `bandwise saba controller`, `status` and `replay`: errors are reported before any write. tests/lab/controller.sh
//! tests their effect on ports.

use crate::common::{Place, Ran};
use crate::running::Controller;
use nix::sys::signal::Signal;
use std::time::Duration;

const WELL: &str = "table = \"table.csv\"\nstore = \"store\"\nlisten = \"unix:socket\"\n\
    [[port]]\nfrom = \"a\"\nto = \"b\"\ndevice = \"bandwise-none\"\nrate = \"1Gbit\"\n";
/// A network in memory.
const NET: &str = "[fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"1 Gbps\" }\n";
const TABLE: &str = "application,share,time_s\nLR,1,132\nLR,0.5,260\nLR,0.25,447\n";

fn place(settings: &str, table: &str) -> Place {
    let place = Place::new();
    place.write("c.toml", settings);
    place.write("table.csv", table);
    place
}

fn check(place: &Place, command: &str) -> Ran {
    place.run(&["saba", command, "--config", "c.toml"])
}

#[test]
fn settings_and_table_are_checked_before_any_write() {
    let cases = [
        (WELL.replace("store", "stoer"), TABLE, "c.toml:2: unknown field `stoer`"),
        (WELL.replace("1Gbit", "fast"), TABLE, "c.toml:8: "),
        (WELL.replace("unix:socket", "0.0.0.0:1"), TABLE, "c.toml:3: 0.0.0.0:1 is reachable"),
        (WELL.replace("table.csv", "none.csv"), TABLE, "none.csv: can't be read"),
        (WELL.into(), "application,share,time_s\nLR,2,1\n", "table.csv:2: "),
        (WELL.replace("\"store\"", "\"no/store\""), TABLE, "c.toml:2: there is no folder"),
        (WELL.replace("\"store\"", "\".\""), TABLE, "c.toml:2: "),
        (format!("audit = \"no/a\"\n{WELL}"), TABLE, "c.toml:1: there is no folder"),
        (format!("recording = \"no/a\"\n{WELL}"), TABLE, "c.toml:1: there is no folder"),
        (format!("audit = \"store\"\n{WELL}"), TABLE, "c.toml:3: \"store\" is used twice"),
        (WELL.replace("unix:socket", "unix:no/socket"), TABLE, "c.toml:3: there is no folder"),
        (
            WELL.replace("unix:socket", "unix:table.csv"),
            TABLE,
            "table.csv is there, and is not a socket",
        ),
        (format!("recording-size = \"1 MiB\"\n{WELL}"), TABLE, "c.toml:1: no `recording` is set"),
    ];
    for (settings, table, wanted) in cases {
        let place = place(&settings, table);
        check(&place, "controller").refused(&[wanted, "allowed"]);
        assert_eq!(place.files(), ["c.toml", "table.csv"]);
    }
}

/// The names in [hosts] are compared with those of the network.
#[test]
fn hosts_that_are_not_in_the_network_are_refused() {
    let network =
        "[simulated.fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"1 Gbps\" }\n";
    for (hosts, wanted) in [
        ("h0 = [\"10.0.0.1\"]\nh9 = [\"10.0.0.9\"]\n", "c.toml:9: there is no host \"h9\""),
        ("switch = [\"10.0.0.9\"]\n", "c.toml:8: there is no host \"switch\""),
        ("h0 = [\"a\", \"h1\"]\n", "c.toml:8: h0 is called \"h1\" too"),
    ] {
        let place = place(&format!("{ANY}{network}[hosts]\n{hosts}"), TABLE);
        check(&place, "controller").refused(&[wanted, "allowed"]);
        place
            .run(&["saba", "controller", "--config", "c.toml", "--dry-run"])
            .refused(&[wanted, "allowed"]);
    }
}

/// Files of [cluster] are read before etcd is asked.
#[cfg(feature = "etcd")]
#[test]
fn unusable_files_of_a_cluster_are_named() {
    use std::os::unix::fs::PermissionsExt;

    let cluster = "table = \"table.csv\"\nlisten = \"unix:socket\"\n\
        [simulated.fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"1 Gbps\" }\n\
        [cluster]\netcd = [\"https://127.0.0.1:1\"]\ninstance = \"one\"\ngroups = { one = [\"*\"] }\n";
    let own = rcgen::generate_simple_self_signed(["one.test".to_owned()]).unwrap();
    let (certificate, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    let other = rcgen::KeyPair::generate().unwrap().serialize_pem();
    let ca = "ca = \"ca.pem\"\n";
    let all = "ca = \"ca.pem\"\ncertificate = \"own.pem\"\nkey = \"key.pem\"\n";
    let user = "ca = \"ca.pem\"\nuser = \"saba\"\npassword-file = \"password\"\n";
    let half = |text: &str| text[..text.len() / 2].to_owned();
    let cases = [
        (ca, "ca.pem", String::new(), "ca.pem: the file has no certificate"),
        (ca, "ca.pem", half(&certificate), "ca.pem: the file is cut: no line is -----END CERT"),
        (ca, "ca.pem", key.clone(), "ca.pem: the file has no certificate"),
        (all, "own.pem", half(&certificate), "own.pem: the file is cut"),
        (
            all,
            "key.pem",
            half(&key),
            "key.pem: the file is cut: no line is -----END PRIVATE KEY-----",
        ),
        (all, "key.pem", other, "key.pem: it is not the key of "),
        (user, "password", "\n".into(), "password: is empty"),
    ];
    for (files, name, content, wanted) in cases {
        let place = place(&format!("{cluster}{files}"), TABLE);
        for (name, content) in [
            ("ca.pem", &certificate),
            ("own.pem", &certificate),
            ("key.pem", &key),
            ("password", &key),
        ] {
            place.write(name, content);
        }
        place.write(name, content);
        for name in ["key.pem", "password"] {
            let private = PermissionsExt::from_mode(0o600);
            std::fs::set_permissions(place.path().join(name), private).unwrap();
        }
        check(&place, "controller").refused(&[wanted, "allowed"]);
    }
}

/// Makes a pipe that nothing writes to: to open it blocks.
fn pipe(place: &Place, name: &str) {
    nix::unistd::mkfifo(&place.path().join(name), nix::sys::stat::Mode::S_IRWXU).unwrap();
}

/// A controller does not wait for the writer of a pipe, nor read a device.
#[test]
fn files_of_other_kinds_are_refused_at_once() {
    let keys = ["table", "store", "audit", "recording"];
    let of = |key: &str, file: &str| {
        let settings = WELL.replace("table = \"table.csv\"\nstore = \"store\"\n", "");
        let line = |of: &str| {
            let file = if of == key { file } else { of };
            format!("{of} = \"{file}\"\n")
        };
        keys.map(line).concat() + &settings
    };
    for key in keys {
        for (file, kind) in [("pipe", "pipe is a pipe"), ("/dev/zero", "/dev/zero is a device")] {
            let place = place(&of(key, file), TABLE);
            place.write("table", TABLE);
            pipe(&place, "pipe");
            let wanted = if key == "table" { kind.replacen(' ', ": ", 1) } else { kind.to_owned() };
            for flags in [&[][..], &["--dry-run"]] {
                let args = [&["saba", "controller", "--config", "c.toml"], flags].concat();
                place.run(&args).refused(&[&wanted, "allowed: a regular file"]);
            }
            assert_eq!(place.files(), ["c.toml", "pipe", "table", "table.csv"]);
        }
    }
    for key in &keys[1..] {
        let place = place(&of(key, "link"), TABLE);
        place.write("table", TABLE);
        std::os::unix::fs::symlink("nothing", place.path().join("link")).unwrap();
        let wanted = ["link is a link to nothing, which does not exist", "allowed: a regular file"];
        check(&place, "controller").refused(&wanted);
    }
    let place = Place::new();
    pipe(&place, "c.toml");
    for command in ["controller", "status", "rates", "reset"] {
        check(&place, command).refused(&["error: c.toml: is a pipe", "allowed: a regular file"]);
    }
}

/// Settings from a process substitution or a pipe are read, by these commands once.
#[test]
fn settings_are_read_from_standard_input() {
    let place = place(WELL, TABLE);
    for name in ["-", "/dev/stdin"] {
        let ran = place.run_with(&["saba", "status", "--config", name], WELL.as_bytes());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("no controller answers"), "{ran:?}");
    }
}

/// All but the network.
const ANY: &str = "table = \"table.csv\"\nstore = \"store\"\nlisten = \"unix:socket\"\n";

#[test]
fn dry_run_reads_a_simulated_network_without_writing() {
    let place = place(&format!("{ANY}[simulated]\nfabric-file = \"net.toml\"\n"), TABLE);
    place.write("net.toml", NET);
    let ran = place.run(&["saba", "controller", "--config", "c.toml", "--dry-run"]);
    let port = |name: &str| format!("{name}: unchanged, no connection uses it\n");
    let ports: String = ["h0:1", "h1:1", "switch:1", "switch:2"].map(port).concat();
    assert!(ran.code == Some(0) && ran.stdout.starts_with(&ports), "{ran:?}");
    assert_eq!(place.files(), ["c.toml", "net.toml", "table.csv"]);
    place
        .run(&["saba", "controller", "--config", "c.toml", "--dry-run", "--json", "d.json"])
        .good();
    let json = place.json("d.json");
    assert_eq!(json["ports"][3]["port"], "switch:2");
    assert_eq!((&json["ports"][3]["state"], &json["connections"]), (&"unused".into(), &0.into()));
    place
        .run(&["saba", "controller", "--config", "c.toml", "--json"])
        .refused(&["--json has the writes of a dry run", "--dry-run --json"]);
    place.write("net.toml", "[fabric]\nbuild = { single-switch = 0 }\n");
    check(&place, "controller").refused(&["net.toml:2: ", "allowed"]);
    place.write("c.toml", format!("{ANY}[infiniband]\nlanes = \"0-3\"\n"));
    check(&place, "controller")
        .refused(&["c.toml:5: virtual lane 0 belongs to other traffic", "allowed"]);
    place.write("c.toml", format!("{ANY}[infiniband]\n[simulated]\nfabric-file = \"net.toml\"\n"));
    check(&place, "controller").refused(&["c.toml:5: a second network", "allowed"]);
}

/// Credentials are read again at SIGHUP. What can't be used changes nothing.
#[test]
fn hangup_reloads_credentials_or_says_why_not() {
    let settings = |token: &str, listen: &str| {
        format!(
            "{ANY}[simulated]\nfabric-file = \"net.toml\"\n[remote]\nlisten = \"{listen}\"\n\
             tokens-in-the-clear = true\n[[credential]]\nname = \"spark\"\napplications = [\"*\"]\n\
             token-sha256 = \"{}\"\n",
            token.repeat(64)
        )
    };
    let (here, there) = ("127.0.0.1:0", "127.0.0.2:0");
    let place = place(&settings("a", here), TABLE);
    place.write("net.toml", NET);
    let controller = Controller::start(&place);
    let reload = |settings: String, logged: &str| {
        place.write("c.toml", settings);
        controller.signal(Signal::SIGHUP);
        let line = controller.logged("reloaded");
        assert!(line.contains(logged), "{line}");
    };
    let renamed = settings("b", here).replace("\"spark\"", "\"beam\"");
    reload(renamed, "\"message\":\"credentials reloaded\",\"credentials\":\"beam\"");
    reload(settings("x", here), "c.toml:12: not a SHA-256 digest");
    reload(settings("a", there), "[remote] needs a restart");
    controller.signal(Signal::SIGTERM);
    assert_eq!(controller.ended(), Some(0));
}

#[test]
fn reset_ends_all_clients() {
    let place =
        place(&format!("audit = \"audit\"\n{ANY}[simulated]\nfabric-file = \"net.toml\"\n"), TABLE);
    place.write("net.toml", NET);
    let mut controller = Controller::start(&place);
    let application = controller.register("LR");
    controller.connect(application, "h0", "h1");
    let ran = check(&place, "reset").good();
    assert_eq!(ran.stdout, "ended: clients 1, applications 1\n");
    let again = place.run(&["saba", "reset", "--config", "c.toml", "--json"]).good().json();
    assert_eq!((&again["clients"], &again["applications"]), (&0.into(), &0.into()));
    assert!(place.read("audit").contains("\"event\":\"reset\""));
}

#[test]
fn missing_port_device_is_reported() {
    let place = place(WELL, TABLE);
    let ran = check(&place, "controller");
    assert!(ran.code == Some(1) && ran.stderr.contains("a to b can't be read"), "{ran:?}");
    assert_eq!(place.files(), ["c.toml", "table.csv"]);
}

#[test]
fn status_without_a_controller_fails() {
    let ran = check(&place(WELL, TABLE), "status");
    let message = "no controller answers at unix:";
    assert!(ran.code == Some(1) && ran.stderr.contains(message), "{ran:?}");
}

#[test]
fn invalid_recording_is_reported() {
    let place = place(WELL, TABLE);
    place.run(&["saba", "replay", "none"]).refused(&["none: can't be read"]);
    place.write("empty", "");
    place.write("bytes", b"{\"recording\":8,\xff\n{}\n");
    for file in ["table.csv", "empty", "bytes"] {
        let place_of = format!("{file}:1: ");
        place.run(&["saba", "replay", file]).refused(&[&place_of, "allowed: a recording as"]);
    }
    let endless = ["/dev/zero:1: a line of more than 128 MiB: not a recording", "allowed: "];
    place.run(&["saba", "replay", "/dev/zero"]).refused(&endless);
}

/// A controller appends nothing to a recording that a replay can't read.
#[test]
fn damaged_recording_is_no_place_for_another() {
    let settings = format!("{ANY}recording = \"r\"\n[simulated]\nfabric-file = \"net.toml\"\n");
    let place = place(&settings, TABLE);
    place.write("net.toml", NET);
    let damaged = "{\"recording\":8, not JSON\n";
    place.write("r", damaged);
    let wanted = ["r:1: not the initial state of a core", "allowed: an intact recording"];
    check(&place, "controller").refused(&wanted);
    assert_eq!(place.read("r"), damaged);
}

#[test]
fn replay_with_other_outputs_fails_and_answers_all_the_same() {
    let settings = format!("{ANY}recording = \"r\"\n[simulated]\nfabric-file = \"net.toml\"\n");
    let place = place(&settings, TABLE);
    place.write("net.toml", NET);
    let args = ["saba", "controller", "--config", "c.toml"];
    let ran = place.interrupted(&args, "controller: 4 ports", Duration::from_millis(300));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let replay = |files: &[&str]| place.run(&[&["saba", "replay"], files].concat());
    let good = replay(&["r", "--json"]).good().json();
    let file = &good["files"][0];
    assert_eq!((&good["schema"], &good["differs"]), (&1.into(), &serde_json::Value::Null));
    assert_eq!((&file["file"], &file["starts"], &file["cut"]), (&"r".into(), &1.into(), &0.into()));
    assert!(file["orders"].as_u64() > Some(0) && file.get("events").is_none(), "{good}");

    // The second line is the first input. Another checksum stands for other outputs.
    let recording = place.read("r");
    let (at, sum) = recording.match_indices("\"outputs\":\"").next().unwrap();
    assert_eq!(recording[..at].lines().count(), 2);
    let digits = at + sum.len();
    let other = if recording[digits..].starts_with('0') { "1" } else { "0" };
    let changed = format!("{}{other}{}", &recording[..digits], &recording[digits + 1..]);
    place.write("s", changed);
    let ran = replay(&["r", "s", "--orders", "--json", "d.json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("s:2: the output differs from the recording"), "{ran:?}");
    assert!(
        ran.stdout.contains("r: 1 starts, ") && ran.stdout.contains("s: 1 starts, "),
        "{ran:?}"
    );
    let json = place.json("d.json");
    assert_eq!(json["differs"], serde_json::json!({ "file": "s", "line": 2 }));
    let files = json["files"].as_array().unwrap();
    assert_eq!(files.len(), 2);
    let events = |file: &serde_json::Value| file["events"].as_array().unwrap().len();
    assert_eq!(ran.stdout.matches(" s  line ").count(), files.iter().map(events).sum::<usize>());
    replay(&["r", "--json", "r"]).refused(&["--json r: the file is used twice"]);
}
