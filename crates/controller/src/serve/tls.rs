//! [`Tls`]: the TLS configuration of a remote listener, and the identification of clients by certificate.

use crate::credentials::{Credentials, Peer};
use crate::pem::{self, Identity};
use crate::settings::TlsFiles;
use bandwise_files::FileError;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, version};
use tokio_rustls::server::TlsStream;
use webpki::EndEntityCert;

/// The certificate of the controller, and the authorities of client certificates.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    credentials: Arc<Credentials>,
    doubts: Vec<String>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Reads the files. `credentials` maps the names of client certificates to callers.
    ///
    /// # Errors
    ///
    /// Returns a [`FileError`] if a file is missing, unreadable or invalid, or if everyone may read the key.
    pub fn read(files: &TlsFiles, credentials: &Credentials) -> Result<Self, FileError> {
        let provider = Arc::new(default_provider());
        let authorities = files.clients.as_ref().map(|path| pem::authorities(path)).transpose()?;
        let authorities = authorities.map_or(Vec::new(), |of| of.all);
        let Identity { chain, key, is_verified, .. } =
            pem::identity(&files.certificate, &files.key, &authorities, &provider)?;
        let mut doubts = pem::doubts_of_certificates(&files.certificate, &chain.all, false);
        if !is_verified {
            let file = files.certificate.display();
            doubts.push(format!(
                "{file}: not checked for damage, as it lacks the certificate of its issuer after \
                 its own"
            ));
        }
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])
            .expect("ring has both");
        let builder = match &files.clients {
            None => builder.with_no_client_auth(),
            Some(path) => {
                doubts.extend(pem::doubts_of_certificates(path, &authorities, true));
                let mut roots = RootCertStore::empty();
                for authority in &authorities {
                    roots.add(authority.clone()).map_err(|error| pem::unfit(path, error))?;
                }
                // A client without a certificate may have a token; the authenticator requires one of both.
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                let mut verifier = verifier.allow_unauthenticated();
                if let Some(path) = &files.revoked {
                    // A certificate whose authority has no list here is refused.
                    let lists = pem::revocations(path, &authorities)?;
                    doubts.extend(pem::doubts_of_lists(path, &lists, &authorities));
                    verifier = verifier.with_crls(lists).only_check_end_entity_revocation();
                }
                // An error in a list is noticed here too.
                let of = files.revoked.as_ref().unwrap_or(path);
                let verifier = verifier.build().map_err(|error| pem::unfit(of, error))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let config = builder.with_single_cert(chain.all, key);
        let mut config = config.map_err(|error| pem::unfit(&files.certificate, error))?;
        config.alpn_protocols = ["h2", "http/1.1"].map(|name| name.as_bytes().to_vec()).into();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Tls { acceptor, credentials: Arc::new(credentials.clone()), doubts })
    }

    /// Returns what was not checked in the files, and what makes them useless now.
    pub fn doubts(&self) -> &[String] {
        &self.doubts
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
