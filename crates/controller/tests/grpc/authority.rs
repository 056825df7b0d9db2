//! An authority that signs the certificates of a test.

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    IsCa, KeyIdMethod, KeyPair, RevokedCertParams, SerialNumber, date_time_ymd,
};
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

    /// Returns an authority that this one has signed.
    pub(crate) fn between(&self) -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "between");
        let key = KeyPair::generate().unwrap();
        Authority(CertifiedIssuer::signed_by(params, key, &self.0).unwrap())
    }

    /// Returns a certificate for a name, and its key.
    pub(crate) fn signs(&self, name: &str) -> (String, String) {
        self.signs_with(name, None)
    }

    /// Returns a certificate for a name with the identifier of the authority's key, and its key.
    pub(crate) fn signs_by_key(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.use_authority_key_identifier_extension = true;
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    /// Returns a certificate for a name that has expired, and its key.
    pub(crate) fn signed(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    fn signs_with(&self, name: &str, serial: Option<u64>) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.serial_number = serial.map(SerialNumber::from);
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    /// Returns a client certificate.
    pub(crate) fn identity(&self, name: &str) -> Identity {
        let (certificate, key) = self.signs(name);
        Identity::from_pem(certificate, key)
    }

    /// Returns a client certificate with this serial number, and this authority's own behind it.
    pub(crate) fn numbered(&self, name: &str, serial: u64) -> Identity {
        let (certificate, key) = self.signs_with(name, Some(serial));
        Identity::from_pem(certificate + &self.pem(), key)
    }

    /// Returns the list of revoked certificates with these serial numbers.
    pub(crate) fn revokes(&self, serials: &[u64]) -> String {
        self.revokes_by(1, 4000, serials)
    }

    /// Returns a list with a number, whose successor is due in a year.
    pub(crate) fn revokes_by(&self, number: u64, until: i32, serials: &[u64]) -> String {
        let revoked = |&serial: &u64| RevokedCertParams {
            serial_number: SerialNumber::from(serial),
            revocation_time: date_time_ymd(2025, 1, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2020, 1, 1),
            next_update: date_time_ymd(until, 1, 1),
            crl_number: SerialNumber::from(number),
            issuing_distribution_point: None,
            revoked_certs: serials.iter().map(revoked).collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        list.signed_by(&self.0).unwrap().pem().unwrap()
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(crate) fn public_key(&self) -> &[u8] {
        self.0.key().public_key_raw()
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
