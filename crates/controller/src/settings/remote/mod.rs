//! [`Remote`]: the address for remote hosts, and their authentication.

use super::document::{CredentialSpec, RemoteSpec};
use super::value::{at, file, parsed};
use crate::credentials::{Credential, Pattern, Rights, TokenDigest};
use bandwise_input::{InputError, Source};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The address for remote hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// The address.
    pub listen: SocketAddr,
    /// The TLS files; `None` if `tokens-in-the-clear` is set.
    pub tls: Option<TlsFiles>,
}

/// The TLS files in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain of the controller, without the root.
    pub certificate: PathBuf,
    /// The key of the certificate.
    pub key: PathBuf,
    /// The authority of client certificates, if clients may show one.
    pub clients: Option<PathBuf>,
    /// Lists of revoked client certificates, one of each authority that issues them.
    pub revoked: Option<PathBuf>,
}

/// Returns the remote address, if there is one, and the credentials.
pub(super) fn remote(
    source: &Source,
    spec: Option<&RemoteSpec>,
    specs: &[CredentialSpec],
    folder: &Path,
) -> Result<(Option<Remote>, Vec<Credential>), InputError> {
    let credentials = credentials(source, specs)?;
    let remote = match (spec, specs.first()) {
        (Some(spec), _) => Some(place(source, spec, folder, &credentials, specs)?),
        (None, None) => None,
        (None, Some(first)) => {
            let message = "a credential without a [remote] table";
            let wrong = at(source, &first.name, message);
            return Err(wrong.allowed("with a [remote] table"));
        }
    };
    Ok((remote, credentials))
}

/// Returns the credentials. Names, certificates and tokens must be unique.
fn credentials(source: &Source, specs: &[CredentialSpec]) -> Result<Vec<Credential>, InputError> {
    let mut all: Vec<Credential> = Vec::new();
    for spec in specs {
        let own = credential(source, spec)?;
        for other in &all {
            let twice = |value: &Spanned<String>, what: &str| {
                let wrong = format!("the credential {} has the same {what}", other.name);
                at(source, value, wrong).allowed("each once")
            };
            if other.name == own.name {
                return Err(twice(&spec.name, "name"));
            }
            let same = own.certificate.is_some() && other.certificate == own.certificate;
            if let Some(certificate) = spec.certificate.as_ref().filter(|_| same) {
                return Err(twice(certificate, "certificate"));
            }
            let same = own.token.is_some() && other.token == own.token;
            if let Some(token) = spec.token_sha256.as_ref().filter(|_| same) {
                return Err(twice(token, "token"));
            }
        }
        all.push(own);
    }
    Ok(all)
}

fn credential(source: &Source, spec: &CredentialSpec) -> Result<Credential, InputError> {
    let name = spec.name.get_ref();
    let is_word = (1..=64).contains(&name.len()) && !name.contains(char::is_whitespace);
    if !is_word {
        let wrong = at(source, &spec.name, format!("a credential called {name:?}"));
        return Err(wrong.allowed("one word of up to 64 bytes"));
    }
    let certificate = spec.certificate.as_ref().map(|certificate| dns_name(source, certificate));
    let token = spec.token_sha256.as_ref();
    let token = token.map(|token| parsed::<TokenDigest>(source, token, TokenDigest::ALLOWED));
    if certificate.is_none() && token.is_none() {
        let wrong = at(source, &spec.name, "a credential without a certificate or token");
        return Err(wrong.allowed("`certificate`, `token-sha256` or both"));
    }
    let pattern = |text: &Spanned<String>| {
        let wrong = |error: crate::credentials::NoPattern| at(source, text, error.to_string());
        Pattern::try_from(text.get_ref().clone())
            .map_err(|error| wrong(error).allowed(Pattern::ALLOWED))
    };
    let applications: Result<Vec<Pattern>, _> =
        spec.applications.get_ref().iter().map(pattern).collect();
    let hosts: Result<Vec<Pattern>, _> = match &spec.hosts {
        Some(hosts) => hosts.iter().map(pattern).collect(),
        None => Ok(vec![Pattern::any()]),
    };
    let rights = Rights {
        applications: applications?,
        hosts: hosts?,
        drain: spec.drain,
        sees_all: sees_all(source, spec.see.as_ref())?,
    };
    if rights.applications.is_empty() && !rights.drain && !rights.sees_all {
        let wrong = at(source, &spec.applications, "a credential without permissions");
        return Err(wrong.allowed("names of applications, with * for any characters"));
    }
    let (certificate, token) = (certificate.transpose()?, token.transpose()?);
    Ok(Credential { name: name.clone(), certificate, token, rights })
}

