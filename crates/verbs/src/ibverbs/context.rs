//! [`Context`]: an open device. It contains unsafe calls of libibverbs.

#![allow(unsafe_code)]

use super::device_event::DeviceEvent;
use super::gid::{GidInfo, GidKind};
use super::port::{self, LinkLayer, PortInfo, PortState};
use super::stamps::Stamps;
use super::{DeviceInfo, NoDevices};
use bandwise_session::Gid;
use rdma_mummy_sys as sys;
use std::ffi::CStr;
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::os::fd::BorrowedFd;
use std::ptr::{NonNull, null};

/// The list of devices.
struct List {
    first: NonNull<*mut sys::ibv_device>,
    count: usize,
}

impl List {
    fn get() -> Result<List, NoDevices> {
        let mut count = 0;
        // SAFETY: the library writes to `count`, and returns a list of `count` devices or null.
        let first = unsafe { sys::ibv_get_device_list(&mut count) };
        match NonNull::new(first) {
            Some(first) => Ok(List { first, count: count.max(0) as usize }),
            None => Err(NoDevices::of_list(io::Error::last_os_error())),
        }
    }

    fn devices(&self) -> &[*mut sys::ibv_device] {
        // SAFETY: the list has `count` entries and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: the list came from `ibv_get_device_list` and is freed once.
        unsafe { sys::ibv_free_device_list(self.first.as_ptr()) }
    }
}

/// An open device.
pub(super) struct Context {
    name: String,
    context: NonNull<sys::ibv_context>,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the device is open, and is closed once.
        unsafe { sys::ibv_close_device(self.context.as_ptr()) };
    }
}

/// Returns all devices.
pub(super) fn look() -> Result<Vec<DeviceInfo>, NoDevices> {
    let list = List::get()?;
    if list.devices().is_empty() {
        return Err(NoDevices::None);
    }
    list.devices().iter().map(|&device| Context::open(device)?.info()).collect()
}

impl Context {
    /// Opens the device with this name.
    pub(super) fn of_name(name: &str) -> Result<Context, NoDevices> {
        let list = List::get()?;
        // SAFETY: the list of the devices is alive, and so are their names, which end with a zero.
        let has_name = |&&device: &&*mut sys::ibv_device| unsafe {
            CStr::from_ptr(sys::ibv_get_device_name(device)).to_bytes() == name.as_bytes()
        };
        match list.devices().iter().find(has_name) {
            Some(&device) => Context::open(device),
            None => Err(NoDevices::Device {
                device: name.to_owned(),
                what: "is gone",
                error: io::ErrorKind::NotFound.into(),
            }),
        }
    }

    /// Returns the name of the device.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the library's handle, which is valid as long as this value lives.
    pub(super) fn as_ptr(&self) -> *mut sys::ibv_context {
        self.context.as_ptr()
    }

