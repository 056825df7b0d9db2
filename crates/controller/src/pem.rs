//! Certificates, keys and lists of revoked certificates in PEM. A file is read as a whole: one damaged item makes it
//! unusable.

mod doubts;
mod signatures;

use bandwise_files::FileError;
use signatures::{check_certificates, check_lists};
use std::fmt::Display;
use std::path::Path;
use tokio_rustls::rustls::Error;
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer,
};
use tokio_rustls::rustls::sign::CertifiedKey;

/// The largest size of a file, in bytes.
const LARGEST: u64 = 1 << 20;

/// The allowed content of a file with certificates.
const CERTIFICATES: &str = "PEM with certificates";
/// The allowed content of a file with a chain.
const CHAIN: &str = "PEM with a certificate, then its issuer's, and so on";
/// The allowed content of a file with a key.
const KEY: &str = "PEM with the certificate's key, without a passphrase: RSA, ECDSA over P-256 or P-384, or Ed25519";
/// What an encrypted key's file contains (RFC 7468, 11; RFC 1421, 4.6.1.1).
const ENCRYPTED: [&str; 2] = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"];
/// The allowed content of a file with lists of revoked certificates.
const LISTS: &str = "PEM with lists of revoked certificates of the authorities in `clients`";

/// The certificates in a file, one or more.
#[derive(Debug)]
pub(crate) struct Certificates {
    /// The text of the file.
    #[cfg_attr(not(feature = "etcd"), expect(dead_code))]
    pub(crate) text: String,
    /// The certificates, in the order of the file.
    pub(crate) all: Vec<CertificateDer<'static>>,
}

/// Reads the certificates of authorities. Those whose issuer is in the file must have its signature.
pub(crate) fn authorities(path: &Path) -> Result<Certificates, FileError> {
    certificates(path, &[]).map(|of| of.0)
}

/// Reads certificates, which must have the signatures of the issuers in the file and of these authorities. Also returns
/// whether the issuer of the first one is known.
fn certificates(
    path: &Path,
    authorities: &[CertificateDer<'static>],
) -> Result<(Certificates, bool), FileError> {
    let text = bandwise_files::text(path, LARGEST)?;
    let all = items(path, &text, "certificate", CERTIFICATES)?;
    let known = check_certificates(&all, authorities);
    let known = known.map_err(|why| FileError::new(path, why, CERTIFICATES))?;
    Ok((Certificates { text, all }, known))
}

/// Reads lists of certificates that these authorities have revoked.
pub(crate) fn revocations(
    path: &Path,
    authorities: &[CertificateDer<'static>],
) -> Result<Vec<CertificateRevocationListDer<'static>>, FileError> {
    let all = items(path, &bandwise_files::text(path, LARGEST)?, "list", LISTS)?;
    check_lists(&all, authorities).map_err(|why| FileError::new(path, why, LISTS))
}

/// Returns what makes intact certificates useless now. Those of authorities have to be ones that may sign.
pub(crate) fn doubts_of_certificates(
    path: &Path,
    all: &[CertificateDer<'_>],
    sign: bool,
) -> Vec<String> {
    of_file(path, doubts::of_certificates(all, sign))
}

/// Returns what makes lists refuse clients of these authorities, or let in revoked ones.
pub(crate) fn doubts_of_lists(
    path: &Path,
    all: &[CertificateRevocationListDer<'_>],
    authorities: &[CertificateDer<'_>],
) -> Vec<String> {
    of_file(path, doubts::of_lists(all, authorities))
}

fn of_file(path: &Path, doubts: Vec<String>) -> Vec<String> {
    doubts.into_iter().map(|doubt| format!("{}: {doubt}", path.display())).collect()
}

/// A certificate chain and its key.
#[derive(Debug)]
pub(crate) struct Identity {
    /// The chain, with the certificate first.
    pub(crate) chain: Certificates,
    /// The text of the key's file.
    #[cfg_attr(not(feature = "etcd"), expect(dead_code))]
    pub(crate) key_text: String,
    /// The key.
    pub(crate) key: PrivateKeyDer<'static>,
    /// False if the issuer of the certificate is not known, so that its signature was not checked.
    pub(crate) is_verified: bool,
}

/// Reads a certificate chain and its key. A key that everyone may read is refused. The chain may end with one of these
/// authorities, which then must have signed it.
pub(crate) fn identity(
    certificate: &Path,
    key: &Path,
    authorities: &[CertificateDer<'static>],
    provider: &CryptoProvider,
) -> Result<Identity, FileError> {
    let (chain, is_verified) = certificates(certificate, authorities)?;
    if chain.all.len() > 1 && !is_verified {
        let why = "no other certificate in the file is the issuer's of the first";
        return Err(FileError::new(certificate, why, CHAIN));
    }
    let key_text = bandwise_files::secret(key, "key", LARGEST)?;
    if ENCRYPTED.iter().any(|mark| key_text.contains(mark)) {
        return Err(FileError::new(key, "is encrypted", KEY));
    }
    let read = PrivateKeyDer::from_pem_slice(key_text.as_bytes());
    let read = read.map_err(|error| FileError::new(key, why(error, "key"), KEY))?;
    let fits = CertifiedKey::from_der(chain.all.clone(), read.clone_key(), provider);
    match fits {
        Ok(_) => Ok(Identity { chain, key_text, key: read, is_verified }),
        Err(Error::InconsistentKeys(_)) => {
            let why = format!("it is not the key of {}", certificate.display());
            Err(FileError::new(key, why, KEY))
        }
        Err(error @ Error::InvalidCertificate(_)) => {
            Err(FileError::new(certificate, error.to_string(), CERTIFICATES))
        }
        Err(_) => Err(FileError::new(key, "has a key of another kind", KEY)),
    }
}

/// Returns the error for a file whose items can be read and not used.
pub(crate) fn unfit(path: &Path, why: impl Display) -> FileError {
    FileError::new(
        path,
        why.to_string(),
        "PEM: certificates, or lists of revoked ones of the authorities",
    )
}

/// Reads all items of one kind, one or more.
fn items<T: PemObject>(
    path: &Path,
    text: &str,
    kind: &str,
    allowed: &'static str,
) -> Result<Vec<T>, FileError> {
    let all: Result<Vec<T>, _> = T::pem_slice_iter(text.as_bytes()).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        Ok(_) => Err(FileError::new(path, why(pem::Error::NoItemsFound, kind), allowed)),
        Err(error) => Err(FileError::new(path, why(error, kind), allowed)),
    }
}

/// Returns the reason why a file has no item of a kind.
fn why(error: pem::Error, kind: &str) -> String {
    match error {
        pem::Error::NoItemsFound => format!("the file has no {kind}"),
        pem::Error::MissingSectionEnd { end_marker } => {
            let end = String::from_utf8_lossy(&end_marker);
            format!("the file is cut: no line is -----END {end}-----")
        }
        pem::Error::IllegalSectionStart { line } => {
            format!("the line {:?} begins nothing", String::from_utf8_lossy(&line))
        }
        error => error.to_string(),
    }
}
