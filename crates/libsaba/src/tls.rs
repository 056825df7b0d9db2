//! [`TlsFiles`] and [`Tls`]: the certificates of `https` controllers and of this client. TLS 1.3 only (RFC 8446). The
//! authorities that the system trusts are not used.

use crate::socket::Socket;
use crate::{Error, environment, files};
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    version,
};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files in PEM for `https` controllers. They are read once, when an application is registered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The authorities of the controllers' certificates; required for an `https` endpoint.
    pub authorities: Option<PathBuf>,
    /// The certificate chain of this client, without the root.
    pub certificate: Option<PathBuf>,
    /// The key of the certificate; others must not be able to read it. Certificate and key are
    /// either both set or both unset.
    pub key: Option<PathBuf>,
}

/// The allowed content of a file.
const CERTIFICATES: &str = "PEM with certificates";

impl TlsFiles {
    /// Returns the files with absolute paths, independent of the working directory.
    pub fn absolute(self) -> TlsFiles {
        let absolute =
            |path: Option<PathBuf>| path.map(|path| std::path::absolute(&path).unwrap_or(path));
        TlsFiles {
            authorities: absolute(self.authorities),
            certificate: absolute(self.certificate),
            key: absolute(self.key),
        }
    }

    /// Reads the files.
    pub(crate) fn read(&self) -> Result<Tls, Error> {
        let authorities = self.authorities.clone().ok_or_else(|| {
            let name = environment::CA_FILE;
            let what = format!("{name}, a PEM file with the authorities of controllers");
            Error::Argument(format!("an https controller without {name} (allowed: {what})"))
        })?;
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&authorities)? {
            roots
                .add(certificate)
                .map_err(|error| files::wrong(&authorities, error, CERTIFICATES))?;
        }
        let provider = Arc::new(default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), provider.clone());
        let verifier =
            verifier.build().map_err(|error| files::wrong(&authorities, error, CERTIFICATES))?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&version::TLS13])
            .expect("ring has it")
            .with_webpki_verifier(verifier);
        let mut config = match (&self.certificate, &self.key) {
            (None, None) => builder.with_no_client_auth(),
            (Some(certificate), Some(path)) => {
                let chain = certificates(certificate)?;
                let shown = builder.with_client_auth_cert(chain, key(path)?);
                shown.map_err(|error| match error {
                    rustls::Error::InconsistentKeys(_) => {
                        let why = format!("it is not the key of {}", certificate.display());
                        files::wrong(path, why, "the key of the certificate")
                    }
                    error => files::wrong(certificate, error, CERTIFICATES),
                })?
            }
            _ => {
                let names = [environment::CERTIFICATE_FILE, environment::KEY_FILE].join(" and ");
                let what = "a certificate without its key, or a key without its certificate";
                let allowed = format!("{names}, or the flags of `saba run` for both; or neither");
                return Err(Error::Argument(format!("{what} (allowed: {allowed})")));
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Tls { config: config.into(), authorities })
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let text = files::read(path)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        Ok(_) => Err(unreadable(path, pem::Error::NoItemsFound, "certificate", CERTIFICATES)),
        Err(error) => Err(unreadable(path, error, "certificate", CERTIFICATES)),
    }
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, Error> {
    let text = files::read_private(path, "key")?;
    let key = PrivateKeyDer::from_pem_slice(text.as_bytes());
    key.map_err(|error| unreadable(path, error, "key", "PEM with a key"))
}

/// Returns the error for a file without an item of a kind.
fn unreadable(path: &Path, error: pem::Error, kind: &str, allowed: &str) -> Error {
    match error {
        pem::Error::NoItemsFound => files::wrong(path, format!("the file has no {kind}"), allowed),
        pem::Error::MissingSectionEnd { .. } => {
            files::wrong(path, "the file is cut: a section has no end", allowed)
        }
        pem::Error::IllegalSectionStart { .. } => {
            files::wrong(path, "the file has a section whose first line is cut", allowed)
        }
        error => files::wrong(path, error, allowed),
    }
}

/// The TLS configuration for connections to controllers.
#[derive(Debug, Clone)]
pub(crate) struct Tls {
    config: Arc<ClientConfig>,
    authorities: PathBuf,
}

/// Returns the host of `HOST:PORT`, for which the controller's certificate has to be valid.
pub(crate) fn name_of(host: &str) -> Option<ServerName<'static>> {
    let name = host.rsplit_once(':')?.0;
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    ServerName::try_from(address.unwrap_or(name).to_owned()).ok()
}

impl Tls {
    /// Returns a connection that does the handshake with the first byte.
    pub(crate) fn over(&self, host: &str, stream: Socket) -> io::Result<TlsStream> {
        let name = name_of(host).ok_or(ErrorKind::InvalidInput)?;
        let connection = ClientConnection::new(self.config.clone(), name);
        let connection = connection.map_err(io::Error::other)?;
        Ok(Box::new(StreamOwned::new(connection, stream)))
    }

    /// Returns a description of a TLS error, or `None` for other errors.
    pub(crate) fn why(&self, error: &io::Error) -> Option<String> {
        let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
        Some(match error {
            rustls::Error::InvalidCertificate(
                CertificateError::UnknownIssuer | CertificateError::BadSignature,
            ) => {
                format!(
                    "no authority in {} has signed the controller's certificate",
                    self.authorities.display()
                )
            }
            rustls::Error::InvalidCertificate(
                CertificateError::Expired | CertificateError::ExpiredContext { .. },
            ) => "the controller's certificate has expired".to_owned(),
            rustls::Error::AlertReceived(AlertDescription::CertificateRequired) => {
                let name = environment::CERTIFICATE_FILE;
                format!("the controller requires a client certificate (allowed: {name})")
            }
            rustls::Error::InvalidMessage(_) => "the controller does not speak TLS".to_owned(),
            error => error.to_string(),
        })
    }
}

/// A connection with TLS.
pub(crate) type TlsStream = Box<StreamOwned<ClientConnection, Socket>>;

/// Returns the alert that the other side sent before it closed the connection, or else the write error.
pub(crate) fn last_words(stream: &mut TlsStream, error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            let alert = stream.read(&mut [0]).err();
            alert.filter(|alert| alert.get_ref().is_some()).unwrap_or(error)
        }
        _ => error,
    }
}
