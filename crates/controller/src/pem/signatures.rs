//! The signatures of certificates and of lists of revoked ones, as far as their issuers are known.

use std::fmt::Display;
use tokio_rustls::rustls::pki_types::{CertificateDer, CertificateRevocationListDer};
use x509_parser::certificate::X509Certificate;
use x509_parser::der_parser::num_bigint::BigUint;
use x509_parser::error::X509Error;
use x509_parser::extensions::{ParsedExtension, X509Extension};
use x509_parser::oid_registry::{
    OID_EC_P256, OID_NIST_EC_P384, OID_PKCS1_SHA256WITHRSA, OID_PKCS1_SHA384WITHRSA,
    OID_PKCS1_SHA512WITHRSA, OID_SIG_ECDSA_WITH_SHA256, OID_SIG_ECDSA_WITH_SHA384, OID_SIG_ED25519,
};
use x509_parser::prelude::FromDer;
use x509_parser::public_key::PublicKey;
use x509_parser::revocation_list::CertificateRevocationList;
use x509_parser::x509::{AlgorithmIdentifier, X509Name};

/// The error of an item that names its signature in two ways (RFC 5280 4.1.1.2).
const TWO_KINDS: &str = "damaged, since it names two kinds of signatures";

/// Parses all of a certificate or a list.
pub(super) fn whole<'a, T: FromDer<'a, X509Error>>(der: &'a [u8]) -> Result<T, String> {
    match T::from_der(der) {
        Ok(([], of)) => Ok(of),
        Ok((rest, _)) => Err(format!("{} bytes after the end", rest.len())),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the error of an extension that can't be parsed.
fn check_extensions(all: &[X509Extension<'_>]) -> Result<(), String> {
    let broken = all.iter().find_map(|of| match of.parsed_extension() {
        ParsedExtension::ParseError { error } => Some(error.to_string()),
        _ => None,
    });
    broken.map_or(Ok(()), Err)
}

/// Returns the identifier of the key that has signed, if it is stated.
fn signing_key<'a>(all: &'a [X509Extension<'_>]) -> Option<&'a [u8]> {
    all.iter().find_map(|of| match of.parsed_extension() {
        ParsedExtension::AuthorityKeyIdentifier(key) => Some(key.key_identifier.as_ref()?.0),
        _ => None,
    })
}

/// Returns the identifier of a certificate's own key, if it is stated.
fn own_key<'a>(of: &'a X509Certificate<'_>) -> Option<&'a [u8]> {
    of.extensions().iter().find_map(|of| match of.parsed_extension() {
        ParsedExtension::SubjectKeyIdentifier(key) => Some(key.0),
        _ => None,
    })
}

/// The certificates among which issuers are looked up.
pub(super) struct Issuers<'a> {
    /// The certificates of the same file.
    pub(super) own: Vec<X509Certificate<'a>>,
    /// Authorities of other files.
    pub(super) known: Vec<X509Certificate<'a>>,
}

impl Issuers<'_> {
    /// Checks a signature of an issuer, by the certificates of this name. Returns whether the issuer is known.
    ///
    /// An authority, and what it has signed, may have one name, and so may two authorities. Identifiers of keys tell them
    /// apart; without identifiers the issuer is an authority in the same file, or is not known. A kind of signature that
    /// can't be checked passes.
    fn check(
        &self,
        name: &X509Name<'_>,
        key: Option<&[u8]>,
        kind: &AlgorithmIdentifier<'_>,
        verify: impl Fn(&X509Certificate<'_>) -> Result<(), X509Error>,
    ) -> Result<bool, String> {
        let is_named = |of: &&X509Certificate<'_>| of.subject().as_raw() == name.as_raw();
        let same = |of: &X509Certificate<'_>| Some(key? == own_key(of)?);
        let is_issuer = |of: &&X509Certificate<'_>| same(of).unwrap_or(of.is_ca());
        let own = self.own.iter().filter(is_named).filter(is_issuer);
        let known = self.known.iter().filter(is_named).filter(|of| same(of) == Some(true));
        let issuers: Vec<&X509Certificate<'_>> = own.chain(known).collect();
        let is_wrong = |issuer: &&X509Certificate<'_>| {
            can_check(kind, issuer)
                && matches!(verify(issuer), Err(X509Error::SignatureVerificationError))
        };
        match !issuers.is_empty() && issuers.iter().all(is_wrong) {
            true => Err(format!(
                "not signed by the key of its issuer ({name}): one of the two is damaged, or the \
                 issuer has another key"
            )),
            false => Ok(!issuers.is_empty()),
        }
    }
}

/// Returns whether signatures of this kind by this issuer can be checked: RSA with keys of 2048 to 8192 bits, ECDSA over
/// P-256 and P-384, and Ed25519.
fn can_check(kind: &AlgorithmIdentifier<'_>, issuer: &X509Certificate<'_>) -> bool {
    let rsa = [OID_PKCS1_SHA256WITHRSA, OID_PKCS1_SHA384WITHRSA, OID_PKCS1_SHA512WITHRSA];
    let ecdsa = [OID_SIG_ECDSA_WITH_SHA256, OID_SIG_ECDSA_WITH_SHA384];
    match issuer.public_key().parsed() {
        Ok(PublicKey::RSA(key)) => {
            rsa.contains(&kind.algorithm) && (2048..=8192).contains(&key.key_size())
        }
        Ok(PublicKey::EC(_)) => {
            let curve = issuer.public_key().algorithm.parameters.as_ref();
            let curve = curve.and_then(|curve| curve.as_oid().ok());
            let is_known = curve.is_some_and(|of| [OID_EC_P256, OID_NIST_EC_P384].contains(&of));
            ecdsa.contains(&kind.algorithm) && is_known
        }
        _ => kind.algorithm == OID_SIG_ED25519,
    }
}

/// Returns an error that tells the place of the item in its file.
fn at(place: usize, kind: &str, why: impl Display) -> String {
    format!("{kind} {}: {why}", place + 1)
}

/// Parses all certificates.
pub(super) fn parsed<'a>(
    all: &'a [CertificateDer<'_>],
) -> Result<Vec<X509Certificate<'a>>, String> {
    let parsed = all.iter().enumerate().map(|(place, der)| {
        let wrong = |why: String| at(place, "certificate", why);
        let of: X509Certificate<'_> = whole(der).map_err(wrong)?;
        check_extensions(of.extensions()).map_err(wrong)?;
        match of.signature_algorithm == of.tbs_certificate.signature {
            true => Ok(of),
            false => Err(at(place, "certificate", TWO_KINDS)),
        }
    });
    parsed.collect()
}

