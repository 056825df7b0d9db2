//! [`Settings`]: the one file that says what a controller goes by.

use crate::core::{Limits, Rules};
use crate::credentials::Credential;
use bandwise_enforce::htb::Layout;
use bandwise_enforce::tc::TcPort;
use bandwise_input::{Decimal, InputError, Source};
use bandwise_saba::Share;
use bandwise_units::{BitRate, Bytes, Time};
use remote::{CredentialSpec, RemoteSpec};
use serde::Deserialize;
use std::net::SocketAddr;
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;

mod remote;

pub use remote::{Remote, TlsFiles};

/// What a controller goes by.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whose ports it shares.
    pub network: Network,
    /// The sensitivity table.
    pub table: PathBuf,
    /// What the starts of K-means are drawn from.
    pub seed: u64,
    /// Where it keeps what must outlive it.
    pub store: PathBuf,
    /// Where it is reached.
    pub listen: Listen,
    /// Where those reach it who are not on this machine, if they may.
    pub remote: Option<Remote>,
    /// Who they are.
    pub credentials: Vec<Credential>,
    /// The trail of what was done to ports, if one is kept.
    pub audit: Option<PathBuf>,
    /// All that it hears, if that is kept.
    pub recording: Option<PathBuf>,
    /// Times and limits.
    pub rules: Rules,
}

/// Whose ports are shared.
#[derive(Debug, Clone)]
pub enum Network {
    /// Those of a lab on this machine, by its name.
    Lab(String),
    /// These ports of Linux.
    Ports(Vec<TcPort>),
}

