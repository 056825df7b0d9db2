//! The pattern of a stage: a name, or a name with a number.

use bandwise_workload::job::Pattern;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// A pattern as a document states it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatternKey(pub(super) Pattern);

const EXAMPLE: &str = "\"shuffle\", \"broadcast\", \"chain\", \"ring-all-reduce\", \"tree-all-reduce\", \
                       { partition-aggregate = 1 }, { parameter-server = 1 } or \
                       { bulk-synchronous = 2 }";

impl<'de> Deserialize<'de> for PatternKey {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = PatternKey;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(EXAMPLE)
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<PatternKey, E> {
                let pattern = match name {
                    "shuffle" => Pattern::Shuffle,
                    "broadcast" => Pattern::Broadcast,
                    "chain" => Pattern::Chain,
                    "ring-all-reduce" => Pattern::RingAllReduce,
                    "tree-all-reduce" => Pattern::TreeAllReduce,
                    _ => return Err(unknown(name)),
                };
                Ok(PatternKey(pattern))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PatternKey, A::Error> {
                let Some((name, count)) = map.next_entry::<String, u32>()? else {
                    return Err(A::Error::custom(format_args!("no pattern; expected {EXAMPLE}")));
                };
                if count == 0 {
                    let what = format_args!("{name} = 0; expected 1 or more");
                    return Err(A::Error::custom(what));
                }
                let pattern = match name.as_str() {
                    "partition-aggregate" => Pattern::PartitionAggregate { aggregators: count },
                    "parameter-server" => Pattern::ParameterServer { servers: count },
                    "bulk-synchronous" => Pattern::BulkSynchronous { neighbours: count },
                    _ => return Err(unknown(&name)),
                };
                match map.next_key::<String>()? {
                    None => Ok(PatternKey(pattern)),
                    Some(_) => {
                        let what = format_args!("two patterns; expected one such as {EXAMPLE}");
                        Err(A::Error::custom(what))
                    }
                }
            }
        }
        d.deserialize_any(Either)
    }
}

fn unknown<E: Error>(name: &str) -> E {
    E::custom(format_args!("unknown pattern {name:?}; expected {EXAMPLE}"))
}
