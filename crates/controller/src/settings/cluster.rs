//! [`Cluster`]: the settings of a store that several controllers share.

use super::document::ClusterSpec;
use super::value::{at, file, parsed};
use crate::cluster::Groups;
use crate::core::Group;
use crate::pattern::Pattern;
use bandwise_input::{InputError, Source};
use bandwise_units::Time;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;

/// The settings of a store in etcd that several controllers share.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// The URLs of etcd.
    pub etcd: Vec<String>,
    /// The prefix of all keys in etcd.
    pub prefix: String,
    /// The lease after which a silent controller counts as dead.
    pub lease: Duration,
    /// The name of this controller.
    pub instance: Group,
    /// The assignment of ports to controllers while all of them are alive.
    pub groups: Groups,
    /// The TLS files, if the URLs are `https`.
    pub tls: Option<ClusterTls>,
    /// A user of etcd, and the file with the password.
    pub user: Option<(String, PathBuf)>,
}

/// The TLS files in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterTls {
    /// The authority that signs the certificates of etcd.
    pub ca: PathBuf,
    /// The certificate and the key of this controller, if etcd asks for one.
    pub own: Option<(PathBuf, PathBuf)>,
}

pub(super) fn cluster(
    source: &Source,
    spec: &ClusterSpec,
    folder: &Path,
) -> Result<Cluster, InputError> {
    let urls = spec.etcd.get_ref();
    let is_tls = urls.first().is_some_and(|url| url.get_ref().starts_with("https:"));
    let etcd: Result<Vec<String>, _> =
        urls.iter().map(|url| self::url(source, url, is_tls)).collect();
    if urls.is_empty() {
        let wrong = at(source, &spec.etcd, "an etcd without a URL");
        return Err(wrong.allowed("[\"http://HOST:PORT\", …]"));
    }
    let groups = groups(source, spec)?;
    let default = || rustix::system::uname().nodename().to_string_lossy().into_owned();
    let instance = match &spec.instance {
        Some(name) => name.get_ref().clone(),
        None => default(),
    };
    let instance = Group::from(instance.as_str());
    if !groups.names().any(|name| *name == instance) {
        let known: Vec<String> = groups.names().map(Group::to_string).collect();
        let what = format!("this controller is called {instance} and has no group");
        let wrong = match &spec.instance {
            Some(name) => at(source, name, what),
            None => at(source, &spec.groups, what),
        };
        let of = if spec.instance.is_none() { "the host's name, or `instance`: " } else { "" };
        return Err(wrong.allowed(format!("{of}one of {}", known.join(", "))));
    }
    Ok(Cluster {
        etcd: etcd?,
        prefix: prefix(source, &spec.prefix)?,
        lease: lease(source, &spec.lease)?,
        instance,
        groups,
        tls: tls(source, spec, is_tls, folder)?,
        user: user(source, spec, folder)?,
    })
}

fn url(source: &Source, url: &Spanned<String>, is_tls: bool) -> Result<String, InputError> {
    let text = url.get_ref().trim_end_matches('/');
    let (scheme, allowed) = match is_tls {
        true => ("https://", "\"https://HOST:PORT\", as the first is"),
        false => ("http://", "\"http://HOST:PORT\", or https for all"),
    };
    let rest = text.strip_prefix(scheme).and_then(|rest| rest.rsplit_once(':'));
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_host = |host: &str| !host.is_empty() && !host.contains(['/', '@', ' ']);
    match rest {
        Some((host, port)) if is_host(host) && is_port(port) => Ok(text.to_owned()),
        _ => Err(at(source, url, format!("etcd at {:?}", url.get_ref())).allowed(allowed)),
    }
}

fn prefix(source: &Source, prefix: &Option<Spanned<String>>) -> Result<String, InputError> {
    let Some(text) = prefix else { return Ok("/bandwise".into()) };
    let is_one = text.get_ref().starts_with('/') && text.get_ref().len() > 1;
    let wrong = || at(source, text, format!("the prefix {:?}", text.get_ref()));
    match is_one {
        true => Ok(text.get_ref().clone()),
        false => Err(wrong().allowed("one that begins with a slash, such as \"/bandwise\"")),
    }
}

