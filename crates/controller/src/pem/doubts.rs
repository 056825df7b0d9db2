//! Doubts of intact certificates and lists: what makes them useless now.

use super::signatures::{Issuers, parsed, whole};
use tokio_rustls::rustls::pki_types::{CertificateDer, CertificateRevocationListDer};
use x509_parser::certificate::X509Certificate;
use x509_parser::revocation_list::CertificateRevocationList;
use x509_parser::time::ASN1Time;

/// Returns the certificates that are not valid at this time. Those of authorities also have to be ones that may sign.
pub(super) fn of_certificates(all: &[CertificateDer<'_>], sign: bool) -> Vec<String> {
    let Ok(all) = parsed(all) else { return Vec::new() };
    let now = ASN1Time::now();
    let doubt = |of: &X509Certificate<'_>| {
        let (name, times) = (of.subject(), of.validity());
        match () {
            () if now < times.not_before => {
                Some(format!("{name} is not valid before {}", times.not_before))
            }
            () if now > times.not_after => Some(format!("{name} has expired: {}", times.not_after)),
            () if sign && !of.is_ca() => Some(format!("{name} is no authority, and signs nobody")),
            () => None,
        }
    };
    all.iter().filter_map(doubt).collect()
}

/// Returns what makes intact lists refuse clients, or let in revoked ones.
pub(super) fn of_lists(
    used: &[CertificateRevocationListDer<'_>],
    authorities: &[CertificateDer<'_>],
) -> Vec<String> {
    let Ok(own) = parsed(authorities) else { return Vec::new() };
    let issuers = Issuers { own, known: Vec::new() };
    let lists = used.iter().filter_map(|der| whole::<CertificateRevocationList<'_>>(der).ok());
    let lists: Vec<CertificateRevocationList<'_>> = lists.collect();
    let signers: Vec<&[u8]> = lists.iter().filter_map(|of| issuers.signer(of)).collect();
    let old = lists.iter().filter_map(|of| {
        let next = of.next_update().filter(|next| *next < ASN1Time::now())?;
        Some(format!("the list of {} should have been replaced: {next}", of.issuer()))
    });
    // A signature of a kind that can't be checked may be anybody's of its name.
    let is_open = |of: &X509Certificate<'_>| {
        let named =
            |list: &&CertificateRevocationList<'_>| list.issuer().as_raw() == of.subject().as_raw();
        lists.iter().filter(named).any(|list| issuers.signer(list).is_none())
    };
    let has_list = |of: &X509Certificate<'_>| signers.contains(&of.public_key().raw) || is_open(of);
    let without = issuers.own.iter().filter(|of| !has_list(of));
    let without = without.map(|of| {
        format!("no list is of {}: clients that it has signed are refused", of.subject())
    });
    old.chain(without).collect()
}
