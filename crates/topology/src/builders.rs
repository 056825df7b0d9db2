//! Builders of common topologies. Hosts are named `h0`, `h1`, … and numbered first. All cables have
//! the same rate and delay. Ports are used from 1.

use crate::{Fabric, FabricBuilder, FabricError, MAX_NODES, MAX_PORTS, NodeId, Port};
use bandwise_units::{BitRate, Time};

/// Returns two hosts, `h0` and `h1`, with a cable between them.
///
/// # Errors
///
/// Returns a [`FabricError`] if the rate or the delay is out of range.
pub fn back_to_back(rate: BitRate, delay: Time) -> Result<Fabric, FabricError> {
    let mut shape = Shape::new(2, rate, delay)?;
    let [a, b] = [shape.host(0), shape.host(1)];
    shape.builder.connect(a, b, rate, delay)?;
    shape.builder.build()
}

/// Returns `hosts` hosts (1 to [`MAX_PORTS`]) at one switch named `switch`. Host `h0` is at port 1,
/// and so on.
///
/// # Errors
///
/// Returns a [`FabricError`] if a size, the rate or the delay is out of range.
pub fn single_switch(hosts: u16, rate: BitRate, delay: Time) -> Result<Fabric, FabricError> {
    let ports = size("the number of hosts", hosts, MAX_PORTS)?;
    let mut shape = Shape::new(u32::from(hosts), rate, delay)?;
    let switch = shape.builder.add_switch("switch", ports)?;
    for i in 0..ports {
        shape.cable(shape.host(u32::from(i)), switch, i + 1)?;
    }
    shape.builder.build()
}

/// Returns a three-level fat tree of switches with `k` ports (even, 2 to 62). It has k³/4 hosts, k
/// pods of k/2 `edge` and k/2 `agg` switches, and k²/4 `core` switches.
///
/// Switch `edgeP.I` or `aggP.I` is the Ith of pod P. Switch `coreA.I` is the Ith that is connected
/// to the Ath `agg` switch of each pod. Ports 1 to k/2 of `edge` and `agg` lead down, the others
/// up. Port P+1 of a `core` switch leads to pod P.
///
/// # Errors
///
/// Returns a [`FabricError`] if a size, the rate or the delay is out of range.
pub fn fat_tree(k: u16, rate: BitRate, delay: Time) -> Result<Fabric, FabricError> {
    const LARGEST: u16 = 62; // 64 would be more than MAX_NODES nodes
    if !(2..=LARGEST).contains(&k) || !k.is_multiple_of(2) {
        let what = "the number of ports of a fat tree's switches";
        let allowed = format!("an even number from 2 to {LARGEST}");
        return Err(FabricError::Size { what, value: k.into(), allowed });
    }
    let half = k / 2;
    let pod_hosts = u32::from(half) * u32::from(half);
    let mut shape = Shape::new(u32::from(k) * pod_hosts, rate, delay)?;
    let mut level = |name: &str, groups: u16| -> Result<Vec<Vec<NodeId>>, FabricError> {
        let switch =
            |g: u16, i: u16, s: &mut Shape| s.builder.add_switch(format!("{name}{g}.{i}"), k);
        (0..groups).map(|g| (0..half).map(|i| switch(g, i, &mut shape)).collect()).collect()
    };
    let (edge, agg, core) = (level("edge", k)?, level("agg", k)?, level("core", half)?);
    let mut host = 0;
    for pod in 0..k {
        for (&e, i) in edge[usize::from(pod)].iter().zip(0u16..) {
            for down in 1..=half {
                shape.cable(shape.host(host), e, down)?;
                host += 1;
            }
            for (&a, j) in agg[usize::from(pod)].iter().zip(0u16..) {
                shape.cable(Port { node: e, number: half + 1 + j }, a, i + 1)?;
            }
        }
        for (&a, j) in agg[usize::from(pod)].iter().zip(0usize..) {
            for (&c, i) in core[j].iter().zip(0u16..) {
                shape.cable(Port { node: a, number: half + 1 + i }, c, pod + 1)?;
            }
        }
    }
    shape.builder.build()
}

/// Returns a leaf-spine fabric: `leaves` switches named `leaf0`, … with `hosts_per_leaf` hosts
/// each, and a cable from each to each of `spines` switches named `spine0`, …
///
/// The lower ports of a leaf lead to its hosts, the ports after them to the spines. Port L+1 of a
/// spine leads to leaf L. So neither `leaves` nor `spines` + `hosts_per_leaf` exceeds
/// [`MAX_PORTS`], and there are at most [`MAX_NODES`] nodes.
///
/// # Errors
///
/// Returns a [`FabricError`] if a size, the rate or the delay is out of range.
pub fn leaf_spine(
    leaves: u16,
    spines: u16,
    hosts_per_leaf: u16,
    rate: BitRate,
    delay: Time,
) -> Result<Fabric, FabricError> {
    let leaves = size("the number of leaves", leaves, MAX_PORTS)?;
    let spines = size("the number of spines", spines, MAX_PORTS - 1)?;
    let down = size("the number of hosts a leaf", hosts_per_leaf, MAX_PORTS - spines)?;
    let mut shape = Shape::new(u32::from(leaves) * u32::from(down), rate, delay)?;
    let mut leaf_switches = Vec::new();
    for l in 0..leaves {
        leaf_switches.push(shape.builder.add_switch(format!("leaf{l}"), down + spines)?);
    }
    for s in 0..spines {
        let spine = shape.builder.add_switch(format!("spine{s}"), leaves)?;
        for (&leaf, l) in leaf_switches.iter().zip(1u16..) {
            shape.cable(Port { node: leaf, number: down + 1 + s }, spine, l)?;
        }
    }
    for (&leaf, l) in leaf_switches.iter().zip(0u32..) {
        for i in 0..down {
            let host = shape.host(l * u32::from(down) + u32::from(i));
            shape.cable(host, leaf, i + 1)?;
        }
    }
    shape.builder.build()
}

