//! [`Foreign`]: files of other tools, recognised by their first lines, each with the input to give
//! instead.

/// The beginning of a text that is searched, in bytes.
const HEAD: usize = 64 << 10;

/// A kind of file that Bandwise recognises and does not read.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// The file's kind, as a noun phrase.
    pub name: &'static str,
    /// The remedy: a command to run, or the place of each value in Bandwise's files.
    pub remedy: &'static str,
    matches: fn(&Head) -> bool,
}

/// The first lines of a text that are neither empty nor comments.
struct Head<'a> {
    text: &'a str,
    lines: Vec<&'a str>,
}

impl<'a> Head<'a> {
    fn new(text: &'a str) -> Self {
        let mut end = HEAD.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &text[..end];
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        Head { text, lines: lines.take(8).collect() }
    }

    /// Returns a line, counted from 0, or an empty text.
    fn line(&self, number: usize) -> &'a str {
        self.lines.get(number).copied().unwrap_or_default()
    }

    /// Returns the words of a line.
    fn words(&self, number: usize) -> Vec<&'a str> {
        self.line(number).split_whitespace().collect()
    }

    /// Returns whether a line consists of this many whole numbers.
    fn is_integers(&self, number: usize, count: usize) -> bool {
        let words = self.words(number);
        words.len() == count && words.iter().all(|word| is_integer(word))
    }

    /// Returns whether one of the first lines begins with one of these.
    fn begins_with(&self, starts: &[&str]) -> bool {
        self.lines.iter().any(|line| starts.iter().any(|start| line.starts_with(start)))
    }

    /// Returns whether the text contains one of these.
    fn contains(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.text.contains(part))
    }
}

fn is_integer(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

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

const RUN_IBNETDISCOVER: &str =
    "the output of `ibnetdiscover` without flags: `ibnetdiscover > fabric.txt`";

const NEEDS_CABLES: &str = "a fabric with cables and rates, which this file lacks: the output of `ibnetdiscover`, or TOML with a \
     [fabric] table";

/// The table of known files, the more specific before the less specific.
const KNOWN: &[Foreign] = &[
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
        matches: |head| head.contains(&["[  ] ==(", "[ ] ==("]) && head.contains(&[")==>"]),
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
                    width.is_some_and(|w| w.strip_suffix('x').is_some_and(is_integer))
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
        name: "a configuration of OpenSM",
        remedy: "a scenario of kind = \"infiniband\" that names it: [qos] opensm = \"FILE\"",
        matches: |head| {
            head.text.lines().any(|line| {
                let mut words = line.split_whitespace();
                let key = words.next().unwrap_or_default();
                words.next().is_some_and(|value| value != "=")
                    && (["qos", "subnet_prefix", "routing_engine", "lmc", "m_key"].contains(&key)
                        || ["qos_", "qos_ca_", "qos_swe_"].iter().any(|p| key.starts_with(p)))
            })
        },
    },
    Foreign {
        name: "Slurm's `topology.conf`",
        remedy: NEEDS_CABLES,
        matches: |head| head.begins_with(&["SwitchName=", "BlockName="]),
    },
    Foreign {
        name: "Slurm's `topology.yaml`",
        remedy: NEEDS_CABLES,
        matches: |head| {
            head.begins_with(&["- topology:"]) && head.begins_with(&["tree:", "block:", "flat:"])
        },
    },
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
        name: "a configuration of SONiC (`config_db.json`)",
        remedy: "a scenario of kind = \"ethernet\": SCHEDULER weights as [switch] schedule = { \
                 weights = [20, 80] }, PORT_QOS_MAP pfc_enable as [switch] lossless = [3, 4], \
                 BUFFER_POOL size as [switch] buffer = \"32 MB\" with queues = \"output\", \
                 BUFFER_PROFILE xoff as [switch] pfc = { headroom = \"300 KB\" } and dynamic_th as \
                 [switch] alpha = 2^dynamic_th, WRED_PROFILE as [congestion-control] ecn = { kmin = \
                 \"400 KB\", kmax = \"2 MB\", pmax = 0.05 }, which is 5 percent there, PORT speed as \
                 the rate of [fabric] link or of a [[fabric.cable]]",
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
            head.line(0).starts_with('{') && head.contains(&TABLES)
        },
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
    Foreign {
        name: "a graph in the language of Graphviz",
        remedy: "a fabric with rates: the output of `ibnetdiscover`, or TOML with a [fabric] table",
        matches: |head| head.begins_with(&["graph {", "digraph ", "strict graph", "graph \""]),
    },
];

impl Foreign {
    /// Returns the kind of a text; `None` for a kind that is not in the table.
    pub fn of(text: &str) -> Option<&'static Foreign> {
        let head = Head::new(text);
        KNOWN.iter().find(|known| (known.matches)(&head))
    }
}
