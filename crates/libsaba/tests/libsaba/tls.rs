//! Controllers at `https`.

use crate::certificates::Authority;
use crate::world::World;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use saba::{Application, Error, Options, TlsFiles};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const HERE: &str = "127.0.0.1";

fn options(place: &str, authorities: PathBuf) -> Options {
    let tls = TlsFiles { authorities: Some(authorities), ..TlsFiles::default() };
    let controller = place.parse().unwrap();
    Options { controller, tls, host: Some("h0".into()), ..Options::default() }
}

#[test]
fn a_certificate_or_a_token_authenticates_the_client() {
    let mut world = World::empty();
    world.start();
    let authority = Authority::new(world.folder.path(), "ours");
    let place = authority.opens(&world, authority.signs(HERE));
    let anonymous = options(&place, authority.file());
    let refused = Application::register("all", anonymous.clone()).unwrap_err();
    let Error::Refused(message) = refused else { panic!("{refused}") };
    assert!(
        message.contains("the caller is not authenticated (allowed: a client certificate"),
        "{message}"
    );
    let (certificate, key) = authority.signs("client.test");
    let tls = TlsFiles { certificate: Some(certificate), key: Some(key), ..anonymous.tls.clone() };
    let with_certificate = Options { tls, ..anonymous.clone() };
    let with_token = Options { token: Some("abc".into()), ..anonymous };
    for options in [with_certificate, with_token] {
        let application = Application::register("all", options).unwrap();
        assert!(application.mark().is_some());
        let connection = application.connect(None, "h1").unwrap();
        assert_eq!(world.inspect(|core| core.state().connections().len()), 1);
        drop((connection, application));
        world.until(|core| core.state().clients().len() == 0);
    }
}

#[test]
fn an_unauthenticated_controller_is_skipped() {
    let mut world = World::empty();
    world.start();
    let ours = Authority::new(world.folder.path(), "ours");
    let others = Authority::new(world.folder.path(), "others");
    let same_name = Authority::new(&world.folder.path().join("another"), "ours");
    let places = [
        others.opens(&world, others.signs(HERE)),
        same_name.opens(&world, same_name.signs(HERE)),
        ours.opens(&world, ours.signs_until(HERE, 2020)),
        ours.opens(&world, ours.signs("controller.test")),
        plain(),
    ];
    let whys = [
        "no authority in",
        "ours/authority.pem has signed the controller's certificate",
        "the controller's certificate has expired",
        "certificate not valid for name \"127.0.0.1\"",
        "the controller does not speak TLS",
    ];
    for (place, why) in places.iter().zip(whys) {
        let mut options = options(place, ours.file());
        options.token = Some("abc".into());
        let application = Application::register("all", options.clone()).unwrap();
        let away = application.unreachable().unwrap();
        assert!(away.starts_with(&format!("{place}: ")) && away.contains(why), "{away}");
        // The program continues.
        assert_eq!(application.connect(None, "h1").unwrap().mark(), None);
        drop(application);
        let right = ours.opens(&world, ours.signs(HERE));
        options.controller = format!("{place},{right}").parse().unwrap();
        assert!(Application::register("all", options).unwrap().mark().is_some(), "{why}");
    }
}

/// Returns the address of a server that is not a controller.
fn plain() -> String {
    let listener = TcpListener::bind((HERE, 0)).unwrap();
    let place = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // Reads the whole request, so that the response arrives.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    place
}

/// Returns the address of a server that gives each request the same response and then closes the connection without
/// announcing that. It may require client certificates.
fn server(authority: &Authority, asks_for_certificates: bool) -> String {
    let (certificate, key) = authority.signs(HERE);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority.file()).unwrap()).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = match asks_for_certificates {
        true => config.with_client_cert_verifier(verifier.build().unwrap()),
        false => config.with_no_client_auth(),
    };
    let config = config.with_single_cert(
        vec![CertificateDer::from_pem_file(certificate).unwrap()],
        PrivateKeyDer::from_pem_file(key).unwrap(),
    );
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind((HERE, 0)).unwrap();
    let place = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let server = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(server, stream.unwrap());
            if stream.read(&mut [0; 4096]).is_ok() {
                let message = r#"{"client":1,"lease_ms":30000,"application":2,"level":1,"dscp":7}"#;
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", message.len());
                stream.write_all((head + message).as_bytes()).unwrap();
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    place
}