/// Where a controller is reached on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// A socket in the file system.
    Unix {
        /// Where.
        path: PathBuf,
        /// Who may write to it, as of a file.
        mode: u32,
    },
    /// An address of this machine's own.
    Loopback(SocketAddr),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Document {
    lab: Option<Spanned<String>>,
    port: Option<Vec<PortSpec>>,
    table: Spanned<String>,
    seed: Option<u64>,
    store: Spanned<String>,
    listen: Option<Spanned<String>>,
    socket_mode: Option<Spanned<String>>,
    remote: Option<RemoteSpec>,
    #[serde(default)]
    credential: Vec<CredentialSpec>,
    audit: Option<Spanned<String>>,
    recording: Option<Spanned<String>>,
    #[serde(default)]
    times: TimesSpec,
    #[serde(default)]
    limits: LimitsSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PortSpec {
    name: Option<String>,
    from: Spanned<String>,
    to: Spanned<String>,
    namespace: Option<Spanned<String>>,
    device: Spanned<String>,
    rate: Spanned<String>,
    others: Option<Spanned<Decimal>>,
    queues: Option<Spanned<i64>>,
    packet: Option<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TimesSpec {
    lease: Option<Spanned<String>>,
    apart: Option<Spanned<String>>,
    look: Option<Spanned<String>>,
    late: Option<Spanned<String>>,
    retry: Option<Spanned<String>>,
    longest_retry: Option<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LimitsSpec {
    clients: Option<Spanned<i64>>,
    applications: Option<Spanned<i64>>,
    connections: Option<Spanned<i64>>,
    unheard: Option<Spanned<i64>>,
}

/// An Ethernet frame of 1500 bytes and its header.
const FRAME: Bytes = Bytes::new(1514);

impl Settings {
    /// Reads settings; paths are relative to `folder`, that of their file.
    pub fn read(source: &Source, folder: &Path) -> Result<Self, InputError> {
        source.check_text("TOML with the settings of a controller")?;
        let document: Document = source.toml()?;
        let path = |name: &Spanned<String>| file(source, name, folder);
        let credentials = remote::credentials(source, &document.credential)?;
        let given = (folder, &credentials[..], &document.credential[..]);
        let remote = document.remote.as_ref();
        let remote = remote.map(|of| remote::remote(source, of, given)).transpose()?;
        if let (None, Some(of)) = (&remote, document.credential.first()) {
            return Err(remote::nowhere(source, of));
        }
        let network = network(source, &document)?;
        Ok(Settings {
            network,
            table: path(&document.table)?,
            seed: document.seed.unwrap_or(1),
            store: path(&document.store)?,
            listen: listen(source, &document, folder)?,
            remote,
            credentials,
            audit: document.audit.as_ref().map(path).transpose()?,
            recording: document.recording.as_ref().map(path).transpose()?,
            rules: rules(source, &document)?,
        })
    }
}

fn at<T>(source: &Source, value: &Spanned<T>, message: impl Into<String>) -> InputError {
    source.error(value.span(), message)
}

/// A file, relative to the folder of the settings.
fn file(source: &Source, name: &Spanned<String>, folder: &Path) -> Result<PathBuf, InputError> {
    match name.get_ref().is_empty() {
        true => Err(at(source, name, "a file without a name").allowed("the path of a file")),
        false => Ok(folder.join(name.get_ref())),
    }
}

fn network(source: &Source, document: &Document) -> Result<Network, InputError> {
    match (&document.lab, &document.port) {
        (Some(lab), None) => Ok(Network::Lab(lab.get_ref().clone())),
        (None, Some(ports)) if !ports.is_empty() => {
            let ports: Result<Vec<TcPort>, _> = ports.iter().map(|p| port(source, p)).collect();
            let ports = ports?;
            for (i, port) in ports.iter().enumerate() {
                let same = |other: &TcPort| {
                    (&other.namespace, &other.device) == (&port.namespace, &port.device)
                };
                if ports[..i].iter().any(|other| same(other) || other.name == port.name) {
                    let specs = document.port.as_deref().unwrap_or_default();
                    let message = format!("a second port {} at {:?}", port.name, port.device);
                    return Err(at(source, &specs[i].device, message).allowed("each port once"));
                }
            }
            Ok(Network::Ports(ports))
        }
        (Some(lab), Some(_)) => {
            let error = at(source, lab, "a lab and ports of others");
            Err(error.allowed("lab = \"NAME\" or [[port]] tables, not both"))
        }
        (None, _) => {
            let error = source.error(0..0, "no ports are named");
            Err(error.allowed("lab = \"NAME\" for those of a lab, or a [[port]] table for each"))
        }
    }
}

fn port(source: &Source, spec: &PortSpec) -> Result<TcPort, InputError> {
    let word = |value: &Spanned<String>| {
        let text = value.get_ref();
        let is_one = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '/');
        let wrong = || at(source, value, format!("the name {text:?}")).allowed("one word");
        if is_one { Ok(text.clone()) } else { Err(wrong()) }
    };
    let rate: BitRate = parsed(source, &spec.rate, "a rate such as \"25Gbit\" or \"200 Mbps\"")?;
    let others = match &spec.others {
        None => Share::try_from(0.1).expect("a part"),
        Some(others) => Share::try_from(others.get_ref().0).map_err(|error| {
            at(source, others, error.to_string()).allowed("0.01 to 0.99 of the link")
        })?,
    };
    let queues = match &spec.queues {
        None => NonZeroU8::new(8).expect("8"),
        Some(queues) => {
            let number = u8::try_from(*queues.get_ref()).ok().and_then(NonZeroU8::new);
            let wrong = || at(source, queues, format!("{} queues", queues.get_ref()));
            number.ok_or_else(|| wrong().allowed("1 to 64"))?
        }
    };
    let packet = match &spec.packet {
        None => FRAME,
        Some(packet) => parsed(source, packet, "bytes such as \"1514 B\"")?,
    };
    let layout = Layout::new(rate, others, queues, packet)
        .map_err(|error| at(source, &spec.rate, error.to_string()))?;
    let (from, to) = (word(&spec.from)?, word(&spec.to)?);
    let name = spec.name.clone().unwrap_or_else(|| format!("{from} to {to}"));
    let namespace = spec.namespace.as_ref().map(word).transpose()?;
    Ok(TcPort { name, from, to, namespace, device: word(&spec.device)?, layout })
}

fn parsed<T>(source: &Source, value: &Spanned<String>, allowed: &str) -> Result<T, InputError>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let wrong = |error: T::Err| at(source, value, error.to_string()).allowed(allowed);
    value.get_ref().parse().map_err(wrong)
}

/// Where a controller is reached if the settings don't say: also what clients try first.
pub const SOCKET: &str = "/run/bandwise/controller.sock";

fn listen(source: &Source, document: &Document, folder: &Path) -> Result<Listen, InputError> {
    let allowed = "\"unix:PATH\", or an address of this machine such as \"127.0.0.1:7470\"";
    let mode = match &document.socket_mode {
        None => 0o600,
        Some(mode) => {
            let number = u32::from_str_radix(mode.get_ref(), 8).ok();
            let wrong = || at(source, mode, format!("the mode {:?}", mode.get_ref()));
            let number = number.filter(|mode| mode & !0o666 == 0);
            number
                .ok_or_else(|| wrong().allowed("digits such as \"660\", for reading and writing"))?
        }
    };
    let Some(text) = &document.listen else {
        return Ok(Listen::Unix { path: SOCKET.into(), mode });
    };
    if let Some(path) = text.get_ref().strip_prefix("unix:").filter(|path| !path.is_empty()) {
        let path = folder.join(path);
        // What the kernel takes: 108 bytes with the zero at the end.
        let bytes = path.as_os_str().len();
        return match bytes < 108 {
            true => Ok(Listen::Unix { path, mode }),
            false => Err(at(source, text, format!("a path of {bytes} bytes")).allowed("up to 107")),
        };
    }
    if let Some(mode) = &document.socket_mode {
        return Err(at(source, mode, "a mode of what is no file").allowed("with a unix: socket"));
    }
    match text.get_ref().parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(Listen::Loopback(address)),
        Ok(address) => {
            let message =
                format!("{address} can be reached by others, and nobody shows who they are");
            let remote = "a [remote] table for others, where they show who they are; here";
            Err(at(source, text, message).allowed(format!("{remote} {allowed}")))
        }
        Err(_) => {
            Err(at(source, text, format!("listening at {:?}", text.get_ref())).allowed(allowed))
        }
    }
}

