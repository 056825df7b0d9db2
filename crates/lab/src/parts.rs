//! [`Lab`]: the parts of a lab and their names.

use bandwise_enforce::htb::{Layout, Marks, Unfit};
use bandwise_enforce::tc::{LinuxTc, Namespaces, TcPort};
use bandwise_saba::Share;
use bandwise_saba::controller::PortId;
use bandwise_units::{BitRate, Bytes};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU8;

/// The description of a lab: hosts `h1`, `h2` and so on, each with a link to one switch.
///
/// The switch is a bridge. It forwards by Ethernet address, as a top-of-rack switch does, and does
/// not change packets; a router would decrement the time to live. All hosts are in one subnet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lab {
    /// Name of the lab.
    pub name: String,
    /// Number of hosts, from 2.
    pub hosts: u8,
    /// Rate of each link in each direction, in bits per second.
    pub rate_bps: u64,
    /// Fraction of each link reserved for packets without a mark.
    pub others: f64,
}

/// The number of queues that a port has for marked packets: that of Ethernet priorities (IEEE
/// 802.1Q).
pub const QUEUES: NonZeroU8 = NonZeroU8::new(8).expect("8");
/// The name of the switch.
pub const SWITCH: &str = "switch";
/// The bridge in the switch's namespace.
const BRIDGE: &str = "br0";
/// The network device of a host.
const DEVICE: &str = "eth0";
/// The size of the largest frame: 1500 bytes and the Ethernet header. Hosts send without
/// segmentation offload.
const FRAME: Bytes = Bytes::new(1514);

impl Lab {
    /// Returns the names of the hosts.
    pub fn host_names(&self) -> impl Iterator<Item = String> + use<> {
        (1..=self.hosts).map(|i| format!("h{i}"))
    }

    /// Returns the names of the hosts, then that of the switch.
    pub fn nodes(&self) -> impl Iterator<Item = String> + use<> {
        self.host_names().chain([SWITCH.to_owned()])
    }

    /// Returns the name of the namespace of a host or of the switch.
    pub fn namespace(&self, node: &str) -> String {
        format!("bandwise-{}-{node}", self.name)
    }

    /// Returns the IPv4 address of a host, numbered from 1.
    pub fn address(number: u8) -> String {
        format!("10.0.0.{number}")
    }

    /// Returns the address and the name of each host.
    pub fn addresses(&self) -> impl Iterator<Item = (Box<str>, Box<str>)> + use<> {
        let host = |(number, name): (u8, String)| (Lab::address(number).into(), name.into());
        (1..).zip(self.host_names().collect::<Vec<_>>()).map(host)
    }

    /// Returns the rate of each link, as `tc` prints it.
    ///
    /// # Errors
    ///
    /// Returns [`Unfit`] if HTB can't share a link of this rate.
    pub fn rate(&self) -> Result<BitRate, Unfit> {
        Ok(self.layout()?.link())
    }

    fn layout(&self) -> Result<Layout, Unfit> {
        let others = Share::try_from(self.others).unwrap_or(Share::ALL);
        Layout::new(BitRate::from_bps(self.rate_bps), others, QUEUES, FRAME)
    }

    /// Returns all ports with hand-assigned marks: the number of a priority level is its DSCP.
    ///
    /// # Errors
    ///
    /// Returns [`Unfit`] if HTB can't share links of this rate.
    pub fn switches(&self) -> Result<LinuxTc, Unfit> {
        self.switches_with(Marks::by_number())
    }

    /// Returns all ports: that of each host, then that of the switch to each host. `marks` maps
    /// priority levels to DSCPs.
    ///
    /// # Errors
    ///
    /// Returns [`Unfit`] if HTB can't share links of this rate.
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

    /// Returns the switch's port to a host, numbered from 1.
    pub fn port_to(&self, number: u8) -> PortId {
        PortId(u64::from(self.hosts) + u64::from(number) - 1)
    }

    /// Returns the number of a host, from 1; `None` if the lab has no host of that name.
    pub fn number(&self, host: &str) -> Option<u8> {
        (1..).zip(self.host_names()).find(|(_, name)| name == host).map(|(number, _)| number)
    }

    /// Returns the `ip` commands that configure the switch's namespace.
    pub(crate) fn switch_lines(&self) -> Vec<String> {
        let mut lines = vec![
            // A single switch has no loops: without spanning tree, ports forward at once.
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

    /// Returns the `ip` commands that configure the namespace of a host, numbered from 1.
    pub(crate) fn host_lines(number: u8) -> Vec<String> {
        vec![
            "link set dev lo up".to_owned(),
            format!("address add {}/24 dev {DEVICE}", Lab::address(number)),
            // One packet at a time, as queues of a switch see them, instead of 64 KB of segments.
            format!("link set dev {DEVICE} gso_max_segs 1 up"),
        ]
    }
}

/// The capacity of a queue in packets, near the few hundred KB that a switch has for a port. The
/// default of 1000 packets would delay a flow of 50 Mbit/s by a quarter of a second.
const PACKETS: u32 = 100;