/// Returns whether a caller sees what belongs to others.
fn sees_all(source: &Source, see: Option<&Spanned<String>>) -> Result<bool, InputError> {
    match see.map(|see| (see, see.get_ref().as_str())) {
        None | Some((_, "own")) => Ok(false),
        Some((_, "all")) => Ok(true),
        Some((see, other)) => {
            let wrong = at(source, see, format!("seeing {other:?}"));
            Err(wrong.allowed(
                "\"own\": its own applications and connections, or \"all\": those of all callers",
            ))
        }
    }
}

/// Returns a DNS name in lower case.
fn dns_name(source: &Source, text: &Spanned<String>) -> Result<String, InputError> {
    let name = text.get_ref().to_ascii_lowercase();
    let is_label = |label: &str| {
        let is_char = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        (1..=63).contains(&label.len()) && label.chars().all(is_char)
    };
    match name.len() <= 253 && name.split('.').all(is_label) {
        true => Ok(name),
        false => {
            let wrong = at(source, text, format!("a certificate for {:?}", text.get_ref()));
            Err(wrong
                .allowed("a DNS name that it is for (subjectAltName), such as spark.example.org"))
        }
    }
}

/// Returns the remote address, if callers can authenticate there.
fn place(
    source: &Source,
    spec: &RemoteSpec,
    folder: &Path,
    credentials: &[Credential],
    given: &[CredentialSpec],
) -> Result<Remote, InputError> {
    let listen: SocketAddr =
        parsed(source, &spec.listen, "an address and a port such as \"0.0.0.0:7470\"")?;
    let file = |name: &Spanned<String>| file(source, name, folder);
    let tls = match (&spec.certificate, &spec.key) {
        (Some(certificate), Some(key)) => {
            let clients = spec.clients.as_ref().map(file).transpose()?;
            let revoked = spec.revoked.as_ref().map(file).transpose()?;
            Some(TlsFiles { certificate: file(certificate)?, key: file(key)?, clients, revoked })
        }
        (None, None) => match &spec.clients {
            None => None,
            Some(clients) => {
                let wrong = at(source, clients, "certificates of clients without TLS");
                return Err(wrong.allowed("with `certificate` and `key` of the controller"));
            }
        },
        (Some(one), None) | (None, Some(one)) => {
            let wrong = at(source, one, "a certificate or a key alone");
            return Err(wrong.allowed("`certificate` and `key`, or none of both"));
        }
    };
    let shows_certificates = tls.as_ref().is_some_and(|tls| tls.clients.is_some());
    if let Some(revoked) = spec.revoked.as_ref().filter(|_| !shows_certificates) {
        let wrong = at(source, revoked, "revoked certificates where clients show none");
        return Err(wrong.allowed("with `certificate`, `key` and `clients` in [remote]"));
    }
    let certificate = given.iter().find_map(|of| of.certificate.as_ref());
    if let Some(certificate) = certificate.filter(|_| !shows_certificates) {
        let wrong = at(source, certificate, "client certificates are not enabled");
        return Err(wrong.allowed("with `certificate`, `key` and `clients` in [remote]"));
    }
    let tokens = credentials.iter().any(|of| of.token.is_some());
    if !tokens && certificate.is_none() {
        let message = format!("{listen} is reachable by others without authentication");
        let wrong = at(source, &spec.listen, message);
        return Err(wrong.allowed("with a [[credential]] table for each remote caller"));
    }
    let in_the_clear = spec.tokens_in_the_clear.as_ref().is_some_and(|of| *of.get_ref());
    if tls.is_none() && !in_the_clear {
        let message = format!("tokens sent to {listen} would not be encrypted");
        let allowed = "`certificate` and `key` in [remote]; or `tokens-in-the-clear = true`, on a trusted network";
        return Err(at(source, &spec.listen, message).allowed(allowed));
    }
    if let Some(clear) = spec.tokens_in_the_clear.as_ref().filter(|_| tls.is_some()) {
        let wrong = at(source, clear, "`tokens-in-the-clear` together with TLS");
        return Err(wrong.allowed("one of both"));
    }
    Ok(Remote { listen, tls })
}

#[cfg(test)]
mod tests;
