//! [`Wanted::choose`]: the choice of device, port and GID.

use super::{DeviceInfo, GidInfo, GidKind, LinkLayer, PortInfo, PortState};
use bandwise_rdma::wire::Mtu;
use bandwise_session::Gid;

/// The wanted device, port and GID, as far as given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The device's name.
    pub device: Option<String>,
    /// The port's number, from 1.
    pub port: Option<u8>,
    /// The index of the GID in the port's table.
    pub gid: Option<u32>,
}

/// An active port, and its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The device's name.
    pub device: String,
    /// The port's number.
    pub port: u8,
    /// The index and value of the GID; on InfiniBand only if one was requested.
    pub gid: Option<(u8, Gid)>,
    /// The local identifier.
    pub lid: u16,
    /// The current largest payload of a packet.
    pub mtu: Mtu,
}

/// Nothing matches the wanted device, port or GID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; allowed: {allowed}")]
pub struct ChoiceError {
    /// The mistake.
    pub message: String,
    /// The allowed values.
    pub allowed: String,
}

fn refused<T>(message: String, allowed: String) -> Result<T, ChoiceError> {
    Err(ChoiceError { message, allowed })
}

impl Wanted {
    /// Chooses a device, a port and a GID. The device is the one with the wanted name, or the only
    /// one. The port is the one with the wanted number, or the first active one. On Ethernet, the
    /// GID is the one with the wanted index, the first of RoCE v2 over IPv4, or the first of all.
    ///
    /// # Errors
    ///
    /// Returns [`ChoiceError`] if nothing matches, or the choice is ambiguous.
    pub fn choose(&self, devices: &[DeviceInfo]) -> Result<Chosen, ChoiceError> {
        let device = self.device(devices)?;
        let port = self.port(device)?;
        let name = format!("port {} of {}", port.number, device.name);
        let Some(mtu) = port.active_mtu.and_then(|bytes| Mtu::try_from(bytes).ok()) else {
            return refused(format!("{name} reports no MTU"), "another port: -d, -i".into());
        };
        let gid = match self.gid(port, &name)? {
            None => None,
            // The index has eight bits in the attributes of queue pairs.
            Some(GidInfo { index, gid, .. }) => match u8::try_from(*index) {
                Ok(index) => Some((index, *gid)),
                Err(_) => return refused(format!("-x {index}"), "0 to 255".into()),
            },
        };
        Ok(Chosen { device: device.name.clone(), port: port.number, gid, lid: port.lid, mtu })
    }

    fn device<'a>(&self, devices: &'a [DeviceInfo]) -> Result<&'a DeviceInfo, ChoiceError> {
        let names = || list(devices.iter().map(|device| format!("-d {}", device.name)));
        match (&self.device, devices) {
            (None, [only]) => Ok(only),
            (None, _) => refused(format!("there are {} RDMA devices", devices.len()), names()),
            (Some(name), _) => match devices.iter().find(|device| device.name == *name) {
                Some(device) => Ok(device),
                None => refused(format!("there is no RDMA device {name:?}"), names()),
            },
        }
    }

    fn port<'a>(&self, device: &'a DeviceInfo) -> Result<&'a PortInfo, ChoiceError> {
        let is_up = |port: &&PortInfo| {
            matches!(port.state, Some(PortState::Active | PortState::ActiveDefer))
        };
        let up = || match device.ports.iter().filter(is_up).count() {
            0 => "a port that is active: `bandwise devices` shows their states".to_owned(),
            _ => list(device.ports.iter().filter(is_up).map(|port| format!("-i {}", port.number))),
        };
        let found = match self.port {
            None => device.ports.iter().find(is_up),
            Some(number) => device.ports.iter().find(|port| port.number == number),
        };
        match (found, self.port) {
            (Some(port), _) if is_up(&port) => Ok(port),
            (Some(port), _) => {
                let state = port.state.map_or("in an unknown state", PortState::as_str);
                refused(format!("port {} of {} is {state}", port.number, device.name), up())
            }
            (None, Some(number)) => refused(format!("{} has no port {number}", device.name), up()),
            (None, None) => refused(format!("no port of {} is active", device.name), up()),
        }
    }

    fn gid<'a>(&self, port: &'a PortInfo, name: &str) -> Result<Option<&'a GidInfo>, ChoiceError> {
        if let Some(index) = self.gid {
            let found = port.gids.iter().find(|gid| gid.index == index);
            return match found {
                Some(_) => Ok(found),
                None => {
                    let message = format!("{name} has no GID at index {index}");
                    let there = port.gids.iter().map(|gid| format!("-x {}", gid.index));
                    refused(message, list(there))
                }
            };
        }
        if port.link_layer == Some(LinkLayer::InfiniBand) {
            return Ok(None);
        }
        let of_v2 = |gid: &&GidInfo| gid.kind == Some(GidKind::RoceV2);
        let gids = || port.gids.iter();
        let ipv4 = gids().filter(of_v2).find(|gid| gid.gid.is_ipv4());
        match ipv4.or_else(|| gids().find(of_v2)).or_else(|| gids().next()) {
            Some(gid) => Ok(Some(gid)),
            None => refused(
                format!("{name} has no GID, and Ethernet needs one"),
                "a port whose network interface has an address".into(),
            ),
        }
    }
}

