use super::*;
use std::time::Duration;

const WELL: &str = "lab = \"lab\"\ntable = \"t.toml\"\nstore = \"s\"\nlisten = \"unix:c\"\n";

fn read(text: &str) -> Result<Settings, String> {
    let read = Settings::read(&Source::new("c.toml", text), Path::new("/etc/bandwise"));
    read.map_err(|error| error.to_string())
}

#[test]
fn paths_are_relative_to_the_file() {
    let settings = read(WELL).unwrap();
    assert_eq!(settings.table, Path::new("/etc/bandwise/t.toml"));
    assert_eq!(settings.listen, Listen::Unix { path: "/etc/bandwise/c".into(), mode: 0o600 });
    assert_eq!((settings.rules, settings.restores), (Rules::default(), false));
    for (text, restores) in [("keep", false), ("restore", true)] {
        assert_eq!(read(&format!("{WELL}on-exit = \"{text}\"\n")).unwrap().restores, restores);
    }
    for (text, weighting) in
        [("sensitivity", Weighting::Sensitivity), ("equal", Weighting::EqualQueues)]
    {
        let rules = read(&format!("{WELL}weights = \"{text}\"\n")).unwrap().rules;
        assert_eq!((rules.weighting, rules.sharing().weighting), (weighting, weighting));
    }
    let strict = read(&format!("{WELL}guaranteed = 1\n")).unwrap().rules;
    assert_eq!(strict.sharing().guaranteed.map(f64::from), Some(1.0));
    assert_eq!(read(&format!("{WELL}guaranteed = 0\n")).unwrap().rules.sharing().guaranteed, None);
    let wrong = read(&format!("{WELL}guaranteed = 1.5\n")).unwrap_err();
    assert!(wrong.contains("c.toml:5: 1.5 of an equal part (allowed: 0 to 1"), "{wrong}");
    let more = format!("{WELL}[times]\nlease = \"2 s\"\n[limits]\nconnections = 7\n");
    let rules = read(&more).unwrap().rules;
    assert_eq!((rules.lease, rules.limits.connections), (Duration::from_secs(2), 7));
}

#[test]
fn linux_port_settings_are_read() {
    let port = "[[port]]\nfrom = \"leaf1\"\nto = \"h1\"\ndevice = \"swp1\"\nrate = \"25Gbit\"\n";
    let text = WELL.replace("lab = \"lab\"\n", "") + port;
    let Network::Ports(ports) = read(&text).unwrap().network else { panic!() };
    assert_eq!((ports[0].name.as_str(), ports[0].layout.queues().get()), ("leaf1 to h1", 8));
    let twice = read(&(text.clone() + port)).unwrap_err();
    assert!(twice.starts_with("c.toml:12: a second port"), "{twice}");
    assert!(read(&(text + "others = 1.5\n")).unwrap_err().starts_with("c.toml:9: a share of"));
}

#[test]
fn invalid_settings_are_refused_with_their_line() {
    let cases = [
        ("lab = \"lab\"\n", "", "c.toml:1: no network is named"),
        ("unix:c", "0.0.0.0:80", "c.toml:4: 0.0.0.0:80 is reachable by others"),
        ("unix:c", "here", "c.toml:4: listening at \"here\""),
        ("\"s\"", "\"\"", "c.toml:3: a file without a name"),
        ("\"s\"", "\"s\"\non-exit = \"leave\"", "c.toml:4: \"leave\" on exit"),
        ("\"s\"", "\"s\"\nweights = \"fair\"", "c.toml:4: weights by \"fair\""),
        ("store", "stoer", "c.toml:3: unknown field `stoer`"),
        ("\"unix:c\"", "\"unix:c\"\n[times]\nlease = \"1 ms\"", "c.toml:6: 1 ms is out of range"),
        ("\"unix:c\"", "\"unix:c\"\n[limits]\nclients = 0", "c.toml:6: a limit of 0"),
        ("\"unix:c\"", "\"127.0.0.1:0\"", "c.toml:4: port 0"),
        ("\"unix:c\"", "\"unix:c\"\n[infiniband]", "c.toml:5: a second network"),
        ("\"s\"", "\"s\"\naudit-size = \"1 GiB\"", "c.toml:4: no `"),
        (
            "\"s\"",
            "\"s\"\naudit = \"a\"\naudit-size = \"1 KiB\"",
            "c.toml:5: 1 KiB is out of range",
        ),
        ("\"s\"", "\"s\"\naudit = \"a\"\naudit-size = \"64\"", "c.toml:5: "),
        ("\"s\"", "\"s\"\naudit = \"a\"\naudit-files = 1", "c.toml:5: 1 files of the audit"),
        ("\"s\"", "\"s\"\nrecording-files = 9", "c.toml:4: no `"),
    ];
    for (from, to, message) in cases {
        let error = read(&WELL.replacen(from, to, 1)).unwrap_err();
        assert!(error.starts_with(message) && error.contains("allowed"), "{error}");
    }
}

