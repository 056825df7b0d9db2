//! Certificates, keys and lists that are damaged, cut, or of somebody else.

use crate::authority::{Authority, write};
use crate::credentials::files;
use bandwise_controller::Tls;
use bandwise_controller::credentials::Credentials;
use bandwise_controller::settings::TlsFiles;
use bandwise_files::FileError;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, CertificateRevocationListDer};

fn read(files: &TlsFiles) -> Result<(), FileError> {
    Tls::read(files, &Credentials::default()).map(drop)
}

/// Checks that one file is named, with the reason and what is allowed.
fn assert_refused(files: &TlsFiles, file: &Path, what: &str) {
    let error = read(files).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with(&file.display().to_string()) && text.contains(what), "{text}");
    assert!(!error.allowed.is_empty());
}

#[test]
fn unusable_files_are_named() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let good = files(&authority, folder.path());
    read(&good).unwrap();
    let tls = Tls::read(&good, &Credentials::default()).unwrap();
    assert!(tls.doubts()[0].contains("certificate.pem: not checked for damage"));
    let empty = write(folder.path(), "empty.pem", "");
    let no = |kind: &str| format!("the file has no {kind}");
    let of = |certificate: &Path| TlsFiles { certificate: certificate.into(), ..good.clone() };
    let trusting = |clients: &Path| TlsFiles { clients: Some(clients.into()), ..good.clone() };
    let keyed = |key: &Path| TlsFiles { key: key.into(), ..good.clone() };
    let revoking = |lists: &Path| TlsFiles { revoked: Some(lists.into()), ..good.clone() };
    assert_refused(&of(&empty), &empty, &no("certificate"));
    assert_refused(&trusting(&empty), &empty, &no("certificate"));
    assert_refused(&keyed(&empty), &empty, &no("key"));
    assert_refused(&revoking(&empty), &empty, &no("list"));
    for (whole, kind) in [(&good.certificate, "CERTIFICATE"), (&good.key, "PRIVATE KEY")] {
        let text = std::fs::read_to_string(whole).unwrap();
        let cut = write(folder.path(), "cut.pem", &text[..text.len() / 2]);
        let end = format!("the file is cut: no line is -----END {kind}-----");
        assert_refused(&of(&cut), &cut, &end);
        assert_refused(&keyed(&cut), &cut, &end);
    }
    let others = write(folder.path(), "others.pem", &Authority::new().revokes(&[]));
    assert_refused(&revoking(&others), &others, "no list is of an authority in `clients`");
    let gone = folder.path().join("gone.pem");
    assert_refused(&keyed(&gone), &gone, "o such file");
    let newer =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let older = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB\n-----END RSA PRIVATE KEY-----\n";
    for text in [newer, older] {
        let encrypted = write(folder.path(), "encrypted.pem", text);
        assert_refused(&keyed(&encrypted), &encrypted, "is encrypted");
    }
    let commented = format!("NOT ENCRYPTED\n{}", std::fs::read_to_string(&good.key).unwrap());
    read(&keyed(&write(folder.path(), "commented.pem", &commented))).unwrap();
    let other = write(folder.path(), "other.pem", &authority.signs("other.test").1);
    assert_refused(&keyed(&other), &other, "it is not the key of");
    assert_refused(&of(folder.path()), folder.path(), "is a folder");
    assert_refused(&of(Path::new("/dev/zero")), Path::new("/dev/zero"), "is a device");
    let large = write(folder.path(), "large.pem", &"x".repeat((1 << 20) + 1));
    assert_refused(&of(&large), &large, "has more than 1048576 bytes");
    std::fs::write(&large, [0xff, 0xfe]).unwrap();
    assert_refused(&of(&large), &large, "is not text: byte 0");
    let issuer = Authority::new().pem();
    let chain = std::fs::read_to_string(&good.certificate).unwrap() + &issuer;
    // The name of this issuer is the same, and its key is another one.
    let chain = write(folder.path(), "chain.pem", &chain);
    assert_refused(&of(&chain), &chain, "certificate 1: not signed by the key of its issuer");
    std::fs::set_permissions(&good.key, PermissionsExt::from_mode(0o644)).unwrap();
    assert_refused(&good, &good.key, "everyone can read the key (mode 644)");
}