fn list(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    if names.is_empty() { "no GID is set".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gid(index: u32, gid: &str, kind: GidKind) -> GidInfo {
        let gid = gid.parse::<std::net::Ipv6Addr>().unwrap().into();
        GidInfo { index, gid, kind: Some(kind) }
    }

    fn port(number: u8, state: PortState) -> PortInfo {
        PortInfo {
            number,
            state: Some(state),
            link_layer: Some(LinkLayer::Ethernet),
            active_mtu: Some(1024),
            max_mtu: Some(4096),
            rate: None,
            lid: 0,
            gids: vec![
                gid(0, "fe80::1", GidKind::RoceV1),
                gid(1, "fe80::1", GidKind::RoceV2),
                gid(3, "::ffff:10.0.0.1", GidKind::RoceV2),
            ],
        }
    }

    fn device(name: &str) -> DeviceInfo {
        DeviceInfo {
            name: name.into(),
            firmware: String::new(),
            guid: 1,
            queue_pairs: 1,
            queue_depth: 1,
            has_timestamps: false,
            ports: vec![port(1, PortState::Down), port(2, PortState::Active)],
        }
    }

    fn wanted(device: Option<&str>, port: Option<u8>, gid: Option<u32>) -> Wanted {
        Wanted { device: device.map(str::to_owned), port, gid }
    }

    #[test]
    fn default_is_the_only_device_and_its_ipv4_gid() {
        let chosen = Wanted::default().choose(&[device("a")]).unwrap();
        assert_eq!((chosen.device.as_str(), chosen.port, chosen.mtu.get()), ("a", 2, 1024));
        assert_eq!(chosen.gid.map(|(index, _)| index), Some(3));
        let chosen = wanted(Some("b"), Some(2), Some(0)).choose(&[device("a"), device("b")]);
        let chosen = chosen.unwrap();
        assert_eq!((chosen.device.as_str(), chosen.gid.unwrap().0), ("b", 0));
    }

    #[test]
    fn infiniband_needs_no_global_identifier() {
        let mut device = device("a");
        device.ports[1].link_layer = Some(LinkLayer::InfiniBand);
        assert_eq!(Wanted::default().choose(&[device.clone()]).unwrap().gid, None);
        assert!(wanted(None, None, Some(1)).choose(&[device]).unwrap().gid.is_some());
    }

    #[test]
    fn missing_device_is_reported_with_alternatives() {
        let two = [device("a"), device("b")];
        let bare = {
            let mut bare = device("a");
            bare.ports[1].gids.clear();
            [bare]
        };
        let far = {
            let mut far = device("a");
            far.ports[1].gids[0].index = 256;
            [far]
        };
        let down = {
            let mut down = device("a");
            down.ports.iter_mut().for_each(|port| port.state = Some(PortState::Down));
            [down]
        };
        let cases: [(&[DeviceInfo], Wanted, &str, &str); 9] = [
            (&two, Wanted::default(), "2 RDMA devices", "-d a, -d b"),
            (&two, wanted(Some("c"), None, None), "no RDMA device \"c\"", "-d a, -d b"),
            (&two[..1], wanted(None, Some(1), None), "port 1 of a is down", "-i 2"),
            (&two[..1], wanted(None, Some(3), None), "a has no port 3", "-i 2"),
            (&two[..1], wanted(None, None, Some(7)), "at index 7", "-x 0, -x 1, -x 3"),
            (&bare, Wanted::default(), "Ethernet needs one", "an address"),
            (&bare, wanted(None, None, Some(0)), "at index 0", "no GID is set"),
            (&far, wanted(None, None, Some(256)), "-x 256", "0 to 255"),
            (&down, Wanted::default(), "no port of a is active", "`bandwise devices`"),
        ];
        for (devices, wanted, message, allowed) in cases {
            let error = wanted.choose(devices).unwrap_err();
            assert!(error.message.contains(message), "{error}");
            assert!(error.allowed.contains(allowed), "{error}");
        }
    }
}
