use super::*;

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
    assert_eq!(settings.rules, Rules::default());
    let more = format!("{WELL}[times]\nlease = \"2 s\"\n[limits]\nconnections = 7\n");
    let rules = read(&more).unwrap().rules;
    assert_eq!((rules.lease, rules.limits.connections), (Duration::from_secs(2), 7));
}

#[test]
fn ports_are_those_of_linux() {
    let port = "[[port]]\nfrom = \"leaf1\"\nto = \"h1\"\ndevice = \"swp1\"\nrate = \"25Gbit\"\n";
    let text = WELL.replace("lab = \"lab\"\n", "") + port;
    let Network::Ports(ports) = read(&text).unwrap().network else { panic!() };
    assert_eq!((ports[0].name.as_str(), ports[0].layout.queues().get()), ("leaf1 to h1", 8));
    let twice = read(&(text.clone() + port)).unwrap_err();
    assert!(twice.starts_with("c.toml:12: a second port"), "{twice}");
    assert!(read(&(text + "others = 1.5\n")).unwrap_err().starts_with("c.toml:9: a share of"));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let cases = [
        ("lab = \"lab\"\n", "", "c.toml:1: no ports are named"),
        ("unix:c", "0.0.0.0:80", "c.toml:4: 0.0.0.0:80 can be reached by others"),
        ("unix:c", "here", "c.toml:4: listening at \"here\""),
        ("\"s\"", "\"\"", "c.toml:3: a file without a name"),
        ("store", "stoer", "c.toml:3: unknown field `stoer`"),
        ("\"unix:c\"", "\"unix:c\"\n[times]\nlease = \"1 ms\"", "c.toml:6: 1 ms here"),
        ("\"unix:c\"", "\"unix:c\"\n[limits]\nclients = 0", "c.toml:6: a limit of 0"),
    ];
    for (from, to, said) in cases {
        let error = read(&WELL.replacen(from, to, 1)).unwrap_err();
        assert!(error.starts_with(said) && error.contains("allowed"), "{error}");
    }
}