/// A file that is written has no other use, however its path is spelt.
#[test]
fn files_with_two_uses_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("x")).unwrap();
    for file in ["s", "key"] {
        std::fs::write(folder.join(file), "").unwrap();
    }
    std::fs::hard_link(folder.join("s"), folder.join("hard")).unwrap();
    for (to, link) in [("s", "link"), ("new", "ahead"), ("ahead", "further"), ("round", "round")] {
        std::os::unix::fs::symlink(to, folder.join(link)).unwrap();
    }
    let own = folder.join("c.toml");
    let checked = |lines: &str| {
        let text = WELL.replacen("\"s\"", &format!("\"s\"\n{lines}"), 1);
        Settings::check_paths(&Source::new("c.toml", &text), folder, &own)
            .map_err(|error| error.to_string())
    };
    for name in ["./s", "x/../s", "x/../link", "hard", "t.toml", "c.toml"] {
        let error = checked(&format!("recording = {name:?}")).unwrap_err();
        assert!(error.starts_with(&format!("c.toml:4: {name:?} is used twice")), "{error}");
    }
    for (audit, recording) in
        [("new", "ahead"), ("further", "ahead"), ("r.part-000001", "r"), ("r", "r.new")]
    {
        let error = checked(&format!("audit = {audit:?}\nrecording = {recording:?}")).unwrap_err();
        assert!(error.starts_with(&format!("c.toml:5: {recording:?} is used twice")), "{error}");
    }
    let remote = "[remote]\nlisten = \"127.0.0.1:1\"\nkey = \"key\"\ncertificate = \"key\"\n";
    let with_key = |file: &str| {
        let text = format!("{WELL}audit = {file:?}\n{remote}");
        Settings::check_paths(&Source::new("c.toml", &text), folder, &own)
    };
    assert!(
        with_key("key").unwrap_err().to_string().starts_with("c.toml:8: \"key\" is used twice")
    );
    // The same file may be read twice.
    with_key("a").unwrap();
    checked("audit = \"r\"\nrecording = \"r.part-1\"").unwrap();
    checked("audit = \"round\"").unwrap();
}

const ELSEWHERE: &str = "table = \"t.toml\"\nstore = \"s\"\nlisten = \"unix:c\"\n";