/// Intact files that are of no use now, or refuse clients, are doubtful.
#[test]
fn useless_files_are_doubted() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let good = files(&authority, folder.path());
    let doubts = |files: &TlsFiles| {
        let tls = Tls::read(files, &Credentials::default()).unwrap();
        tls.doubts().join("; ")
    };
    let (expired, key) = authority.signed("controller.test");
    let certificate = write(folder.path(), "expired.pem", &(expired.clone() + &authority.pem()));
    let key = write(folder.path(), "expired.key", &key);
    let old = TlsFiles { certificate, key, ..good.clone() };
    assert!(doubts(&old).contains("expired.pem: CN=rcgen self signed cert has expired: Jan"));
    let leaf = Some(write(folder.path(), "leaf.pem", &authority.signs("client.test").0));
    let leaf = TlsFiles { clients: leaf, ..good.clone() };
    assert!(doubts(&leaf).contains("is no authority, and signs nobody"));
    let lists = Some(write(folder.path(), "old.crl", &authority.revokes_by(1, 2025, &[])));
    let outdated = TlsFiles { revoked: lists, ..good.clone() };
    assert!(doubts(&outdated).contains("should have been replaced: Jan"), "{}", doubts(&outdated));
    let both = authority.pem() + &Authority::new().pem();
    let clients = Some(write(folder.path(), "both.pem", &both));
    let lists = Some(write(folder.path(), "one.crl", &authority.revokes(&[])));
    let one = TlsFiles { clients, revoked: lists, ..good };
    assert!(doubts(&one).contains("clients that it has signed are refused"), "{}", doubts(&one));
}

/// The verifier of client certificates tells lists apart by the names of their authorities.
#[test]
fn lists_of_two_keys_of_one_name_are_refused() {
    let (authority, renewed) = (Authority::new(), Authority::new());
    let folder = tempfile::tempdir().unwrap();
    let good = files(&authority, folder.path());
    let clients = Some(write(folder.path(), "both.pem", &(authority.pem() + &renewed.pem())));
    let lists = authority.revokes(&[]) + &renewed.revokes(&[]);
    let revoked = write(folder.path(), "two.crl", &lists);
    let both = TlsFiles { clients, revoked: Some(revoked.clone()), ..good };
    assert_refused(
        &both,
        &revoked,
        "list 2: a second list of the name CN=rcgen self signed cert, by another key",
    );
}

/// Returns a text of an item for each of its bytes, of which one bit is turned.
fn flipped<'a>(der: &'a [u8], kind: &'a str) -> impl Iterator<Item = String> + 'a {
    (0..der.len()).map(move |byte| {
        let mut der = der.to_vec();
        der[byte] ^= 1 << (byte % 8);
        pem::encode(&pem::Pem::new(kind, der))
    })
}

/// A turned bit is noticed by the signature of the issuer, which is in the same file, or in `clients` with the
/// identifier of its key.
#[test]
fn damaged_certificates_and_lists_are_refused() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let good = files(&authority, folder.path());
    let own = CertificateDer::from_pem_file(&good.certificate).unwrap();
    for bad in flipped(&own, "CERTIFICATE") {
        write(folder.path(), "certificate.pem", &(bad + &authority.pem()));
        assert_refused(&good, &good.certificate, "");
    }
    let (own, key) = authority.signs_by_key("controller.test");
    write(folder.path(), "key.pem", &key);
    write(folder.path(), "certificate.pem", &own);
    assert!(Tls::read(&good, &Credentials::default()).unwrap().doubts().is_empty());
    let own = CertificateDer::from_pem_slice(own.as_bytes()).unwrap();
    // The signature is at the end.
    for bad in flipped(&own, "CERTIFICATE").skip(own.len() - 32) {
        write(folder.path(), "certificate.pem", &bad);
        assert_refused(&good, &good.certificate, "not signed by");
    }
    write(
        folder.path(),
        "certificate.pem",
        &pem::encode(&pem::Pem::new("CERTIFICATE", own.to_vec())),
    );
    let root = CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap();
    let key = authority.public_key();
    let key_at = root.windows(key.len()).position(|part| part == key).unwrap();
    for bad in flipped(&root, "CERTIFICATE").skip(key_at).take(key.len()) {
        let file = write(folder.path(), "authority.pem", &bad);
        assert_refused(&good, &file, "not signed by");
    }
    authority.write(folder.path());
    let list = authority.revokes(&[7]);
    let list = CertificateRevocationListDer::from_pem_slice(list.as_bytes()).unwrap();
    for bad in flipped(&list, "X509 CRL") {
        let revoked = write(folder.path(), "revoked.pem", &bad);
        let files = TlsFiles { revoked: Some(revoked.clone()), ..good.clone() };
        // By another name it is the list of an authority that is not known, and this one has none.
        match Tls::read(&files, &Credentials::default()) {
            Err(_) => assert_refused(&files, &revoked, ""),
            Ok(tls) => assert!(tls.doubts().iter().any(|of| of.contains("no list is of"))),
        }
    }
}
