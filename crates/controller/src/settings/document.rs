//! [`Document`]: the keys of a settings file, before their values are checked.

use bandwise_input::Decimal;
use bandwise_topology::read::FabricSpec;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Document {
    pub(super) lab: Option<Spanned<String>>,
    pub(super) port: Option<Vec<PortSpec>>,
    pub(super) infiniband: Option<Spanned<InfiniBandSpec>>,
    pub(super) simulated: Option<Spanned<SimulatedSpec>>,
    #[serde(default)]
    pub(super) hosts: HostsSpec,
    pub(super) table: Spanned<String>,
    pub(super) seed: Option<u64>,
    pub(super) store: Option<Spanned<String>>,
    pub(super) cluster: Option<Spanned<ClusterSpec>>,
    pub(super) listen: Option<Spanned<String>>,
    pub(super) socket_mode: Option<Spanned<String>>,
    pub(super) remote: Option<RemoteSpec>,
    #[serde(default)]
    pub(super) credential: Vec<CredentialSpec>,
    pub(super) audit: Option<Spanned<String>>,
    pub(super) audit_size: Option<Spanned<String>>,
    pub(super) audit_files: Option<Spanned<i64>>,
    pub(super) recording: Option<Spanned<String>>,
    pub(super) recording_size: Option<Spanned<String>>,
    pub(super) recording_files: Option<Spanned<i64>>,
    pub(super) on_exit: Option<Spanned<String>>,
    pub(super) weights: Option<Spanned<String>>,
    pub(super) guaranteed: Option<Spanned<Decimal>>,
    #[serde(default)]
    pub(super) times: TimesSpec,
    #[serde(default)]
    pub(super) limits: LimitsSpec,
}

/// Alternative names of each host, such as its addresses: `h3 = ["10.0.0.3", "node3.example.org"]`.
pub(super) type HostsSpec = BTreeMap<Spanned<String>, Vec<Spanned<String>>>;

/// A port of Linux: a `[[port]]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct PortSpec {
    pub(super) name: Option<String>,
    pub(super) from: Spanned<String>,
    pub(super) to: Spanned<String>,
    pub(super) namespace: Option<Spanned<String>>,
    pub(super) device: Spanned<String>,
    pub(super) rate: Spanned<String>,
    pub(super) others: Option<Spanned<Decimal>>,
    pub(super) queues: Option<Spanned<i64>>,
    pub(super) packet: Option<Spanned<String>>,
}

/// The `[infiniband]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct InfiniBandSpec {
    pub(super) device: Option<Spanned<String>>,
    pub(super) port: Option<Spanned<i64>>,
    pub(super) sls: Option<Spanned<String>>,
    pub(super) lanes: Option<Spanned<String>>,
    pub(super) m_key: Option<Spanned<String>>,
    pub(super) timeout: Option<Spanned<String>>,
    pub(super) attempts: Option<Spanned<i64>>,
}

/// The `[simulated]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SimulatedSpec {
    pub(super) fabric: Option<FabricSpec>,
    pub(super) fabric_file: Option<Spanned<String>>,
    pub(super) queues: Option<Spanned<i64>>,
}

/// The `[cluster]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ClusterSpec {
    pub(super) etcd: Spanned<Vec<Spanned<String>>>,
    pub(super) prefix: Option<Spanned<String>>,
    pub(super) lease: Option<Spanned<String>>,
    pub(super) instance: Option<Spanned<String>>,
    pub(super) groups: Spanned<BTreeMap<Spanned<String>, Vec<Spanned<String>>>>,
    pub(super) ca: Option<Spanned<String>>,
    pub(super) certificate: Option<Spanned<String>>,
    pub(super) key: Option<Spanned<String>>,
    pub(super) user: Option<Spanned<String>>,
    pub(super) password_file: Option<Spanned<String>>,
}

/// The `[remote]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RemoteSpec {
    pub(super) listen: Spanned<String>,
    pub(super) certificate: Option<Spanned<String>>,
    pub(super) key: Option<Spanned<String>>,
    pub(super) clients: Option<Spanned<String>>,
    pub(super) revoked: Option<Spanned<String>>,
    pub(super) tokens_in_the_clear: Option<Spanned<bool>>,
}

/// A caller: a `[[credential]]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct CredentialSpec {
    pub(super) name: Spanned<String>,
    pub(super) certificate: Option<Spanned<String>>,
    pub(super) token_sha256: Option<Spanned<String>>,
    pub(super) applications: Spanned<Vec<Spanned<String>>>,
    pub(super) hosts: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    pub(super) drain: bool,
    pub(super) see: Option<Spanned<String>>,
}

/// The `[times]` table.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TimesSpec {
    pub(super) lease: Option<Spanned<String>>,
    pub(super) order_gap: Option<Spanned<String>>,
    pub(super) check_interval: Option<Spanned<String>>,
    pub(super) discovery_interval: Option<Spanned<String>>,
    pub(super) late_after: Option<Spanned<String>>,
    pub(super) retry: Option<Spanned<String>>,
    pub(super) max_retry: Option<Spanned<String>>,
}

/// The `[limits]` table.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LimitsSpec {
    pub(super) clients: Option<Spanned<i64>>,
    pub(super) applications: Option<Spanned<i64>>,
    pub(super) connections: Option<Spanned<i64>>,
    pub(super) unacknowledged: Option<Spanned<i64>>,
    pub(super) answers: Option<Spanned<i64>>,
}
