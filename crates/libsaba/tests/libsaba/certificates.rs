//! Certificates of a test, and a controller with one.

use crate::world::World;
use bandwise_controller::credentials::{Credential, Credentials, Pattern, Rights, TokenDigest};
use bandwise_controller::settings::TlsFiles;
use bandwise_controller::{Listener, Present, Tls};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// An authority and its folder.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    /// Returns an authority by name, with a key of its own and a folder of that name.
    pub(crate) fn new(folder: &Path, name: &str) -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Authority { issuer, folder: folder.join(name) }
    }

    /// Returns the file of its certificate.
    pub(crate) fn file(&self) -> PathBuf {
        self.write("authority.pem", &self.issuer.pem())
    }

    /// Returns the files of a certificate for a name or an address, and of its key.
    pub(crate) fn signs(&self, name: &str) -> (PathBuf, PathBuf) {
        self.signs_until(name, 2100)
    }

    /// Returns the files of a certificate that expires at the start of a year.
    pub(crate) fn signs_until(&self, name: &str, year: i32) -> (PathBuf, PathBuf) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_after = date_time_ymd(year, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        let file = |kind: &str| format!("{name}-{year}-{kind}.pem");
        let key = self.write(&file("key"), &key.serialize_pem());
        (self.write(&file("certificate"), &certificate), key)
    }

    /// Writes a file that its owner alone can read.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::create_dir_all(&self.folder).unwrap();
        let path = self.folder.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        path
    }

    /// Opens a TLS listener with this certificate, for clients with a certificate for `client.test` or the token "abc".
    /// Returns its address.
    pub(crate) fn opens(&self, world: &World, (certificate, key): (PathBuf, PathBuf)) -> String {
        let pattern = Pattern::try_from("*".to_owned()).unwrap();
        let credential = Credential {
            name: "client".into(),
            certificate: Some("client.test".into()),
            token: Some(TokenDigest::of("abc")),
            rights: Rights {
                applications: vec![pattern],
                hosts: vec![Pattern::any()],
                drain: false,
                sees_all: false,
            },
        };
        let credentials = Credentials::new(&[credential]);
        let files = TlsFiles { certificate, key, clients: Some(self.file()), revoked: None };
        let tls = Present::new(Some(Tls::read(&files, &credentials).unwrap()));
        let listener = Listener::open_remote("127.0.0.1:0".parse().unwrap(), tls).unwrap();
        let Listener::Remote(socket, _) = &listener else { unreachable!() };
        let place = format!("https://{}", socket.local_addr().unwrap());
        world.serve(listener, credentials);
        place
    }
}
