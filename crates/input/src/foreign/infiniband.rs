//! Files of InfiniBand's tools.

use super::kind::{Foreign, RUN_IBNETDISCOVER, is_integer};

/// The kinds of files, the more specific before the less specific.
pub(super) const KNOWN: &[Foreign] = &[
    Foreign {
        name: "the output of `ibnetdiscover` with typographic quotes, as word processors make them",
        remedy: "the output as it was printed, with \" around names",
        matches: |head| head.contains(&["\u{201c}S-", "\u{201c}H-"]),
    },
    Foreign {
        name: "the output of `ibnetdiscover` in the source of a web page",
        remedy: "the text of the page",
        matches: |head| head.contains(&["&quot;S-", "&quot;H-", "&#34;S-", "&#34;H-"]),
    },
    Foreign {
        name: "the output of `ibnetdiscover -p`, a list of ports",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| {
            head.lines.iter().any(|line| {
                let words: Vec<&str> = line.split_whitespace().take(4).collect();
                let [kind, lid, port, guid] = words[..] else { return false };
                ["CA", "SW", "RT"].contains(&kind)
                    && is_integer(lid)
                    && is_integer(port)
                    && guid.starts_with("0x")
            })
        },
    },
    Foreign {
        name: "the output of `iblinkinfo`",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| head.contains(&["==( "]) && head.contains(&[")==>"]),
    },
    Foreign {
        name: "a list of InfiniBand nodes, as `ibhosts`, `ibswitches` and `ibnetdiscover -l` print it",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| {
            let node = |line: &str| {
                let kind = ["Ca", "Switch", "Rt"].iter().find_map(|k| line.strip_prefix(k));
                kind.is_some_and(|rest| rest.trim_start().starts_with(": 0x"))
            };
            head.lines.iter().any(|line| node(line))
        },
    },
    Foreign {
        name: "a topology of ibdm (`ibtopodiff`, `ibdmchk`)",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| {
            head.text.lines().any(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                words.get(1).is_some_and(|arrow| {
                    let inner = arrow.strip_prefix('-').and_then(|a| a.strip_suffix("->"));
                    let width = inner.and_then(|inner| inner.split('-').next());
                    let is_port = |word: &str| {
                        word.strip_prefix('P')
                            .is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
                    };
                    let of_ports = *arrow == "->"
                        && words.len() == 5
                        && is_port(words[0])
                        && is_port(words[4]);
                    of_ports || width.is_some_and(|w| w.strip_suffix('x').is_some_and(is_integer))
                })
            })
        },
    },
    Foreign {
        name: "a list of links of ibdiagnet or OpenSM (`subnet.lst`)",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| {
            head.begins_with(&["{ CA", "{ SW", "{ RT", "{ CA-SW"])
                && head.contains(&["SystemGUID:", "PortGUID:"])
        },
    },
    Foreign {
        name: "ibdiagnet's database (`ibdiagnet2.db_csv`)",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| head.contains(&["START_NODES", "START_LINKS"]),
    },
    Foreign {
        name: "ibdiagnet's list of ports (`ibdiagnet2.net_dump`)",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| head.contains(&[": PhysSta"]),
    },
    Foreign {
        name: "the state of one host's adapters, as `ibstat`, `ibstatus` and `ibv_devinfo` print it",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| {
            head.begins_with(&["CA type:", "CA '", "Infiniband device '", "hca_id:"])
                && !head.contains(&["caguid="])
        },
    },
    Foreign {
        name: "forwarding tables of an InfiniBand subnet",
        remedy: "a fabric, which is the output of `ibnetdiscover`; the routes of a subnet manager \
                 are not read, and paths are the shortest ones",
        matches: |head| {
            head.begins_with(&["osm_ucast_mgr_dump_ucast_routes", "LID    : Port"])
                || head.contains(&["Unicast lids [", "Multicast mlids ["])
                || head.contains(&["UCAST_FDBS", "LID : Port"])
        },
    },
    Foreign {
        name: "VL arbitration tables, as `smpquery vlarb` and ibdiagnet print them",
        remedy: "a scenario whose [qos] has these entries as VL:WEIGHT with decimal weights: high \
                 and low, such as low = [\"0:32\", \"1:96\"], and high-limit",
        matches: |head| head.contains(&["VLArbitration tables", "priority VL Arbitration Table"]),
    },
    Foreign {
        name: "SL-to-VL tables, as `smpquery sl2vl` and ibdiagnet print them",
        remedy: "a scenario whose [qos] has the lanes of the service levels 0 to 15 as sl2vl",
        matches: |head| head.contains(&["SL2VL table"]),
    },
    Foreign {
        name: "a report of ibdiagnet (`ibdiagnet2.log`)",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| head.begins_with(&["-I- ", "-W- ", "-E- "]),
    },
    Foreign {
        name: "counters of ports, as `perfquery` and ibdiagnet (`ibdiagnet2.pm`) print them",
        remedy: "a fabric, which is the output of `ibnetdiscover`; counters are not read",
        matches: |head| {
            head.contains(&["# Port counters: ", "# Port extended counters: "])
                || head.contains(&["link_down_counter=", "port_xmit_data="])
        },
    },
    Foreign {
        name: "a description of a system for ibdm (`.ibnl`)",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| {
            head.begins_with(&["TOPSYSTEM ", "SYSTEM "])
                && head.begins_with(&["NODE ", "SUBSYSTEM "])
        },
    },
    Foreign {
        name: "OpenSM's list of partitions (`partitions.conf`)",
        remedy: "a fabric, which is the output of `ibnetdiscover`; partitions limit who reaches whom, \
                 not how fast, and are not read",
        matches: |head| {
            head.lines
                .iter()
                .any(|line| line.contains("=0x") && line.contains(':') && line.ends_with(';'))
        },
    },
    Foreign {
        name: "OpenSM's policy of service levels (`qos-policy.conf`)",
        remedy: "a scenario of kind = \"infiniband\" whose flows name their service level, such as \
                 sl = 1 in a [[flow]]",
        matches: |head| {
            head.begins_with(&["qos-ulps", "qos-levels", "qos-match-rules", "port-groups"])
        },
    },
    Foreign {
        name: "a list of GUIDs of OpenSM, such as `guid2lid` and the file of root GUIDs",
        remedy: RUN_IBNETDISCOVER,
        matches: |head| {
            let is_hex = |word: &&str| {
                let digits = word.strip_prefix("0x").unwrap_or_default();
                !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
            };
            let words = head.words(0);
            let is_guid = words.first().is_some_and(|word| word.len() == 18);
            is_guid && (words.len() == 1 || words.len() == 3) && words.iter().all(is_hex)
        },
    },
    Foreign {
        name: "a configuration of OpenSM",
        remedy: "a scenario of kind = \"infiniband\" that names it: [qos] opensm = \"FILE\"",
        matches: |head| {
            // A dump whose lines were wrapped has some that begin with a key of OpenSM, such as lmc.
            !head.contains(&["guid=0x"])
                && head.text.lines().any(|line| {
                    let mut words = line.split_whitespace();
                    let key = words.next().unwrap_or_default();
                    words.next().is_some_and(|value| value != "=")
                        && (["qos", "subnet_prefix", "routing_engine", "lmc", "m_key"]
                            .contains(&key)
                            || ["qos_", "qos_ca_", "qos_swe_"].iter().any(|p| key.starts_with(p)))
                })
        },
    },
];
