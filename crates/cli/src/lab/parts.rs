//! [`Lab`]: what a lab consists of, and what its parts are called.

use bandwise_enforce::htb::{Layout, Marks, Unfit};
use bandwise_enforce::tc::{LinuxTc, Namespaces, TcPort};
use bandwise_saba::Share;
use bandwise_saba::controller::PortId;
use bandwise_units::{BitRate, Bytes};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU8;

/// What a lab consists of: hosts, called `h1` and so on, and a switch that each has a link to.
///
/// The switch is a bridge: it forwards by Ethernet address, as switches of a rack do, leaves packets as they
/// are (a router would count down their time to live), and all hosts are in one network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lab {
    /// Its name.
    pub name: String,
    /// How many hosts it has.
    pub hosts: u8,
    /// What each link carries each way, in bits a second.
    pub rate_bps: u64,
    /// The part of each link that is for packets without a mark.
    pub others: f64,
}

/// How many queues each port has for marked packets; as many as Ethernet has priorities (IEEE 802.1Q).
pub const QUEUES: NonZeroU8 = NonZeroU8::new(8).expect("8");
/// What the switch is called.
pub const SWITCH: &str = "switch";
/// The bridge in the switch's namespace.
pub const BRIDGE: &str = "br0";
/// A host's end of its link.
pub const DEVICE: &str = "eth0";
/// An Ethernet frame of 1500 bytes and its header: hosts are told to hand over packets one by one.
const FRAME: Bytes = Bytes::new(1514);

impl Lab {
    /// The hosts' names.
    pub fn host_names(&self) -> impl Iterator<Item = String> + use<> {
        (1..=self.hosts).map(|i| format!("h{i}"))
    }

    /// Hosts and switch.
    pub fn nodes(&self) -> impl Iterator<Item = String> + use<> {
        self.host_names().chain([SWITCH.to_owned()])
    }

    /// The namespace of a host or of the switch.
    pub fn namespace(&self, node: &str) -> String {
        format!("bandwise-{}-{node}", self.name)
    }

    /// The address of the host with this number, from 1.
    pub fn address(number: u8) -> String {
        format!("10.0.0.{number}")
    }

    /// Which address is which host's.
    pub fn addresses(&self) -> impl Iterator<Item = (Box<str>, Box<str>)> + use<> {
        let host = |(number, name): (u8, String)| (Lab::address(number).into(), name.into());
        (1..).zip(self.host_names().collect::<Vec<_>>()).map(host)
    }

    /// The rate of each link, as `tc` prints it.
    pub fn rate(&self) -> Result<BitRate, Unfit> {
        Ok(self.layout()?.link())
    }

    fn layout(&self) -> Result<Layout, Unfit> {
        let others = Share::try_from(self.others).unwrap_or(Share::ALL);
        Layout::new(BitRate::from_bps(self.rate_bps), others, QUEUES, FRAME)
    }

    /// All ports, where marks are given by hand: the number of a level is its mark.
    pub fn switches(&self) -> Result<LinuxTc, Unfit> {
        self.switches_with(Marks::by_number())
    }

    /// All ports: that of each host, and then that of the switch to each. Packets of levels carry these marks.
    pub fn switches_with(&self, marks: Marks) -> Result<LinuxTc, Unfit> {
        let layout = self.layout()?;
        let port = |from: &str, to: &str, device: &str| TcPort {
            name: format!("{from} to {to}"),
            from: from.to_owned(),
            to: to.to_owned(),
            namespace: Some(self.namespace(from)),
            device: device.to_owned(),
            layout: layout.clone(),
            keeps_rate: true,
        };
        let up = self.host_names().map(|host| port(&host, SWITCH, DEVICE));
        let down = self.host_names().map(|host| port(SWITCH, &host, &host));
        Ok(LinuxTc::new(up.chain(down).collect(), marks, Namespaces::default()))
    }

    /// The switch's port to the host with this number, from 1.
    pub fn port_to(&self, number: u8) -> PortId {
        PortId(u64::from(self.hosts) + u64::from(number) - 1)
    }

    /// The number of a host, from 1, by its name.
    pub fn number(&self, host: &str) -> Option<u8> {
        (1..).zip(self.host_names()).find(|(_, name)| name == host).map(|(number, _)| number)
    }

    /// What `ip` is told in the switch's namespace.
    pub fn switch_lines(&self) -> Vec<String> {
        let mut lines = vec![
            // Nothing but one switch, so no loops to look for, and ports forward at once.
            format!("link add {BRIDGE} type bridge stp_state 0 mcast_snooping 0"),
            format!("link set dev {BRIDGE} up"),
        ];
        for host in self.host_names() {
            let there = self.namespace(&host);
            lines.push(format!(
                "link add {host} txqueuelen {PACKETS} type veth peer name {DEVICE} txqueuelen {PACKETS} netns {there}"
            ));
            lines.push(format!("link set dev {host} master {BRIDGE} up"));
        }
        lines
    }

    /// What `ip` is told in the namespace of the host with this number, from 1.
    pub fn host_lines(number: u8) -> Vec<String> {
        vec![
            "link set dev lo up".to_owned(),
            format!("address add {}/24 dev {DEVICE}", Lab::address(number)),
            // Packets of the link's size, as queues of a switch see them, and not 64 KB at a time.
            format!("link set dev {DEVICE} gso_max_segs 1 up"),
        ]
    }
}

/// How many packets a queue holds. A switch has some hundred KB for a port; the default, 1000 packets, would
/// keep a flow of 50 Mbit/s waiting for a quarter of a second.
const PACKETS: u32 = 100;
