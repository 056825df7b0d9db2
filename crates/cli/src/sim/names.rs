//! Names that tables and JSON share.

use bandwise_scenario::ethernet::Group;

/// Returns the name of a group of flows.
pub(super) fn group(group: Group) -> String {
    let size = |bytes: u64| match bytes {
        bytes if bytes.is_multiple_of(1_000_000) => format!("{} MB", bytes / 1_000_000),
        bytes if bytes.is_multiple_of(1_000) => format!("{} kB", bytes / 1_000),
        bytes => format!("{bytes} B"),
    };
    match group {
        Group::All => "all flows".to_owned(),
        Group::SinglePacket => "single packet".to_owned(),
        Group::UpTo(most) => format!("up to {}", size(most.get())),
        Group::Larger(than) => format!("above {}", size(than.get())),
    }
}

/// Returns thousandths as percent.
pub(super) fn percent(thousandths: u32) -> String {
    match thousandths % 10 {
        0 => format!("{}", thousandths / 10),
        rest => format!("{}.{rest}", thousandths / 10),
    }
}