/// Returns top-of-rack switches below `count` directors, all of switches with `k` ports (even, 2 to
/// [`MAX_PORTS`], while there are at most [`MAX_NODES`] nodes). A director has k `leaf` and k/2 `spine` switches, each connected to each. A `tor` has k/2
/// hosts and k/2 cables up, the same number to each director. So `count` divides k/2, there are
/// `count` k `tor` switches and `count` k²/2 hosts, and nothing is oversubscribed.
///
/// With 36 ports and 3 directors, these are the 1,944 hosts and 270 switches of the fat tree of the
/// best known InfiniBand simulator. Names are `tor0`, …, and `leafD.I` and `spineD.I` of director
/// D. Ports 1 to k/2 of `tor` and `leaf` lead down, the others up. The cables of a `tor` go to
/// consecutive `leaf` switches, so that no two share one if there are enough.
///
/// # Errors
///
/// Returns a [`FabricError`] if a size, the rate or the delay is out of range.
pub fn directors(count: u16, k: u16, rate: BitRate, delay: Time) -> Result<Fabric, FabricError> {
    let what = "the number of ports of directors' switches";
    let ports = size(what, k, MAX_PORTS)?;
    if !ports.is_multiple_of(2) {
        let allowed = format!("an even number from 2 to {MAX_PORTS}");
        return Err(FabricError::Size { what, value: k.into(), allowed });
    }
    let half = ports / 2;
    let what = "the number of directors";
    let directors = size(what, count, half)?;
    if !half.is_multiple_of(directors) {
        let allowed = format!("a divisor of {half}, half the ports of a switch");
        return Err(FabricError::Size { what, value: count.into(), allowed });
    }
    let tors = u32::from(directors) * u32::from(ports);
    let hosts = tors * u32::from(half);
    // The number of cables from a top-of-rack switch to one director.
    let up = half / directors;
    let mut shape = Shape::new(hosts, rate, delay)?;
    for t in 0..tors {
        let tor = shape.builder.add_switch(format!("tor{t}"), ports)?;
        for i in 0..half {
            let host = shape.host(t * u32::from(half) + u32::from(i));
            shape.cable(host, tor, i + 1)?;
        }
    }
    for d in 0..directors {
        let mut leaves = Vec::new();
        for l in 0..ports {
            leaves.push(shape.builder.add_switch(format!("leaf{d}.{l}"), ports)?);
        }
        for s in 0..half {
            let spine = shape.builder.add_switch(format!("spine{d}.{s}"), ports)?;
            for (&leaf, l) in leaves.iter().zip(1u16..) {
                shape.cable(Port { node: leaf, number: half + 1 + s }, spine, l)?;
            }
        }
        for cable in 0..tors * u32::from(up) {
            // Top-of-rack switches are numbered after the hosts.
            let node = NodeId(hosts + cable / u32::from(up));
            let number = half + 1 + d * up + (cable % u32::from(up)) as u16;
            let leaf = leaves[(cable % u32::from(ports)) as usize];
            let down = (cable / u32::from(ports)) as u16 + 1;
            shape.cable(Port { node, number }, leaf, down)?;
        }
    }
    shape.builder.build()
}

/// Returns a size from 1 to `most`.
fn size(what: &'static str, value: u16, most: u16) -> Result<u16, FabricError> {
    if (1..=most).contains(&value) {
        return Ok(value);
    }
    Err(FabricError::Size { what, value: value.into(), allowed: format!("1 to {most}") })
}

/// A fabric under construction: its hosts, and the rate and delay of all cables.
struct Shape {
    builder: FabricBuilder,
    rate: BitRate,
    delay: Time,
}

impl Shape {
    fn new(hosts: u32, rate: BitRate, delay: Time) -> Result<Self, FabricError> {
        if hosts as usize >= MAX_NODES {
            return Err(FabricError::TooManyNodes);
        }
        let mut builder = FabricBuilder::new();
        for i in 0..hosts {
            builder.add_host(format!("h{i}"), 1)?;
        }
        Ok(Shape { builder, rate, delay })
    }

    /// Returns the port of the `i`th host. Hosts are added first, so node number and rank are
    /// equal.
    fn host(&self, i: u32) -> Port {
        Port { node: NodeId(i), number: 1 }
    }

    fn cable(&mut self, from: Port, node: NodeId, number: u16) -> Result<(), FabricError> {
        self.builder.connect(from, Port { node, number }, self.rate, self.delay)
    }
}
