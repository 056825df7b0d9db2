//! An authority that signs the certificates of a test.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tonic::transport::{Certificate, Identity};

/// An authority with a key of its own.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// Returns a certificate for a name, and its key.
    pub(crate) fn signs(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    /// Returns a client certificate.
    pub(crate) fn identity(&self, name: &str) -> Identity {
        let (certificate, key) = self.signs(name);
        Identity::from_pem(certificate, key)
    }

    pub(crate) fn certificate(&self) -> Certificate {
        Certificate::from_pem(self.0.pem())
    }

    pub(crate) fn write(&self, folder: &Path) -> PathBuf {
        write(folder, "authority.pem", &self.0.pem())
    }
}

/// Writes a file that its owner alone can read.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    path
}
