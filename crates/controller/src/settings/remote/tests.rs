use super::super::Settings;
use super::*;

const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A valid file: lines 4 to 8 are `[remote]`, a credential starts at line 9.
fn well() -> String {
    format!(
        "lab = \"lab\"\ntable = \"t\"\nstore = \"s\"\n[remote]\nlisten = \"0.0.0.0:7470\"\n\
         certificate = \"c.pem\"\nkey = \"k.pem\"\nclients = \"ca.pem\"\n[[credential]]\nname = \"spark\"\n\
         certificate = \"Spark.example.org\"\ntoken-sha256 = \"{HASH}\"\napplications = [\"LR\", \"sp*\"]\n"
    )
}

fn read(text: &str) -> Result<Settings, String> {
    let read = Settings::read(&Source::new("c.toml", text), Path::new("/etc/bandwise"));
    read.map_err(|error| error.to_string())
}

#[test]
fn remote_settings_accept_certificates_and_tokens() {
    let settings = read(&well()).unwrap();
    let remote = settings.remote.unwrap();
    assert_eq!(remote.tls.unwrap().clients, Some("/etc/bandwise/ca.pem".into()));
    let [spark] = &settings.credentials[..] else { panic!() };
    assert_eq!(spark.certificate.as_deref(), Some("spark.example.org"));
    assert_eq!(spark.token, Some(TokenDigest::of("abc")));
    let may = |name: &str| spark.rights.applications.iter().any(|of| of.is_like(name));
    assert_eq!(["LR", "spark-7", "PR"].map(may), [true, true, false]);
    assert!(!spark.rights.drain);
    let tls = "certificate = \"c.pem\"\nkey = \"k.pem\"\nclients = \"ca.pem\"\n";
    let clear = well().replace(tls, "tokens-in-the-clear = true\n");
    let clear = clear.replace("certificate = \"Spark.example.org\"\n", "");
    assert_eq!(read(&clear).unwrap().remote.unwrap().tls, None);
}

#[test]
fn unauthenticated_remote_address_is_refused_with_its_line() {
    let credential = well()[well().find("[[").unwrap()..].to_owned();
    let token = format!("token-sha256 = \"{HASH}\"\n");
    let applications = "applications = [\"LR\", \"sp*\"]\n";
    let cases = [
        (credential.as_str(), "", "c.toml:5: 0.0.0.0:7470 is reachable by others"),
        ("0.0.0.0:7470", "here", "c.toml:5: "),
        ("key = \"k.pem\"\n", "", "c.toml:6: a certificate or a key alone"),
        (
            "certificate = \"c.pem\"\nkey = \"k.pem\"\n",
            "",
            "c.toml:6: certificates of clients without",
        ),
        ("clients = \"ca.pem\"\n", "", "c.toml:10: client certificates are not enabled"),
        ("clients = \"ca.pem\"\n", "revoked = \"r.pem\"\n", "c.toml:8: revoked certificates where"),
        ("clients = \"ca.pem\"\n", "clients = \"ca.pem\"\nrevoked = \"r.pem\"\n", ""),
        (
            "certificate = \"c.pem\"\nkey = \"k.pem\"\nclients = \"ca.pem\"\n[[credential]]\nname = \"spark\"\ncertificate = \"Spark.example.org\"\n",
            "[[credential]]\nname = \"spark\"\n",
            "c.toml:5: tokens sent to 0.0.0.0:7470 would not",
        ),
        (
            "clients =",
            "tokens-in-the-clear = true\nclients =",
            "c.toml:8: `tokens-in-the-clear` together",
        ),
        ("ba78", "ba7", "c.toml:12: not a SHA-256 digest"),
        ("Spark.example.org", "spark example", "c.toml:11: a certificate for \"spark example\""),
        ("\"spark\"", "\"my spark\"", "c.toml:10: a credential called \"my spark\""),
        ("[\"LR\", \"sp*\"]", "[]", "c.toml:13: a credential without permissions"),
        ("\"sp*\"", "\"\"", "c.toml:13: a pattern of 0 bytes"),
        ("[\"LR\", \"sp*\"]", "[]\nsee = \"some\"", "c.toml:14: seeing \"some\""),
        ("[\"LR\", \"sp*\"]", "[]\nsee = \"all\"", ""),
        (
            "[\"LR\", \"sp*\"]",
            "[\"LR\"]\nhosts = [\"h1\", \"\"]",
            "c.toml:14: a pattern of 0 bytes",
        ),
        ("[\"LR\", \"sp*\"]", "[\"LR\"]\nhosts = [\"rack3-*\"]", ""),
        (&token, "", ""),
    ];
    for (from, to, message) in cases {
        let text = well().replacen(from, to, 1);
        assert_ne!(text, well(), "{from}");
        if message.is_empty() {
            read(&text).unwrap();
            continue;
        }
        let error = read(&text).unwrap_err();
        assert!(error.starts_with(message), "{error}\n{text}");
        assert!(error.contains("allowed") || error.contains("missing field"), "{error}");
    }
    let twice =
        |change: &dyn Fn(&str) -> String| read(&(well() + &change(&credential))).unwrap_err();
    let name = twice(&|text| text.to_owned());
    assert!(name.starts_with("c.toml:15: the credential spark has the same name"), "{name}");
    let certificate = twice(&|text| text.replace("\"spark\"", "\"other\"").replace(&token, ""));
    assert!(
        certificate.starts_with("c.toml:16: the credential spark has the same certificate"),
        "{certificate}"
    );
    let certificate = "certificate = \"Spark.example.org\"\n";
    let same = twice(&|text| text.replace("\"spark\"", "\"other\"").replace(certificate, ""));
    assert!(same.starts_with("c.toml:16: the credential spark has the same token"), "{same}");
    let none = well().replace(&format!("{certificate}{token}{applications}"), applications);
    assert!(read(&none).unwrap_err().contains("a credential without a certificate or token"));
    let unlistened = well();
    let (head, _) = unlistened.split_once("[remote]").unwrap();
    let unlistened = read(&format!("{head}{credential}")).unwrap_err();
    assert!(unlistened.starts_with("c.toml:5: a credential without a [remote]"), "{unlistened}");
}
