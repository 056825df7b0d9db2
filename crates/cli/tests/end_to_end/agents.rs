//! `bandwise rperf run` and `rperf agent` without an RDMA device: invalid input is refused first, and unreachable
//! agents and peers that are no agents are reported.

use crate::common::Place;
use bandwise_session::VERSION;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::thread;

fn plan(agents: [&str; 2]) -> String {
    format!(
        "duration = \"1 s\"\nhost = [{{ name = \"a\", agent = \"{}\" }}, {{ name = \"b\", agent = \"{}\" }}]\n\
         flow = [{{ from = \"a\", to = \"b\", method = \"rperf\" }}]\n",
        agents[0], agents[1]
    )
}

/// A place with a token that its owner alone can read.
fn place() -> Place {
    let place = Place::new();
    let token = place.write("token", "a token of a test, long enough\n");
    std::fs::set_permissions(token, std::fs::Permissions::from_mode(0o600)).unwrap();
    place
}

#[test]
fn invalid_plan_token_or_address_is_refused() {
    let place = place();
    place.write("plan.toml", plan(["127.0.0.1:1", "127.0.0.1:2"]));
    place.write("wrong.toml", plan(["127.0.0.1:1", "127.0.0.1:x"]));
    let open = place.write("open", "a token of a test, long enough\n");
    std::fs::set_permissions(open, std::fs::Permissions::from_mode(0o604)).unwrap();
    let bytes = place.write("bytes", b"\xff");
    std::fs::set_permissions(bytes, std::fs::Permissions::from_mode(0o600)).unwrap();
    let short = place.write("short", "short\n");
    std::fs::set_permissions(short, std::fs::Permissions::from_mode(0o600)).unwrap();
    let run = |plan: &str, token: &str| place.run(&["rperf", "run", plan, "--token-file", token]);
    run("wrong.toml", "token")
        .refused(&["wrong.toml:2: \"x\" is not a port", "a port from 1 to 65535"]);
    run("none.toml", "token").refused(&["none.toml: can't be read"]);
    run("plan.toml", "none").refused(&["--token-file none: can't be read"]);
    run("plan.toml", "open")
        .refused(&["--token-file open: everyone can read the token (mode 604)", "such as 600"]);
    run("plan.toml", "bytes").refused(&["--token-file bytes: is not text", "allowed: a text file"]);
    run("plan.toml", "short").refused(&["--token-file short: a token of 5 bytes", "16 to 4096"]);
    place.run(&["rperf", "run", "plan.toml"]).refused(&["no token is given", "BANDWISE_TOKEN"]);
    place.run(&["rperf", "agent"]).refused(&["no token is given"]);
    let ran = place.run(&["rperf", "agent", "--token-file", "token", "--listen", "localhost"]);
    ran.refused(&["--listen can't be \"localhost\"", "0.0.0.0 for all"]);
    let ran =
        place.run(&["rperf", "run", "plan.toml", "--token-file", "token", "--json", "plan.toml"]);
    ran.refused(&["--json plan.toml: the file is used twice"]);
}

#[test]
fn invalid_isolation_flags_are_refused() {
    let place = place();
    let run = |flags: &[&str]| {
        let hosts =
            ["isolation", "--from", "127.0.0.1:1", "--to", "127.0.0.1:2", "--token-file", "token"];
        place.run(&[&hosts[..], flags].concat())
    };
    let margin = ["--margin 300 ms of 1 s", "a quarter of --duration at most"];
    run(&["--margin", "300 ms", "--quick"]).refused(&margin);
    run(&["--margin", "1 us"]).refused(&["--margin 1 us", "10 us to 60 s"]);
    run(&["--duration", "1 ms"]).refused(&["--duration can't be \"1 ms\"", "500 ms or more"]);
    let nothing = run(&["--largest", "10 B", "--item", "elephants"]);
    nothing.refused(&["--largest 10 B: nothing is left to measure"]);
    run(&["--item", "guess"]).refused(&["elephants, polling, mice, mouse-elephant"]);
    let ran = run(&["--quick", "--item", "mice"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("from (127.0.0.1:1) can't be reached"), "{ran:#?}");
}

#[test]
fn unreachable_agent_is_named() {
    let place = place();
    // Bound and closed again: the port has no listener.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    place.write("plan.toml", plan([&address, "127.0.0.1:1"]));
    let ran =
        place.run(&["rperf", "run", "plan.toml", "--token-file", "token", "--json", "o.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:#?}");
    assert!(ran.stderr.contains(&format!("a ({address}) can't be reached")), "{ran:#?}");
    assert!(ran.stderr.contains("rperf agent --listen"), "{ran:#?}");
    assert!(!place.files().contains(&"o.json".to_owned()));
}

/// Starts listeners that send these bytes to each client, and runs a plan with them.
fn run_with(bytes: &[u8]) -> crate::common::Ran {
    let place = place();
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = [0, 1].map(|i| listeners[i].local_addr().unwrap().to_string());
    place.write("plan.toml", plan([&addresses[0], &addresses[1]]));
    for listener in listeners {
        let bytes = bytes.to_vec();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&bytes).unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
        });
    }
    place.run(&["rperf", "run", "plan.toml", "--token-file", "token"])
}

#[test]
fn peer_that_is_no_agent_is_reported() {
    let refusal = format!("{{\"bandwise\":{VERSION},\"message\":{{\"refused\":\"no room\"}}}}\n");
    for (bytes, words) in [
        (&b"SSH-2.0-OpenSSH_9.2\r\n"[..], "this is not a message of bandwise"),
        (b"{\"bandwise\":99,\"message\":{\"hi\":1}}\n", "speaks version 99 of bandwise's protocol"),
        (refusal.as_bytes(), "it refuses: no room"),
        (&[b'x'; 70_000], "a line of more than 65536 bytes"),
    ] {
        let ran = run_with(bytes);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert!(ran.stderr.contains(words) && ran.stdout.contains("Partial: "), "{ran:#?}");
    }
}
