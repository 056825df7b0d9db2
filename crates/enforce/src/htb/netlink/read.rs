//! The configuration of a device, from the kernel's answers.

use super::super::{Class, Filter, HANDLE, OURS, Root, Tree};
use super::answer::Object;
use super::attributes::{Unreadable, find, word};
use super::request::{
    GET_DCB, INIT, KIND, NEW_CLASS, NEW_FILTER, NEW_LINK, NEW_QDISC, OPTIONS, ROOT,
};
use super::{bands, class, filter};
use crate::ets::InHardware;
use std::collections::BTreeMap;

/// IFLA_PHYS_SWITCH_ID: the same for all ports of a switch.
const SWITCH: u16 = 36;
/// TCA_HW_OFFLOAD: 1 if the hardware has taken a qdisc.
const TAKEN: u16 = 12;
/// TCA_CHAIN: filters that only a filter of another chain calls.
const CHAIN: u16 = 11;

/// Returns the identity of the switch whose port a device is, if the switch forwards packets in hardware (switchdev).
///
/// # Errors
///
/// Returns [`Unreadable`] if the device was not reported, or is malformed.
pub fn switch(device: u32, links: &[Object]) -> Result<Option<String>, Unreadable> {
    let is_it = |object: &&Object| (object.kind, object.device) == (NEW_LINK, device);
    let link = links.iter().find(is_it).ok_or_else(|| Unreadable::lacks("the device"))?;
    let identity = find(&link.attributes, SWITCH)?;
    Ok(identity.map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Returns the root of a switch's port, by the number of its device.
///
/// # Errors
///
/// Returns [`Unreadable`] if an object is malformed.
pub fn hardware_root(device: u32, qdiscs: &[Object]) -> Result<InHardware, Unreadable> {
    let other = match root(device, qdiscs)? {
        Root::Kernel => return Ok(InHardware::Kernel),
        Root::Saba(_) => return Ok(InHardware::Htb),
        Root::Other(what) => what,
        Root::Hardware(_) | Root::Bands(_) => unreachable!("a root alone is neither"),
    };
    let is_ours = |object: &&Object| {
        (object.kind, object.device, object.parent) == (NEW_QDISC, device, ROOT)
            && number(object.handle) == HANDLE
    };
    if let Some(root) = qdiscs.iter().find(is_ours)
        && kind(root)? == "ets"
        && let Some(bands) = bands::decode(find(&root.attributes, OPTIONS)?.unwrap_or_default())?
    {
        let is_taken = find(&root.attributes, TAKEN)?.is_some_and(|taken| taken == [1]);
        return Ok(InHardware::Bands { bands, is_taken });
    }
    Ok(InHardware::Other(other))
}

/// Returns the priority of each DSCP that has one at a device.
///
/// # Errors
///
/// Returns [`Unreadable`] if nothing was reported, or an object is malformed.
pub fn priorities(reported: &[Object]) -> Result<BTreeMap<u8, u8>, Unreadable> {
    let is_it = |object: &&Object| object.kind == GET_DCB;
    let found = reported.iter().find(is_it).ok_or_else(|| Unreadable::lacks("priorities"))?;
    bands::priorities(&found.attributes)
}

/// Returns the root of a device, by its number. Classes and filters of Saba's tree are not filled in.
///
/// # Errors
///
/// Returns [`Unreadable`] if an object is malformed.
pub fn root(device: u32, qdiscs: &[Object]) -> Result<Root, Unreadable> {
    let is_root =
        |object: &&Object| (object.kind, object.device, object.parent) == (NEW_QDISC, device, ROOT);
    let Some(root) = qdiscs.iter().find(is_root) else {
        return Err(Unreadable("it has no root qdisc; the device may be down".into()));
    };
    let kind = kind(root)?;
    match (&*kind, number(root.handle)) {
        (_, 0) => Ok(Root::Kernel),
        ("htb", HANDLE) => {
            let options = find(&root.attributes, OPTIONS)?.unwrap_or_default();
            let glob = find(options, INIT)?.unwrap_or_default();
            let default = word(glob, 8).ok_or_else(|| Unreadable::lacks("a default class"))?;
            // Any other number is no class of Saba; 0 marks it.
            let default = u16::try_from(default).unwrap_or(0);
            Ok(Root::Saba(Tree { default, ..Tree::default() }))
        }
        (kind, handle) => Ok(Root::Other(format!("qdisc {kind} {handle:x}:"))),
    }
}

/// Adds the classes of Saba's root, out of all classes of the device.
///
/// # Errors
///
/// Returns [`Unreadable`] if an object is malformed.
pub fn classes(tree: &mut Tree, classes: &[Object]) -> Result<(), Unreadable> {
    for object in classes {
        let Some(number) = minor(object.handle).filter(|number| OURS.contains(number)) else {
            continue;
        };
        if object.kind != NEW_CLASS || kind(object)? != "htb" {
            continue;
        }
        let options = find(&object.attributes, OPTIONS)?;
        let options = options.ok_or_else(|| Unreadable::lacks("what a class of HTB has"))?;
        // The parent of the first class is the root itself.
        let parent = minor(object.parent).filter(|_| object.parent != ROOT);
        tree.classes.insert(number, Class { parent, ..class::decode(options)? });
    }
    Ok(())
}

/// Adds Saba's filters, out of all filters at the root.
///
/// # Errors
///
/// Returns [`Unreadable`] if an object is malformed.
pub fn filters(tree: &mut Tree, filters: &[Object]) -> Result<(), Unreadable> {
    for object in filters {
        let (table, bucket, node) = filter::parts(object.handle);
        let Some(family) = filter::family(object.info) else { continue };
        // A filter without a number is a table.
        if object.kind != NEW_FILTER || node == 0 || kind(object)? != "u32" {
            continue;
        }
        let chain = find(&object.attributes, CHAIN)?.and_then(|value| word(value, 0));
        if chain.is_some_and(|chain| chain != 0) {
            continue;
        }
        if bucket != 0 {
            return Err(Unreadable(format!("filter {table:x}:{bucket:x}:{node:x} is in a bucket")));
        }
        let options = find(&object.attributes, OPTIONS)?.unwrap_or_default();
        let (dscp, class) = filter::decode(family, options)?;
        let class = minor(class).unwrap_or(0);
        tree.tables.insert(family, table);
        tree.filters.insert((family, node), Filter { dscp, class });
    }
    Ok(())
}

/// Returns the kernel's name of the kind: `htb`, `u32`.
fn kind(object: &Object) -> Result<String, Unreadable> {
    let kind = find(&object.attributes, KIND)?.ok_or_else(|| Unreadable::lacks("a kind"))?;
    Ok(String::from_utf8_lossy(kind.strip_suffix(b"\0").unwrap_or(kind)).into_owned())
}

/// Returns the number of a root.
const fn number(handle: u32) -> u16 {
    (handle >> 16) as u16
}

/// Returns the minor number of a class of Saba.
fn minor(handle: u32) -> Option<u16> {
    (number(handle) == HANDLE).then_some(handle as u16)
}
