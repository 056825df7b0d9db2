//! The signatures of certificates and of lists of revoked ones, as far as their issuers are known.

use std::fmt::Display;
use tokio_rustls::rustls::pki_types::{CertificateDer, CertificateRevocationListDer};
use x509_parser::certificate::X509Certificate;
use x509_parser::error::X509Error;
use x509_parser::extensions::{ParsedExtension, X509Extension};
use x509_parser::prelude::FromDer;
use x509_parser::revocation_list::CertificateRevocationList;
use x509_parser::x509::X509Name;

/// Parses all of a certificate or a list.
fn whole<'a, T: FromDer<'a, X509Error>>(der: &'a [u8]) -> Result<T, String> {
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
struct Issuers<'a> {
    /// The certificates of the same file.
    own: Vec<X509Certificate<'a>>,
    /// Authorities of other files.
    known: Vec<X509Certificate<'a>>,
}

impl Issuers<'_> {
    /// Checks a signature of an issuer, by the certificates of this name. Returns whether the issuer is known.
    ///
    /// An authority, and what it has signed, may have one name, and so may two authorities. Identifiers of keys tell them
    /// apart; without identifiers the issuer is an authority in the same file, or is not known. A kind of signature that
    /// is not known passes.
    fn check(
        &self,
        name: &X509Name<'_>,
        key: Option<&[u8]>,
        verify: impl Fn(&X509Certificate<'_>) -> Result<(), X509Error>,
    ) -> Result<bool, String> {
        let is_named = |of: &&X509Certificate<'_>| of.subject().as_raw() == name.as_raw();
        let same = |of: &X509Certificate<'_>| Some(key? == own_key(of)?);
        let is_issuer = |of: &&X509Certificate<'_>| same(of).unwrap_or(of.is_ca());
        let own = self.own.iter().filter(is_named).filter(is_issuer);
        let known = self.known.iter().filter(is_named).filter(|of| same(of) == Some(true));
        let results: Vec<_> = own.chain(known).map(verify).collect();
        let is_wrong = |result: &Result<(), X509Error>| {
            matches!(result, Err(X509Error::SignatureVerificationError))
        };
        match !results.is_empty() && results.iter().all(is_wrong) {
            true => {
                Err(format!("damaged, since the signature of its issuer ({name}) does not fit"))
            }
            false => Ok(!results.is_empty()),
        }
    }
}

/// Returns an error that tells the place of the item in its file.
fn at(place: usize, kind: &str, why: impl Display) -> String {
    format!("{kind} {}: {why}", place + 1)
}

/// Parses all certificates.
fn parsed<'a>(all: &'a [CertificateDer<'_>]) -> Result<Vec<X509Certificate<'a>>, String> {
    let parsed = all.iter().enumerate().map(|(place, der)| {
        let wrong = |why: String| at(place, "certificate", why);
        let of: X509Certificate<'_> = whole(der).map_err(wrong)?;
        check_extensions(of.extensions()).map_err(wrong)?;
        match of.signature_algorithm == of.tbs_certificate.signature {
            true => Ok(of),
            false => {
                Err(at(place, "certificate", "damaged, since it names two kinds of signatures"))
            }
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
        let checked = issuers.check(of.issuer(), signing_key(of.extensions()), verify);
        checked.map_err(|why| at(place, "certificate", why))
    });
    let first = known.next().unwrap_or(Ok(false))?;
    known.try_for_each(|known| known.map(drop))?;
    Ok(first)
}

/// Checks that all lists can be parsed, that those of these authorities have their signature, and that there is one.
pub(super) fn check_lists(
    all: &[CertificateRevocationListDer<'_>],
    authorities: &[CertificateDer<'_>],
) -> Result<(), String> {
    let issuers = Issuers { own: parsed(authorities)?, known: Vec::new() };
    let mut known = 0;
    for (place, der) in all.iter().enumerate() {
        let wrong = |why: String| at(place, "list", why);
        let of: CertificateRevocationList<'_> = whole(der).map_err(wrong)?;
        check_extensions(of.extensions()).map_err(wrong)?;
        let verify = |issuer: &X509Certificate<'_>| of.verify_signature(issuer.public_key());
        let checked = issuers.check(of.issuer(), signing_key(of.extensions()), verify);
        known += usize::from(checked.map_err(wrong)?);
    }
    match known {
        0 => Err("no list is of an authority in `clients`".into()),
        _ => Ok(()),
    }
}
