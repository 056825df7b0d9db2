//! `bandwise devices`: the RDMA devices of this host.

use crate::answer::{Answer, Stats};
use crate::failure::Failure;
use crate::output::Json;
use bandwise_report::{Cell, Table, text};
use bandwise_verbs::ibverbs::{DeviceInfo, GidInfo, PortInfo, devices};
use serde::Serialize;

/// Flags of `bandwise devices`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Lists devices, ports and identifiers (GID), as libibverbs reports them. RoCE addresses a port by a
GID, which flags name by its index. Rates are nominal, before coding.

Examples:
  bandwise devices
  bandwise devices --json")]
pub(crate) struct Flags {
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Lists the devices and prints them.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        let devices = devices().map_err(anyhow::Error::from)?;
        outputs.answer(&DevicesAnswer::new(&devices))
    }
}

/// Returns a cell with the value, or with `?`.
fn or_not_known<T: ToString>(value: Option<T>) -> Cell {
    Cell::text(value.map_or_else(|| "?".to_owned(), |value| value.to_string()))
}

fn ports(devices: &[DeviceInfo]) -> Table {
    let row = |(device, port): (&DeviceInfo, &PortInfo)| {
        vec![
            Cell::text(format!("{} {}", device.name, port.number)),
            or_not_known(port.state.map(|state| state.as_str())),
            or_not_known(port.link_layer.map(|layer| layer.as_str())),
            or_not_known(port.rate),
            or_not_known(port.active_mtu),
            or_not_known(port.max_mtu),
            Cell::text(port.lid.to_string()),
            Cell::text(if device.has_timestamps { "yes" } else { "no" }),
            Cell::text(device.firmware.clone()),
        ]
    };
    let header = ["port", "state", "link", "rate", "MTU", "most", "LID", "timestamps", "firmware"];
    Table {
        title: "Ports of RDMA devices".into(),
        caption: "MTU in bytes, active and largest; whether the device stamps completions.".into(),
        header: header.map(str::to_owned).into(),
        rows: each_port(devices).map(row).collect(),
    }
}

fn gids(devices: &[DeviceInfo]) -> Table {
    let rows = each_port(devices).flat_map(|(device, port)| {
        port.gids.iter().map(move |gid| {
            vec![
                Cell::text(format!("{} {}", device.name, port.number)),
                Cell::text(gid.index.to_string()),
                Cell::text(gid.gid.to_string()),
                or_not_known(gid.kind.map(|kind| kind.as_str())),
            ]
        })
    });
    Table {
        title: "Identifiers".into(),
        caption: String::new(),
        header: ["port", "index", "GID", "packets"].map(str::to_owned).into(),
        rows: rows.collect(),
    }
}

fn each_port(devices: &[DeviceInfo]) -> impl Iterator<Item = (&DeviceInfo, &PortInfo)> {
    devices.iter().flat_map(|device| device.ports.iter().map(move |port| (device, port)))
}

/// The devices of this host.
#[derive(Serialize)]
struct DevicesAnswer<'a> {
    schema: u32,
    devices: Vec<DeviceRow<'a>>,
    stats: Stats,
    #[serde(skip)]
    found: &'a [DeviceInfo],
}

/// A device.
#[derive(Serialize)]
struct DeviceRow<'a> {
    name: &'a str,
    guid: String,
    firmware: &'a str,
    queue_pairs: u32,
    queue_depth: u32,
    completion_timestamps: bool,
    ports: Vec<PortRow<'a>>,
}

/// A port of a device.
#[derive(Serialize)]
struct PortRow<'a> {
    port: u8,
    state: Option<&'a str>,
    link_layer: Option<&'a str>,
    rate_bps: Option<u64>,
    active_mtu_bytes: Option<u32>,
    max_mtu_bytes: Option<u32>,
    lid: u16,
    gids: Vec<GidRow<'a>>,
}

/// An identifier of a port.
#[derive(Serialize)]
struct GidRow<'a> {
    index: u32,
    gid: String,
    kind: Option<&'a str>,
}

impl<'a> DevicesAnswer<'a> {
    fn new(found: &'a [DeviceInfo]) -> Self {
        let devices = found.iter().map(DeviceRow::from).collect();
        DevicesAnswer { schema: 1, devices, stats: Stats::HERE, found }
    }
}

impl Answer for DevicesAnswer<'_> {
    fn text(&self) -> String {
        let tables = [ports(self.found), gids(self.found)];
        let tables = tables.iter().filter(|table| !table.rows.is_empty()).map(text::table);
        tables.collect::<Vec<_>>().join("\n")
    }
}

impl<'a> From<&'a DeviceInfo> for DeviceRow<'a> {
    fn from(device: &'a DeviceInfo) -> Self {
        DeviceRow {
            name: &device.name,
            guid: format!("{:016x}", device.guid),
            firmware: &device.firmware,
            queue_pairs: device.queue_pairs,
            queue_depth: device.queue_depth,
            completion_timestamps: device.has_timestamps,
            ports: device.ports.iter().map(PortRow::from).collect(),
        }
    }
}

impl From<&PortInfo> for PortRow<'_> {
    fn from(port: &PortInfo) -> Self {
        let gid = |gid: &GidInfo| GidRow {
            index: gid.index,
            gid: gid.gid.to_string(),
            kind: gid.kind.map(|kind| kind.as_str()),
        };
        PortRow {
            port: port.number,
            state: port.state.map(|state| state.as_str()),
            link_layer: port.link_layer.map(|layer| layer.as_str()),
            rate_bps: port.rate.map(|rate| rate.as_bps()),
            active_mtu_bytes: port.active_mtu,
            max_mtu_bytes: port.max_mtu,
            lid: port.lid,
            gids: port.gids.iter().map(gid).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_session::Gid;
    use bandwise_units::BitRate;
    use bandwise_verbs::ibverbs::{GidKind, LinkLayer, PortState};
    use serde_json::json;

    /// Known facts of a port stand in its row, unknown ones are question marks.
    #[test]
    fn each_port_has_one_row() {
        let gid = GidInfo { index: 1, gid: Gid([0xfe; 16]), kind: Some(GidKind::RoceV2) };
        let up = PortInfo {
            number: 1,
            state: Some(PortState::Active),
            link_layer: Some(LinkLayer::Ethernet),
            active_mtu: Some(1024),
            max_mtu: Some(4096),
            rate: Some(BitRate::from_gbps(56)),
            lid: 7,
            gids: vec![gid],
        };
        let unknown =
            PortInfo { number: 2, state: None, rate: None, gids: Vec::new(), ..up.clone() };
        let device = DeviceInfo {
            name: "mlx5_0".into(),
            firmware: "12.28".into(),
            guid: 0xab,
            queue_pairs: 8,
            queue_depth: 16,
            has_timestamps: true,
            ports: vec![up, unknown],
        };
        let devices = [device];
        let text = text::table(&ports(&devices)) + &text::table(&gids(&devices));
        for words in
            ["mlx5_0 1", "active", "56 Gbps", "1024", "fefe:fefe", "RoCE v2", "mlx5_0 2  ?"]
        {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
        let json = DevicesAnswer::new(&devices).json();
        assert_eq!(json["devices"][0]["guid"], "00000000000000ab");
        let ports = &json["devices"][0]["ports"];
        assert_eq!(
            (&ports[0]["rate_bps"], &ports[1]["rate_bps"]),
            (&json!(56e9 as u64), &json!(null))
        );
    }
}