/// Checks that all certificates can be parsed, and have the signatures of the issuers that are among them or among the
/// authorities. Returns whether the issuer of the first one is known.
pub(super) fn check_certificates(
    all: &[CertificateDer<'_>],
    authorities: &[CertificateDer<'_>],
) -> Result<bool, String> {
    let issuers = Issuers { own: parsed(all)?, known: parsed(authorities)? };
    let mut known = issuers.own.iter().enumerate().map(|(place, of)| {
        let verify = |issuer: &X509Certificate<'_>| of.verify_signature(Some(issuer.public_key()));
        let kind = &of.signature_algorithm;
        let checked = issuers.check(of.issuer(), signing_key(of.extensions()), kind, verify);
        checked.map_err(|why| at(place, "certificate", why))
    });
    let first = known.next().unwrap_or(Ok(false))?;
    known.try_for_each(|known| known.map(drop))?;
    Ok(first)
}

/// Checks that all lists can be parsed, and that those of these authorities have their signature. Others may be of authorities
/// between these and clients. Returns the lists to use: the newest of each authority.
pub(super) fn check_lists(
    all: &[CertificateRevocationListDer<'static>],
    authorities: &[CertificateDer<'_>],
) -> Result<Vec<CertificateRevocationListDer<'static>>, String> {
    let issuers = Issuers { own: parsed(authorities)?, known: Vec::new() };
    let mut used: Vec<(usize, CertificateRevocationList<'_>)> = Vec::new();
    for (place, der) in all.iter().enumerate() {
        let wrong = |why: String| at(place, "list", why);
        let of: CertificateRevocationList<'_> = whole(der).map_err(wrong)?;
        check_extensions(of.extensions()).map_err(wrong)?;
        let verify = |issuer: &X509Certificate<'_>| of.verify_signature(issuer.public_key());
        if of.signature_algorithm != of.tbs_cert_list.signature {
            return Err(wrong(TWO_KINDS.into()));
        }
        let (key, kind) = (signing_key(of.extensions()), &of.signature_algorithm);
        let is_known = issuers.check(of.issuer(), key, kind, verify).map_err(wrong)?;
        let is_name =
            |issuer: &X509Certificate<'_>| issuer.subject().as_raw() == of.issuer().as_raw();
        if !is_known && issuers.own.iter().any(is_name) {
            // Its authority has the name of one here and another key, so it signs for nobody who is let in.
            continue;
        }
        match used.iter_mut().find(|(_, other)| other.issuer().as_raw() == of.issuer().as_raw()) {
            None => used.push((place, of)),
            Some((_, other)) if issuers.signer(other) != issuers.signer(&of) => {
                return Err(wrong(format!(
                    "a second list of the name {}, by another key: lists are told apart by names",
                    of.issuer()
                )));
            }
            Some(other) if age(&other.1) < age(&of) => *other = (place, of),
            Some(_) => {}
        }
    }
    match used.is_empty() {
        true => Err("no list is of an authority in `clients`".into()),
        false => Ok(used.iter().map(|(place, _)| all[*place].clone()).collect()),
    }
}

/// Returns the order of lists of one authority: the newest is the last.
fn age<'a>(of: &'a CertificateRevocationList<'_>) -> (i64, Option<&'a BigUint>) {
    (of.last_update().timestamp(), of.crl_number())
}

impl Issuers<'_> {
    /// Returns the key of the authority that has signed a list.
    pub(super) fn signer(&self, of: &CertificateRevocationList<'_>) -> Option<&[u8]> {
        let named =
            self.own.iter().filter(|issuer| issuer.subject().as_raw() == of.issuer().as_raw());
        let mut keys = named.map(|issuer| issuer.public_key());
        keys.find(|key| of.verify_signature(key).is_ok()).map(|key| key.raw)
    }
}
