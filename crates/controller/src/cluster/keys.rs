//! [`Keys`]: the layout of keys in etcd.

use crate::core::{Change, ClientId, Group};
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};

/// Keys under a prefix.
#[derive(Debug, Clone)]
pub struct Keys(String);

/// The meaning of a key.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Key {
    Head,
    Rules,
    /// A record, as the change that removes it.
    Record(Change),
    /// A record that this version does not know.
    UnknownRecord,
    Written(Group),
    Instance(Group),
    Holder(Group),
}

impl Keys {
    /// Returns the keys under a prefix. A trailing slash is added.
    pub fn under(prefix: &str) -> Self {
        Keys(format!("{}/", prefix.trim_end_matches('/')))
    }

    /// Returns the prefix of all keys.
    pub fn prefix(&self) -> &str {
        &self.0
    }

    pub(super) fn head(&self) -> String {
        format!("{}head", self.0)
    }

    pub(super) fn rules(&self) -> String {
        format!("{}rules", self.0)
    }

    pub(super) fn written(&self, instance: &Group) -> String {
        format!("{}written/{instance}", self.0)
    }

    pub(super) fn instance(&self, instance: &Group) -> String {
        format!("{}instance/{instance}", self.0)
    }

    pub(super) fn holder(&self, group: &Group) -> String {
        format!("{}holder/{group}", self.0)
    }

    /// Returns the keys of the head, of live controllers and of holders, each with true if it is a prefix.
    pub(super) fn of_controllers(&self) -> [(String, bool); 3] {
        let Keys(prefix) = self;
        [
            (self.head(), false),
            (format!("{prefix}instance/"), true),
            (format!("{prefix}holder/"), true),
        ]
    }

    /// Returns the key of a record. Numbers are padded to equal length, so that listings are in numeric order.
    pub(super) fn record(&self, change: &Change) -> String {
        let name = match change {
            Change::Next(_) => "next".to_owned(),
            Change::Client(id, _) => format!("client/{:020}", id.0),
            Change::Answered(id, number, _) => format!("answered/{:020}/{number:020}", id.0),
            Change::Application(id, _) => format!("application/{:020}", id.0),
            Change::Connection(id, _) => format!("connection/{:020}", id.0),
            Change::Drained(port, _) => format!("drained/{:020}", port.0),
        };
        format!("{}record/{name}", self.0)
    }

    /// Returns the meaning of a key, or `None` for a key of another program.
    pub(super) fn read(&self, name: &[u8]) -> Option<Key> {
        let rest = std::str::from_utf8(name).ok()?.strip_prefix(&self.0)?;
        let parts: Vec<&str> = rest.split('/').collect();
        Some(match parts[..] {
            ["head"] => Key::Head,
            ["rules"] => Key::Rules,
            ["written", name] => Key::Written(name.into()),
            ["instance", name] => Key::Instance(name.into()),
            ["holder", name] => Key::Holder(name.into()),
            ["record", ref of @ ..] => record(of).map_or(Key::UnknownRecord, Key::Record),
            _ => return None,
        })
    }
}

/// Returns the change that removes the record with a key of these parts.
fn record(parts: &[&str]) -> Option<Change> {
    let number = |text: &str| text.parse::<u64>().ok();
    Some(match *parts {
        // This record is never removed.
        ["next"] => Change::Next(Default::default()),
        ["client", id] => Change::Client(ClientId(number(id)?), None),
        ["answered", id, of] => Change::Answered(ClientId(number(id)?), number(of)?, None),
        ["application", id] => Change::Application(ApplicationId(number(id)?), None),
        ["connection", id] => Change::Connection(ConnectionId(number(id)?), None),
        ["drained", port] => Change::Drained(PortId(number(port)?), false),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_round_trip() {
        let keys = Keys::under("/saba/");
        let all = [
            Change::Next(Default::default()),
            Change::Client(ClientId(u64::MAX), None),
            Change::Answered(ClientId(1), 2, None),
            Change::Application(ApplicationId(3), None),
            Change::Connection(ConnectionId(4), None),
            Change::Drained(PortId(5), false),
        ];
        for change in all {
            let read = keys.read(keys.record(&change).as_bytes());
            assert_eq!(read, Some(Key::Record(change)));
        }
        let group = Group::from("a");
        assert_eq!(keys.read(keys.holder(&group).as_bytes()), Some(Key::Holder(group.clone())));
        assert_eq!(keys.read(keys.instance(&group).as_bytes()), Some(Key::Instance(group.clone())));
        assert_eq!(keys.read(keys.written(&group).as_bytes()), Some(Key::Written(group)));
        assert_eq!(keys.read(keys.head().as_bytes()), Some(Key::Head));
        assert_eq!(keys.read(keys.rules().as_bytes()), Some(Key::Rules));
        for unknown in ["/saba/record/client/x", "/saba/record/quota/1", "/saba/record"] {
            assert_eq!(keys.read(unknown.as_bytes()), Some(Key::UnknownRecord));
        }
        for none in ["/sabb/head", "/saba/records", "/saba/"] {
            assert_eq!(keys.read(none.as_bytes()), None);
        }
    }
}
