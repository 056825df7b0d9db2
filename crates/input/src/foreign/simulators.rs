//! Files of other simulators.

use super::kind::{Foreign, is_integer, is_number};

/// Returns whether words are a cable of ns-3's RDMA simulators, such as `0 65 100Gbps 0.001ms 0`.
fn is_ns3_cable(words: &[&str]) -> bool {
    let [from, to, rate, delay, _errors] = words else { return false };
    let has_unit = |word: &str, units: &[&str]| {
        units.iter().any(|unit| word.strip_suffix(unit).is_some_and(is_number))
    };
    is_integer(from)
        && is_integer(to)
        && has_unit(rate, &["Gbps", "Mbps", "Kbps", "bps"])
        && has_unit(delay, &["ns", "us", "ms", "s"])
}

/// The kinds of files, the more specific before the less specific.
pub(super) const KNOWN: &[Foreign] = &[
    Foreign {
        name: "a topology of SimAI",
        remedy: "a TOML file with [fabric]; its lines after the second are cables: \
                 [[fabric.cable]] from, to, rate, delay",
        matches: |head| {
            let first = head.words(0);
            let [numbers @ .., kind] = &first[..] else { return false };
            numbers.len() == 5
                && numbers.iter().all(|n| is_integer(n))
                && !is_integer(kind)
                && is_ns3_cable(&head.words(2))
        },
    },
    Foreign {
        name: "a topology of ns-3's RDMA simulators (HPCC, ConWeave): nodes, switches and links in \
               the first line",
        remedy: "a TOML file with [fabric]; its lines after the second are cables: \
                 [[fabric.cable]] from, to, rate, delay",
        matches: |head| head.is_integers(0, 3) && is_ns3_cable(&head.words(2)),
    },
    Foreign {
        name: "a flow file of ns-3's RDMA simulators (HPCC, ConWeave, SimAI)",
        remedy: "a flow list with the header start_ns,src,dst,bytes: the last column of this file \
                 times 1e9, the first two, and the last but one",
        matches: |head| {
            let flow = head.words(1);
            head.is_integers(0, 1)
                && (5..=6).contains(&flow.len())
                && flow.iter().all(|word| is_number(word))
        },
    },
    Foreign {
        name: "a connection matrix of htsim",
        remedy: "a flow list with the header start_ns,src,dst,bytes: start in ps / 1000, the two \
                 ends of A->B, and size",
        matches: |head| {
            head.begins_with(&["Nodes "]) && head.begins_with(&["Connections ", "Triggers "])
        },
    },
    Foreign {
        name: "a topology of htsim",
        remedy: "a TOML file with [fabric], such as build = { leaf-spine = { leaves = 4, spines = 2, \
                 hosts = 8 } } and link = { rate = \"400 Gbps\" }",
        matches: |head| head.begins_with(&["Nodes "]) && head.begins_with(&["Tiers "]),
    },
    Foreign {
        name: "a Chakra trace (ASTRA-sim, SimAI, MLCommons) of one rank of a job",
        remedy: "a flow list with the header start_ns,src,dst,bytes, or a scenario of kind = \"jobs\" \
                 with the job's stages",
        matches: |head| head.contains(&["COMM_COLL_NODE", "COMM_SEND_NODE", "COMP_NODE", "chakra"]),
    },
    Foreign {
        name: "a network of ASTRA-sim",
        remedy: "a TOML file with [fabric], such as build = { single-switch = 8 } and \
                 link = { rate = \"400 Gbps\", delay = \"500 ns\" }",
        matches: |head| {
            head.begins_with(&["topology:", "npus_count:"])
                || head.contains(&["\"logical-dims\"", "\"topology-name\""])
        },
    },
    Foreign {
        name: "a workload of ASTRA-sim",
        remedy: "a scenario of kind = \"jobs\" with the job's stages",
        matches: |head| {
            let kind = head.line(0).split_whitespace().next().unwrap_or_default();
            let kinds = ["DATA", "MODEL", "HYBRID", "HYBRID_TRANSFORMER", "MICRO", "DLRM"];
            kinds.iter().any(|known| kind.starts_with(known)) && head.is_integers(1, 1)
        },
    },
    Foreign {
        name: "a configuration of ns-3's RDMA simulators (HPCC, ConWeave)",
        remedy: "a scenario of kind = \"ethernet\": TOPOLOGY_FILE as [fabric], FLOW_FILE as a flow \
                 list for --flows, CC_MODE as [congestion-control] kind, PACKET_PAYLOAD_SIZE as \
                 [host] mtu, BUFFER_SIZE as [switch] buffer, KMIN_MAP, KMAX_MAP and PMAX_MAP as \
                 [congestion-control] ecn",
        matches: |head| head.contains(&["TOPOLOGY_FILE ", "CC_MODE ", "PACKET_PAYLOAD_SIZE "]),
    },
    Foreign {
        name: "results of ns-3's RDMA simulators (`fct.txt`)",
        remedy: "the flow file of that run, as a flow list with the header start_ns,src,dst,bytes",
        matches: |head| {
            let words = head.words(0);
            let is_address =
                |word: &&str| word.len() == 8 && word.bytes().all(|b| b.is_ascii_hexdigit());
            let numbers = words.iter().skip(2);
            words.len() >= 7
                && words.iter().take(2).all(is_address)
                && numbers.into_iter().all(|word| is_integer(word))
        },
    },
    Foreign {
        name: "a list of traced nodes of ns-3's RDMA simulators (`trace.txt`)",
        remedy: "no file: all nodes are simulated, and `bandwise sim run --trace` writes packets",
        matches: |head| {
            let count = head.line(0).parse().ok();
            let nodes = head.words(1);
            head.is_integers(1, nodes.len())
                && count == Some(nodes.len())
                && nodes.len() > 1
                && head.line(2).is_empty()
        },
    },
    Foreign {
        name: "a system of ASTRA-sim",
        remedy: "a scenario of kind = \"jobs\" with the job's stages",
        matches: |head| head.contains(&["\"scheduling-policy\"", "\"all-reduce-implementation\""]),
    },
    Foreign {
        name: "a size file of Homa's simulator, with the mean in its first line",
        remedy: "lines of a size and a share: delete the first line, and compare the mean that \
                 Bandwise prints with it",
        matches: |head| {
            let second = head.words(1);
            let first = head.words(0);
            first.len() == 1
                && first[0].parse().is_ok_and(|mean: f64| mean > 0.0 && mean.is_finite())
                && second.len() == 2
                && second.iter().all(|word| is_number(word))
        },
    },
    Foreign {
        name: "a size file of ns-2, in three columns",
        remedy: "lines of a size and a share: the first column and the third; sizes in packets need \
                 their payload as unit beside cdf, such as { cdf = \"FILE\", unit = \"1460 B\" }",
        matches: |head| {
            (0..2).all(|line| {
                let words = head.words(line);
                words.len() == 3 && words.iter().all(|word| is_number(word))
            }) && head.words(0)[1] == "1"
        },
    },
];