fn lease(source: &Source, lease: &Option<Spanned<String>>) -> Result<Duration, InputError> {
    let Some(text) = lease else { return Ok(Duration::from_secs(3)) };
    let allowed = "whole seconds, 2 s to 60 s";
    let time: Time = parsed(source, text, allowed)?;
    let second = Time::from_ms(1000).as_ps();
    match time.as_ps().is_multiple_of(second) && (2..=60).contains(&(time.as_ps() / second)) {
        true => Ok(Duration::from_secs(time.as_ps() / second)),
        false => Err(at(source, text, format!("{time} is out of range")).allowed(allowed)),
    }
}

fn groups(source: &Source, spec: &ClusterSpec) -> Result<Groups, InputError> {
    let mut groups = Vec::new();
    for (name, patterns) in spec.groups.get_ref() {
        let is_word = (1..=64).contains(&name.get_ref().len())
            && !name.get_ref().contains(|c: char| c.is_whitespace() || c == '/');
        if !is_word {
            let wrong = at(source, name, format!("a controller called {:?}", name.get_ref()));
            return Err(wrong.allowed("one word of up to 64 bytes"));
        }
        let pattern = |text: &Spanned<String>| {
            let pattern = Pattern::try_from(text.get_ref().clone());
            pattern.map_err(|e| at(source, text, e.to_string()).allowed(Pattern::ALLOWED))
        };
        let patterns: Result<Vec<Pattern>, _> = patterns.iter().map(pattern).collect();
        groups.push((Group::from(name.get_ref().as_str()), patterns?));
    }
    match groups.is_empty() {
        true => Err(at(source, &spec.groups, "no controller is named")
            .allowed("a line for each, such as a = [\"leaf1*\"]: its name and its ports")),
        false => Ok(Groups::new(groups)),
    }
}

fn tls(
    source: &Source,
    spec: &ClusterSpec,
    is_tls: bool,
    folder: &Path,
) -> Result<Option<ClusterTls>, InputError> {
    let file = |name: &Spanned<String>| file(source, name, folder);
    let own = match (&spec.certificate, &spec.key) {
        (Some(certificate), Some(key)) => Some((file(certificate)?, file(key)?)),
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => {
            let wrong = at(source, one, "a certificate or a key alone");
            return Err(wrong.allowed("`certificate` and `key`, or none of both"));
        }
    };
    match (&spec.ca, is_tls) {
        (Some(ca), true) => Ok(Some(ClusterTls { ca: file(ca)?, own })),
        (None, true) => {
            let wrong = at(source, &spec.etcd, "no authority of etcd is named");
            Err(wrong.allowed("with `ca`: a PEM file with the authority of etcd's certificates"))
        }
        (ca, false) => match ca.as_ref().or(spec.certificate.as_ref()) {
            None => Ok(None),
            Some(file) => {
                let wrong = at(source, file, "a certificate without encryption");
                Err(wrong.allowed("with \"https://HOST:PORT\" for etcd"))
            }
        },
    }
}

/// Returns whether what is sent to a URL is encrypted, or stays on this machine.
fn is_protected(url: &str) -> bool {
    let host = url.strip_prefix("http://").and_then(|rest| rest.rsplit_once(':'));
    host.is_none_or(|(host, _)| {
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    })
}

fn user(
    source: &Source,
    spec: &ClusterSpec,
    folder: &Path,
) -> Result<Option<(String, PathBuf)>, InputError> {
    match (&spec.user, &spec.password_file) {
        (Some(user), Some(password)) => {
            if let Some(url) = spec.etcd.get_ref().iter().find(|url| !is_protected(url.get_ref())) {
                let wrong = at(source, url, "the password of etcd would not be encrypted");
                return Err(wrong.allowed("\"https://HOST:PORT\", or http to a loopback address"));
            }
            Ok(Some((user.get_ref().clone(), file(source, password, folder)?)))
        }
        (None, None) => Ok(None),
        (Some(one), None) | (None, Some(one)) => {
            let wrong = at(source, one, "a user or a password alone");
            Err(wrong.allowed("`user` and `password-file`, or none of both"))
        }
    }
}
