//! Files of batch systems, switches and drawing tools.

use super::kind::{Foreign, NEEDS_CABLES};

/// The kinds of files, the more specific before the less specific.
pub(super) const KNOWN: &[Foreign] = &[
    Foreign {
        name: "Slurm's `topology.conf`",
        remedy: NEEDS_CABLES,
        matches: |head| {
            // Slurm ignores case.
            let starts = ["switchname=", "blockname="];
            head.lines.iter().any(|line| starts.iter().any(|s| line.to_lowercase().starts_with(s)))
        },
    },
    Foreign {
        name: "Slurm's `topology.yaml`",
        remedy: NEEDS_CABLES,
        matches: |head| {
            head.begins_with(&["- topology:"]) && head.begins_with(&["tree:", "block:", "flat:"])
        },
    },
    Foreign {
        name: "a configuration of SONiC (`config_db.json`)",
        remedy: "a scenario of kind = \"ethernet\": SCHEDULER weights as [switch] schedule = { \
                 weights = [20, 80] } and its type STRICT as strict = [6] beside them, with as many \
                 classes as queues, PORT_QOS_MAP pfc_enable as [switch] lossless = [3, 4], \
                 BUFFER_POOL size as [switch] buffer = \"32 MB\" with queues = \"output\", \
                 BUFFER_PROFILE xoff as [switch] pfc = { headroom = \"300 KB\" } and dynamic_th as \
                 [switch] alpha = 2^dynamic_th, WRED_PROFILE as [congestion-control] ecn = { kmin = \
                 \"400 KB\", kmax = \"2 MB\", pmax = 0.05 }, which is 5 percent there, PORT speed as \
                 the rate of [fabric] link or of a [[fabric.cable]], and CABLE_LENGTH as its delay, \
                 5 ns a metre",
        matches: |head| {
            const TABLES: [&str; 8] = [
                "\"SCHEDULER\"",
                "\"WRED_PROFILE\"",
                "\"PORT_QOS_MAP\"",
                "\"BUFFER_PROFILE\"",
                "\"BUFFER_POOL\"",
                "\"DEVICE_METADATA\"",
                "\"TC_TO_QUEUE_MAP\"",
                "\"DSCP_TO_TC_MAP\"",
            ];
            let ports = head.contains(&["\"PORT\""]) && head.contains(&["\"Ethernet0\""]);
            head.line(0).starts_with('{') && (head.contains(&TABLES) || ports)
        },
    },
    Foreign {
        name: "a graph in the language of Graphviz",
        remedy: "a fabric with rates: the output of `ibnetdiscover`, or TOML with a [fabric] table",
        matches: |head| {
            head.begins_with(&["graph ", "digraph ", "strict graph ", "strict digraph "])
                && head.contains(&["{"])
        },
    },
    Foreign {
        name: "the settings of an adapter's port, as `mlnx_qos` prints them",
        remedy: "a scenario of kind = \"ethernet\": the priorities with PFC as [switch] lossless = [3], \
                 the percentages of ETS as [switch] schedule = { weights = [20, 80] }",
        matches: |head| head.begins_with(&["DCBX mode:", "Priority trust state:"]),
    },
];