#[test]
fn a_closed_connection_is_reopened() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "ours");
    let place = server(&authority, false);
    let application = Application::register("all", options(&place, authority.file())).unwrap();
    assert!(application.mark().is_some(), "{:?}", application.unreachable());
}

/// A proxy in front of a controller may require a client certificate.
#[test]
fn a_request_for_a_certificate_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "ours");
    let place = server(&authority, true);
    let application = Application::register("all", options(&place, authority.file())).unwrap();
    let away = application.unreachable().unwrap();
    assert!(away.contains("the controller requires a client certificate"), "{away}");
    assert!(away.contains("SABA_CERTIFICATE_FILE"), "{away}");
}

#[test]
fn unusable_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "ours");
    let (certificate, key) = authority.signs("client.test");
    let all = TlsFiles {
        authorities: Some(authority.file()),
        certificate: Some(certificate.clone()),
        key: Some(key.clone()),
    };
    let register = |tls: &TlsFiles, place: &str| {
        let options = Options { tls: tls.clone(), ..options(place, PathBuf::new()) };
        Application::register("all", options).map(|_| ()).map_err(|error| {
            assert!(matches!(error, Error::Argument(_)), "{error}");
            error.to_string()
        })
    };
    // An unreachable controller is not an error of the files.
    let place = "https://127.0.0.1:1";
    register(&all, place).unwrap();
    let refused = |tls: TlsFiles, parts: &[&str]| {
        let message = register(&tls, place).unwrap_err();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        assert!(message.contains("allowed") || message.contains("No such file"), "{message}");
        // The files apply to `https` alone.
        register(&tls, "http://127.0.0.1:1").unwrap();
    };
    let says_of = |tls: TlsFiles, file: &Path, why: &str| {
        refused(tls, &[&format!("{}: ", file.display()), why]);
    };
    let with =
        |authorities: &Path| TlsFiles { authorities: Some(authorities.into()), ..all.clone() };
    refused(TlsFiles { authorities: None, ..all.clone() }, &["without SABA_CA_FILE"]);
    for one in
        [TlsFiles { key: None, ..all.clone() }, TlsFiles { certificate: None, ..all.clone() }]
    {
        refused(one, &["SABA_CERTIFICATE_FILE and SABA_KEY_FILE, or the flags"]);
    }
    let gone = folder.path().join("gone.pem");
    says_of(with(&gone), &gone, "No such file");
    let empty = authority.write("empty.pem", "");
    says_of(with(&empty), &empty, "the file has no certificate");
    says_of(with(&key), &key, "the file has no certificate");
    let wrong = authority
        .write("wrong.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    says_of(with(&wrong), &wrong, "invalid");
    says_of(TlsFiles { key: Some(empty.clone()), ..all.clone() }, &empty, "the file has no key");
    for whole in [&certificate, &key] {
        let text = std::fs::read_to_string(whole).unwrap();
        for (end, why) in
            [(text.len() / 2, "a section has no end"), (12, "whose first line is cut")]
        {
            let cut = authority.write("cut.pem", &text[..end]);
            says_of(with(&cut), &cut, why);
            says_of(TlsFiles { key: Some(cut.clone()), ..all.clone() }, &cut, why);
        }
    }
    let (_, other) = authority.signs("other.test");
    says_of(TlsFiles { key: Some(other.clone()), ..all.clone() }, &other, "it is not the key of");
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o644)).unwrap();
    says_of(all.clone(), &key, "everyone can read the key (mode 644");
}