    /// Returns a descriptor that is readable when the device has an event.
    pub(super) fn events(&self) -> BorrowedFd<'_> {
        // SAFETY: the device and its descriptor are open as long as `self` lives.
        unsafe { BorrowedFd::borrow_raw(self.context.as_ref().async_fd) }
    }

    /// Returns the next event of the device and its port; `None` if there is none.
    pub(super) fn next_event(&self) -> Option<(DeviceEvent, i32)> {
        let mut event = MaybeUninit::<sys::ibv_async_event>::zeroed();
        // SAFETY: the device is open. A returned event is written completely and acknowledged once.
        // Its code is read as a number, because the library may know codes that the enum lacks.
        unsafe {
            if sys::ibv_get_async_event(self.context.as_ptr(), event.as_mut_ptr()) != 0 {
                return None;
            }
            let at = event.as_mut_ptr();
            let code = (&raw const (*at).event_type).cast::<u32>().read();
            let port = (&raw const (*at).element).cast::<i32>().read();
            sys::ibv_ack_async_event(at);
            Some((DeviceEvent(code), port))
        }
    }

    /// Opens a device. Its list must be alive.
    fn open(device: *mut sys::ibv_device) -> Result<Context, NoDevices> {
        // SAFETY: the list of the device is alive, and so is the name, which ends with a zero.
        let name = unsafe { CStr::from_ptr(sys::ibv_get_device_name(device)) };
        let name = name.to_string_lossy().into_owned();
        // SAFETY: the list of the device is alive.
        match NonNull::new(unsafe { sys::ibv_open_device(device) }) {
            Some(context) => {
                let context = Context { name, context };
                rustix::io::ioctl_fionbio(context.events(), true).map_err(|error| {
                    let (device, what) = (context.name.clone(), "its events can't be read");
                    NoDevices::Device { device, what, error: error.into() }
                })?;
                Ok(context)
            }
            None => {
                let (device, error) = (name, io::Error::last_os_error());
                Err(NoDevices::Device { device, what: "can't be opened", error })
            }
        }
    }

    /// Converts the error number of a call.
    fn check(&self, what: &'static str, code: i32) -> Result<(), NoDevices> {
        if code == 0 {
            return Ok(());
        }
        let error = io::Error::from_raw_os_error(code.abs());
        Err(NoDevices::Device { device: self.name.clone(), what, error })
    }

    fn info(&self) -> Result<DeviceInfo, NoDevices> {
        let device = self.attributes()?;
        let has_timestamps = device.completion_timestamp_mask != 0;
        let device = device.orig_attr;
        let firmware: Vec<u8> =
            device.fw_ver.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
        let gids = self.gids();
        let ports = (1..=device.phys_port_cnt).map(|number| self.port(number, &gids));
        Ok(DeviceInfo {
            ports: ports.collect::<Result<_, _>>()?,
            name: self.name.clone(),
            firmware: String::from_utf8_lossy(&firmware).into_owned(),
            guid: u64::from_be(device.node_guid),
            queue_pairs: device.max_qp.max(0) as u32,
            queue_depth: device.max_qp_wr.max(0) as u32,
            has_timestamps,
        })
    }

    /// Returns the number of READs and atomics that a queue pair can have outstanding, and can
    /// answer.
    pub(super) fn reads(&self) -> Result<u32, NoDevices> {
        let device = self.attributes()?.orig_attr;
        Ok(device.max_qp_init_rd_atom.min(device.max_qp_rd_atom).max(0) as u32)
    }

    /// Returns the conversion of the device's time stamps; `None` if the device has none.
    pub(super) fn stamps(&self) -> Option<Stamps> {
        let device = self.attributes().ok()?;
        Stamps::of(device.completion_timestamp_mask, device.hca_core_clock)
    }

    fn attributes(&self) -> Result<sys::ibv_device_attr_ex, NoDevices> {
        // SAFETY: the struct consists of numbers, for which zero is a valid value; the device is
        // open.
        let (code, device) = unsafe {
            let mut attributes: sys::ibv_device_attr_ex = zeroed();
            let code = sys::ibv_query_device_ex(self.context.as_ptr(), null(), &mut attributes);
            (code, attributes)
        };
        self.check("can't be queried", code)?;
        Ok(device)
    }

    fn port(&self, number: u8, gids: &[(u32, GidInfo)]) -> Result<PortInfo, NoDevices> {
        // SAFETY: the struct consists of numbers, for which zero is a valid value; the device is
        // open.
        let (code, port) = unsafe {
            let mut attributes: sys::ibv_port_attr = zeroed();
            let code = sys::ibv_query_port(self.context.as_ptr(), number, &mut attributes);
            (code, attributes)
        };
        self.check("has a port that can't be queried", code)?;
        let of_port = |(port, _): &&(u32, GidInfo)| *port == u32::from(number);
        // Codes of more than eight bits are in `active_speed_ex`, which old libraries leave 0.
        let speed = port.active_speed_ex.max(u32::from(port.active_speed));
        Ok(PortInfo {
            number,
            state: PortState::from_code(port.state),
            link_layer: LinkLayer::from_code(port.link_layer),
            active_mtu: port::mtu(port.active_mtu),
            max_mtu: port::mtu(port.max_mtu),
            rate: port::rate(port.active_width, speed),
            lid: port.lid,
            gids: gids.iter().filter(of_port).map(|&(_, gid)| gid).collect(),
        })
    }

    /// Returns the GIDs that are set, each with its port; none if the kernel is too old to list them.
    fn gids(&self) -> Vec<(u32, GidInfo)> {
        /// The number of GIDs of a device with several ports and virtual networks.
        const ROOM: usize = 1024;
        // SAFETY: the structs consist of numbers, for which zero is a valid value; the list has
        // room for the given number of entries.
        let (found, entries) = unsafe {
            let mut entries: Vec<sys::ibv_gid_entry> = vec![zeroed(); ROOM];
            let context = self.context.as_ptr();
            (sys::ibv_query_gid_table(context, entries.as_mut_ptr(), ROOM, 0), entries)
        };
        let found = usize::try_from(found).unwrap_or(0).min(ROOM);
        let gid = |entry: &sys::ibv_gid_entry| {
            // SAFETY: a GID is sixteen bytes in each member of the union.
            let gid = Gid(unsafe { entry.gid.raw });
            let kind = GidKind::from_code(entry.gid_type);
            (entry.port_num, GidInfo { index: entry.gid_index, gid, kind })
        };
        entries[..found].iter().map(gid).collect()
    }
}