#[test]
fn infiniband_settings_are_read() {
    let Network::InfiniBand(plain) = read(&format!("{ELSEWHERE}[infiniband]\n")).unwrap().network
    else {
        panic!()
    };
    assert_eq!((plain.device, plain.port, plain.patience.m_key), (None, None, 0));
    assert_eq!((plain.lanes.sls().len(), plain.lanes.vls().len()), (8, 4));
    let text = "[infiniband]\ndevice = \"mlx5_1\"\nport = 2\nsls = \"2,3\"\nlanes = \"1-2\"\n\
                m-key = \"0x1f\"\ntimeout = \"50 ms\"\nattempts = 5\n";
    let Network::InfiniBand(full) = read(&format!("{ELSEWHERE}{text}")).unwrap().network else {
        panic!()
    };
    assert_eq!((full.device.as_deref(), full.port), (Some("mlx5_1"), Some(2)));
    assert_eq!(full.lanes.sls().iter().map(|sl| sl.get()).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((full.patience.m_key, full.patience.attempts), (31, 5));
    assert_eq!(full.patience.timeout, bandwise_units::Time::from_ms(50));
    for (line, message) in [
        ("lanes = \"0-3\"", "c.toml:5: virtual lane 0 belongs to other traffic"),
        ("lanes = \"1-15\"", "c.toml:5: \"1-15\" is invalid"),
        ("lanes = \"1,1\"", "c.toml:5: virtual lane 1 is listed twice"),
        ("sls = \"0\"", "c.toml:5: service level 0 belongs to other traffic"),
        ("sls = \"16\"", "c.toml:5: \"16\" is invalid"),
        ("port = 0", "c.toml:5: port 0"),
        ("device = \"\"", "c.toml:5: a device without a name"),
        ("m-key = \"secret\"", "c.toml:5: an invalid management key"),
        ("timeout = \"1 us\"", "c.toml:5: waiting 1 us for an answer"),
        ("attempts = 300", "c.toml:5: attempts: 300"),
        ("lane = \"1\"", "c.toml:5: unknown field `lane`"),
    ] {
        let error = read(&format!("{ELSEWHERE}[infiniband]\n{line}\n")).unwrap_err();
        assert!(error.starts_with(message) && error.contains("allowed"), "{error}");
        assert!(!error.contains("secret"));
    }
}

#[test]
fn simulated_network_settings_are_read() {
    let text = "[simulated]\nqueues = 3\n[simulated.fabric]\nbuild = { single-switch = 4 }\n\
                link = { rate = \"100 Gbps\" }\n";
    let Network::Simulated(given) = read(&format!("{ELSEWHERE}{text}")).unwrap().network else {
        panic!()
    };
    let Shape::Given(fabric) = given.shape else { panic!() };
    assert_eq!((fabric.hosts().len(), given.queues.get()), (4, 3));
    let file = read(&format!("{ELSEWHERE}[simulated]\nfabric-file = \"net\"\n")).unwrap();
    let Network::Simulated(file) = file.network else { panic!() };
    assert!(matches!(file.shape, Shape::File(path) if path == Path::new("/etc/bandwise/net")));
    for (text, message) in [
        ("[simulated]\n", "c.toml:4: a simulated network has one fabric"),
        ("[simulated]\nfabric-file = \"a\"\nqueues = 0", "c.toml:6: 0 queues"),
        ("[simulated.fabric]\nbuild = { single-switch = 0 }\n", "c.toml:5: "),
    ] {
        let error = read(&format!("{ELSEWHERE}{text}")).unwrap_err();
        assert!(error.starts_with(message) && error.contains("allowed"), "{error}");
    }
}

#[test]
fn alternative_host_names_are_read() {
    let hosts = |text: &str| read(&format!("{WELL}[hosts]\n{text}\n"));
    let text = "h1 = [\"10.0.0.1\", \"node1\", \"h1\", \"node1\"]\nh2 = [\"FE80:0::1\"]";
    let names = names_of(&hosts(text).unwrap().hosts);
    assert_eq!(
        names.iter().map(|(other, host)| (&**other, &**host)).collect::<Vec<_>>(),
        [("10.0.0.1", "h1"), ("fe80::1", "h2"), ("h1", "h1"), ("node1", "h1")]
    );
    for (text, message) in [
        ("h1 = [\"a\"]\nh2 = [\"a\"]", "c.toml:7: h1 and h2 are both called \"a\""),
        ("h1 = [\"h2\"]\nh2 = []", "c.toml:6: h1 is called \"h2\" too"),
        ("h1 = [\"\"]", "c.toml:6: an empty name"),
        ("h1 = [\"::ffff:10.0.0.1\"]\nh2 = [\"10.0.0.1\"]", "c.toml:7: h1 and h2 are both called"),
    ] {
        let error = hosts(text).unwrap_err();
        assert!(error.starts_with(message) && error.contains("allowed"), "{error}");
    }
}

const SHARED: &str = "lab = \"lab\"\ntable = \"t.toml\"\nlisten = \"unix:c\"\n[cluster]\n\
    etcd = [\"http://e0:2379\", \"http://[::1]:2379/\"]\ninstance = \"b\"\n\
    [cluster.groups]\na = [\"leaf1 *\"]\nb = [\"* to h3\"]\n";

#[test]
fn cluster_settings_are_read() {
    let settings = read(SHARED).unwrap();
    let Store::Cluster(cluster) = &settings.store else { panic!() };
    assert_eq!(cluster.etcd, ["http://e0:2379", "http://[::1]:2379"]);
    assert_eq!((cluster.prefix.as_str(), cluster.lease), ("/bandwise", Duration::from_secs(3)));
    assert_eq!(settings.rules.max_changes, Some(crate::cluster::MAX_CHANGES));
    let of = |port: &str| cluster.groups.of(port).to_string();
    assert_eq!(["leaf1 to h3", "leaf2 to h3", "leaf2 to h4"].map(of), ["a", "b", "a"]);
    let cases = [
        ("\"b\"", "\"c\"", "c.toml:6: this controller is called c and has no group"),
        ("http://e0:2379", "e0:2379", "c.toml:5: etcd at \"e0:2379\""),
        ("http://e0:2379", "https://e0:2379", "c.toml:5: etcd at \"http://[::1]:2379/\""),
        ("instance", "lease = \"2500 ms\"\ninstance", "c.toml:6: 2.5 s is out of range"),
        ("instance", "prefix = \"saba\"\ninstance", "c.toml:6: the prefix \"saba\""),
        ("instance", "ca = \"ca.pem\"\ninstance", "c.toml:6: a certificate without encryption"),
        ("instance", "user = \"saba\"\ninstance", "c.toml:6: a user or a password alone"),
        (
            "instance",
            "user = \"saba\"\npassword-file = \"p\"\ninstance",
            "c.toml:5: the password of etcd would not be encrypted",
        ),
        (
            "[cluster]",
            "on-exit = \"restore\"\n[cluster]",
            "c.toml:4: ports that another controller",
        ),
        ("[cluster]", "weights = \"equal\"\n[cluster]", "c.toml:4: equal weights with a shared"),
        ("[cluster]", "store = \"s\"\n[cluster]", "c.toml:5: a second store"),
    ];
    for (from, to, message) in cases {
        let error = read(&SHARED.replacen(from, to, 1)).unwrap_err();
        assert!(error.starts_with(message) && error.contains("allowed"), "{error}");
    }
    let near = SHARED.replace("e0", "127.0.0.1") + "[hosts]\n";
    read(&near.replace("instance", "user = \"saba\"\npassword-file = \"p\"\ninstance")).unwrap();
    let text = WELL.replacen("store = \"s\"\n", "", 1);
    assert!(read(&text).unwrap_err().starts_with("c.toml:1: no store is named"));
}

#[test]
fn rotation_settings_are_read() {
    let with = |text: &str| read(&WELL.replacen("\"s\"", &format!("\"s\"\n{text}"), 1)).unwrap();
    let mib = |mib: u64| bandwise_units::Bytes::from_kib(mib << 10);
    let at = |name: &str| Path::new("/etc/bandwise").join(name);
    let plain = with("audit = \"a\"\nrecording = \"r\"");
    assert_eq!(plain.audit, Some(RotatingFile::new(at("a"), mib(64), 16)));
    assert_eq!(plain.recording, Some(RotatingFile::new(at("r"), mib(64), 4)));
    let files = with("recording = \"r\"\nrecording-size = \"2 MiB\"\nrecording-files = 2");
    assert_eq!((files.audit, files.recording), (None, Some(RotatingFile::new(at("r"), mib(2), 2))));
}