fn rules(source: &Source, document: &Document) -> Result<Rules, InputError> {
    let time = |value: &Option<Spanned<String>>, default: Duration, (least, most): (&str, &str)| {
        let Some(value) = value else { return Ok(default) };
        let allowed = format!("{least} to {most}");
        let time: Time = parsed(source, value, &allowed)?;
        let bound = |text: &str| text.parse::<Time>().expect("a time");
        match (bound(least)..=bound(most)).contains(&time) {
            true => Ok(Duration::from_nanos(time.as_ps() / 1000)),
            false => Err(at(source, value, format!("{time} here")).allowed(allowed)),
        }
    };
    let number = |value: &Option<Spanned<i64>>, default: u32| {
        let Some(value) = value else { return Ok(default) };
        let number = u32::try_from(*value.get_ref()).ok().filter(|n| (1..=10_000_000).contains(n));
        let wrong = || at(source, value, format!("a limit of {}", value.get_ref()));
        number.ok_or_else(|| wrong().allowed("1 to 10000000"))
    };
    let (times, limits, default) = (&document.times, &document.limits, Rules::default());
    Ok(Rules {
        lease: time(&times.lease, default.lease, ("100 ms", "86400 s"))?,
        apart: time(&times.apart, default.apart, ("1 ms", "60 s"))?,
        look: time(&times.look, default.look, ("100 ms", "86400 s"))?,
        late: time(&times.late, default.late, ("10 ms", "3600 s"))?,
        retry: time(&times.retry, default.retry, ("1 ms", "3600 s"))?,
        longest_retry: time(&times.longest_retry, default.longest_retry, ("1 ms", "86400 s"))?,
        limits: Limits {
            clients: number(&limits.clients, default.limits.clients)?,
            applications: number(&limits.applications, default.limits.applications)?,
            connections: number(&limits.connections, default.limits.connections)?,
            unheard: number(&limits.unheard, default.limits.unheard)?,
        },
    })
}

#[cfg(test)]
mod tests;
