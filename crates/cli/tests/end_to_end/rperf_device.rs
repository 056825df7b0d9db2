//! `bandwise rperf server` and `client` as far as they go without an RDMA device: what flags say is looked at first.

use crate::common::Place;

#[test]
fn impossible_measurements_are_refused() {
    let place = Place::new();
    for (flags, message) in [
        (&["--operation", "write"][..], &["rperf has a fixed operation", "--operation send"][..]),
        (
            &["--method", "post-poll", "--operation", "send"],
            &["post-poll has a fixed operation", "--operation write"],
        ),
        (
            &["--method", "ping-pong", "--operation", "read"],
            &["ping-pong does not use READs", "--operation"],
        ),
        (
            &["--method", "ping-pong", "--operation", "write", "-s", "0"],
            &["its arrival can't be detected", "-s"],
        ),
        (
            &["--method", "closed-loop", "--operation", "atomic", "-s", "64"],
            &["an atomic has 8 B, not 64 B"],
        ),
        (&["-c", "ud"], &["datagrams (UD) can only be measured by ping-pong and bulk"]),
        (
            &["-c", "ud", "--method", "bulk", "--operation", "write"],
            &["datagrams (UD) can only be measured by ping-pong and bulk"],
        ),
        (&["-q", "2"], &["-q does not apply to a latency", "-q with --method bulk"]),
        (
            &["--method", "closed-loop", "--operation", "read", "-t", "256"],
            &["256 outstanding READs or atomics are too many for a connection: 255 at most"],
        ),
        (&["-t", "2"], &["-t does not apply to a method with one", "bulk or closed-loop"]),
        (&["--method", "bulk", "-s", "0"], &["empty messages have no bandwidth"]),
        (
            &["--method", "bulk", "-q", "1024", "-t", "16384"],
            &["1024 queue pairs of 16384 requests are too many"],
        ),
        (&["--threads", "2"], &["--threads does not apply to a latency"]),
        (&["--rate", "1"], &["--rate does not apply to a latency"]),
        (&["--window", "1 s"], &["--window does not apply to a latency"]),
        (&["--method", "bulk", "--rate", "fast"], &["Gbps as a number", "2 Mpps"]),
        (
            &["--method", "bulk", "--rate", "1 bps", "-s", "1 GiB"],
            &["--rate 1 bps: a message of 1073741824 B would take more than an hour"],
        ),
        (
            &["--method", "bulk", "--threads", "64", "-q", "17", "-t", "1"],
            &["64 threads with 17 queue pairs each are too many"],
        ),
        (
            &["--method", "closed-loop", "--operation", "atomic", "-a"],
            &["-a: an atomic always has 8 B"],
        ),
        (&["-a", "-s", "1"], &["-a -s 1: there is no size", "-s from 2"]),
        (
            &["--method", "ping-pong", "--operation", "write", "-e"],
            &["ping-pong by WRITE can't wait for one"],
        ),
        (&["-c", "ud", "--method", "ping-pong", "-R"], &["no connections that RDMA-CM could make"]),
        (&["--cpu", "3-1"], &["is not a list of processors", "3 or 0-3,8, or any"]),
        (&["--huge-pages=maybe"], &["allowed: try, must"]),
        (&["-m", "1500"], &["there is no such MTU", "256, 512, 1024, 2048 or 4096"]),
        (&["-S", "16"], &["allowed: 0 to 15"]),
        (&["-D", "-1"], &["\"-1\" is negative", "allowed: 1 us to 3600 s"]),
        (&["-D", "1", "-n", "9"], &["cannot be used with"]),
        (&["--method", "guess"], &["allowed: rperf, ping-pong, post-poll, closed-loop, bulk"]),
    ] {
        let args = [&["rperf", "client", "localhost", "--json", "o.json"], flags].concat();
        place.run(&args).refused(message);
        assert!(place.files().is_empty(), "{flags:?} wrote something");
    }
    place.run(&["rperf", "client"]).refused(&["<HOST[:PORT]>"]);
    let ran = place.run(&["rperf", "client", "localhost:0"]);
    ran.refused(&[
        "can't be \"localhost:0\": \"0\" is not a port",
        "allowed: a port from 1 to 65535",
    ]);
    let ran = place.run(&["rperf", "server", "--listen", "localhost"]);
    ran.refused(&["--listen can't be \"localhost\"", "0.0.0.0 for all"]);
    // A fabric is simulated, a client is not.
    let ran = place.run(&["rperf", "--fabric", "f.toml", "client", "localhost"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
}

/// On a machine with a device the client reports the unknown device, on one without it names the missing part.
#[test]
fn missing_device_or_library_is_reported() {
    let place = Place::new();
    let ran = place.run(&["rperf", "client", "127.0.0.1:1", "-d", "none such"]);
    let ways = ["apt-get install libibverbs1", "modprobe ib_uverbs", "modprobe rdma_rxe"];
    let missing = ran.code == Some(1) && ways.iter().any(|way| ran.stderr.contains(way));
    let wrong = ran.code == Some(2) && ran.stderr.contains("no RDMA device \"none such\"");
    assert!(missing || wrong, "{ran:#?}");
    assert_eq!(ran.stdout, "");
}
