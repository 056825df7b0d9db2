//! [`Tls`]: the TLS configuration of a remote listener, and the identification of clients by certificate.

use crate::credentials::{Credentials, Peer};
use crate::secret;
use crate::settings::TlsFiles;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, version};
use tokio_rustls::server::TlsStream;
use webpki::EndEntityCert;

/// The certificate of the controller, and the authorities of client certificates.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    credentials: Arc<Credentials>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

/// A file that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct TlsError {
    path: PathBuf,
    why: String,
    allowed: &'static str,
}

/// The allowed content of most files.
const PEM: &str = "PEM: certificates, the key of the first, or lists of revoked ones";

impl TlsError {
    fn new(path: &Path, why: impl ToString) -> Self {
        TlsError { path: path.to_owned(), why: why.to_string(), allowed: PEM }
    }

    fn pem(path: &Path, error: pem::Error) -> Self {
        match error {
            pem::Error::NoItemsFound => TlsError::new(path, "the file has none"),
            pem::Error::MissingSectionEnd { end_marker } => {
                let kind = String::from_utf8_lossy(&end_marker);
                TlsError::new(path, format!("the file is cut: no line is -----END {kind}-----"))
            }
            pem::Error::IllegalSectionStart { line } => {
                TlsError::new(path, format!("the line {:?}", String::from_utf8_lossy(&line)))
            }
            error => TlsError::new(path, error),
        }
    }

    /// Returns the allowed content, for error messages.
    pub fn allowed(&self) -> &'static str {
        self.allowed
    }
}

impl Tls {
    /// Reads the files. `credentials` maps the names of client certificates to callers.
    ///
    /// # Errors
    ///
    /// Returns a [`TlsError`] if a file is missing, unreadable or invalid, or if everyone may read the key.
    pub fn read(files: &TlsFiles, credentials: &Credentials) -> Result<Self, TlsError> {
        let provider = Arc::new(default_provider());
        let chain = items(&files.certificate)?;
        let key = key(&files.key)?;
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])
            .expect("ring has both");
        let builder = match &files.clients {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in items(path)? {
                    roots.add(certificate).map_err(|error| TlsError::new(path, error))?;
                }
                // A client without a certificate may have a token; the authenticator requires one of both.
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                let mut verifier = verifier.allow_unauthenticated();
                if let Some(path) = &files.revoked {
                    // A certificate whose authority has no list here is refused.
                    verifier = verifier.with_crls(items(path)?).only_check_end_entity_revocation();
                }
                // An error in a list is noticed here too.
                let of = files.revoked.as_ref().unwrap_or(path);
                let verifier = verifier.build().map_err(|error| TlsError::new(of, error))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let config = builder.with_single_cert(chain, key);
        let mut config = config.map_err(|error| TlsError::new(&files.certificate, error))?;
        config.alpn_protocols = ["h2", "http/1.1"].map(|name| name.as_bytes().to_vec()).into();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Tls { acceptor, credentials: Arc::new(credentials.clone()) })
    }

    /// Does the handshake and identifies the peer by its certificate.
    pub(super) async fn accept(
        &self,
        stream: TcpStream,
    ) -> io::Result<(TlsStream<TcpStream>, Peer)> {
        let stream = self.acceptor.accept(stream).await?;
        let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
        let shown = shown.and_then(|shown| EndEntityCert::try_from(shown).ok());
        let caller = shown.and_then(|shown| {
            let caller = self.credentials.of_certificate(shown.valid_dns_names());
            caller.inspect_err(|nobody| tracing::warn!("{nobody}")).ok()
        });
        let peer = Peer::Remote(caller.cloned());
        Ok((stream, peer))
    }
}

/// Reads all items of one kind, one or more.
fn items<T: PemObject>(path: &Path) -> Result<Vec<T>, TlsError> {
    let all = T::pem_file_iter(path).and_then(Iterator::collect);
    let all: Vec<T> = all.map_err(|error| TlsError::pem(path, error))?;
    if all.is_empty() { Err(TlsError::pem(path, pem::Error::NoItemsFound)) } else { Ok(all) }
}

/// Reads a key. A key that everyone may read is refused.
fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    if let Some(wrong) = secret::exposure(path).map_err(|error| TlsError::new(path, error))? {
        return Err(TlsError { allowed: secret::ALLOWED, ..TlsError::new(path, wrong) });
    }
    PrivateKeyDer::from_pem_file(path).map_err(|error| TlsError::pem(path, error))
}
