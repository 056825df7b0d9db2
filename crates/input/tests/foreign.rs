//! Files of other tools: each is recognised, and no input of Bandwise is.

use bandwise_input::{Foreign, Source};

/// A part of the kind's name, and the beginning of a file.
const SAMPLES: [(&str, &str); 45] = [
    (
        "`ibnetdiscover -p`",
        "SW     3  1 0x0c42a10300aa0010 2x NDR - CA    12  1 0x0c42a10300bb0020 ( 'sw' - 'n1 mlx5_0' )\n\
         SW     3  2 0x0c42a10300aa0010 4x SDR                                   'sw'\n",
    ),
    (
        "`iblinkinfo`",
        "Switch: 0x0c42a10300aa0010 SwitchX -  Mellanox Technologies:\n\
         \u{20}          3    1[  ] ==( 4X          14.0625 Gbps Active/  LinkUp)==>      12    1[  ] \"n1\" ( )\n",
    ),
    (
        "`iblinkinfo`",
        "0x0c42a10300aa0010 \"sw\"  3  1[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  12  1[  ] \"n1\" ( )\n",
    ),
    (
        "`ibhosts`",
        "Ca\t: 0x0c42a10300bb0020 ports 1 \"n1 HCA-1\"\nCa\t: 0x0c42a10300bb0030 ports 2 \"n2\"\n",
    ),
    ("`ibhosts`", "Switch\t: 0x0c42a10300aa0010 ports 41 \"MF0;sw\" enhanced port 0 lid 3 lmc 0\n"),
    ("ibdm", "MQM8700 Sleaf1\n   P1 -4x-50G-> HCA_1 n1/U1 P1\n"),
    (
        "`subnet.lst`",
        "{ CA Ports:02 SystemGUID:0c42a10300bb0023 NodeGUID:0c42a10300bb0020 PortGUID:0c42a10300bb0021 \
         VenID:000002C9 DevID:101B Rev:00000000 {n1 HCA-1} LID:000c PN:01 } { SW Ports:29 } PHY=4x LOG=ACT SPD=50\n",
    ),
    ("`ibdiagnet2.db_csv`", "# ibdiagnet 2.10\nSTART_NODES\nNodeDesc,NumPorts,NodeType\n"),
    (
        "forwarding tables",
        "Unicast lids [0x0-0x2c] of switch Lid 3 guid 0x0c42a10300aa0010 (sw):\n  Lid  Out\n",
    ),
    ("forwarding tables", "Multicast mlids [0xc000-0xc3ff] of switch Lid 3 guid 0x0c (sw):\n"),
    (
        "VL arbitration",
        "# VLArbitration tables: Lid 3 port 2 LowCap 8 HighCap 8\n# Low priority VL Arbitration Table:\n",
    ),
    (
        "SL-to-VL",
        "# SL2VL table: Lid 3\n#                 SL: | 0| 1| 2|\nports: in  0, out  0: | 0| 1| 2|\n",
    ),
    ("OpenSM", "# The port GUID\nguid 0x0\nrouting_engine ftree\nqos_vlarb_low 0:16\n"),
    ("Slurm", "SwitchName=s0 Nodes=n[0-15]\nSwitchName=top Switches=s[0-3]\n"),
    ("Slurm", "BlockName=b1 Nodes=n[0-17]\nBlockSizes=18\n"),
    (
        "`topology.yaml`",
        "---\n- topology: main\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s0\n        nodes: n[0-15]\n",
    ),
    ("`topology.yaml`", "- topology: racks\n  block:\n    block_sizes:\n      - 18\n"),
    (
        "`ibstat`",
        "CA 'mlx5_0'\n\tCA type: MT4123\n\tNumber of ports: 1\n\tPort 1:\n\t\tRate: 200\n",
    ),
    ("`ibstat`", "hca_id:\tmlx5_0\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t20.31.1014\n"),
    (
        "`ibdiagnet2.net_dump`",
        "# Ports\n\"sw\", Mellanox, 0x0c42a10300aa0010, LID 3\n#  : IB# : Sta : PhysSta : MTU : LWA : LSA\n1 : 1 : ACT : LINK UP : 5 : 4x : 25\n",
    ),
    (
        "ibdiagnet2.log",
        "-I- Using port 1 as the local port.\n-I- Discovering ... 10 nodes discovered.\n",
    ),
    ("`perfquery`", "# Port counters: Lid 3 port 1 (CapMask: 0x5A00)\nPortSelect:......1\n"),
    (
        "`perfquery`",
        "----\nPort=1 Lid=0x0003 GUID=0x0c42a10300bb0021 Device=4123\n----\nlink_down_counter=0\nport_xmit_data=1\n",
    ),
    ("ibdm (`.ibnl`)", "TOPSYSTEM MQM8700\n\nNODE SW 41 Quantum MAIN\n   1 -> P1\n"),
    (
        "partitions",
        "Default=0x7fff, ipoib : ALL=full, SELF=full ;\nbatch=0x8002 : 0x0c42a10300bb0021=full ;\n",
    ),
    (
        "policy of service levels",
        "qos-ulps\n    default : 0\n    any, service-id 0x10: 2\nend-qos-ulps\n",
    ),
    ("list of GUIDs", "0x0c42a10300aa0010\n0x0c42a10300aa0020\n"),
    ("list of GUIDs", "0x0c42a10300bb0021 0x0005 0x0005\n\n0x0c42a10300bb0031 0x0006 0x0006\n"),
    (
        "typographic quotes",
        "Switch\t41 \u{201c}S-0c42a10300aa0010\u{201d}\t# \u{201c}a\u{201d} lid 3 lmc 0\n",
    ),
    ("web page", "<pre>\nSwitch\t41 &quot;S-0c42a10300aa0010&quot;\t# &quot;a&quot; lid 3 lmc 0\n"),
    ("`mlnx_qos`", "DCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n"),
    ("Graphviz", "graph dc1 {\n  \"leaf\":\"swp1\" -- \"spine\":\"swp1\"\n}\n"),
    (
        "configuration of ns-3",
        "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE mix/t.txt\nCC_MODE 3\n",
    ),
    ("results of ns-3", "0b000101 0b000801 10000 100 20000 2000000000 9500 9000\n"),
    ("system of ASTRA-sim", "{ \"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10 }\n"),
    (
        "SimAI",
        "20 8 1 3 30 A100\n16 17 18 19\n0 16 2400Gbps 0.000025ms 0\n0 17 100Gbps 0.0005ms 0\n",
    ),
    (
        "ns-3's RDMA simulators (HPCC, ConWeave): nodes",
        "5 1 4\n4\n0 4 25Gbps 1000ns 0\n1 4 25Gbps 1000ns 0\n",
    ),
    ("flow file of ns-3", "2\n0 3 3 100 20000 2.0\n1 3 3 100 20000 2.1\n"),
    ("flow file of ns-3", "2\n0 3 3 20000 2.0\n1 3 3 20000 2.1\n"),
    ("connection matrix of htsim", "Nodes 8\nConnections 1\n0->7 id 1 start 0 size 4096\n"),
    ("topology of htsim", "# a comment\nNodes 1024\nTiers 3\nPodsize 64\n"),
    ("ASTRA-sim", "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 200.0, 50.0 ]\n"),
    ("workload of ASTRA-sim", "DATA\n2\nlayer-0 -1 100 NONE 0 200 NONE 0 300 ALLREDUCE 4096 10\n"),
    ("Homa", "311.5\n16 0.5\n800 1.0\n"),
    ("ns-2", "1 1 0\n10 1 0.4\n200 1 1\n"),
];

/// A list of node numbers is no size file, whose shares are at most 1.
#[test]
fn traced_nodes_are_no_sizes() {
    assert!(Foreign::of("2\n0 4\n").unwrap().name.contains("traced nodes"));
    assert!(Foreign::of("3\n0 1 2\n").unwrap().name.contains("traced nodes"));
}

/// A wrapped line of a dump is no key of OpenSM.
#[test]
fn wrapped_dump_is_no_configuration() {
    let text = "switchguid=0x0c42a10300aa0010(c42a10300aa0010)\nSwitch 41 \"S-0c42a10300aa0010\" # \"a\"\nlmc 0\n";
    assert!(Foreign::of(text).is_none());
}

#[test]
fn files_of_other_tools_are_recognised() {
    for (name, text) in SAMPLES {
        let found = Foreign::of(text).unwrap_or_else(|| panic!("not recognised: {text}"));
        assert!(found.name.contains(name), "{} in place of {name}: {text}", found.name);
        let error = Source::new("f", text).check_text("text").unwrap_err();
        assert!(error.to_string().contains("this looks like "), "{error}");
    }
    let sonic = "{\n  \"DEVICE_METADATA\": { \"localhost\": {} },\n  \"SCHEDULER\": {}\n}\n";
    let found = Foreign::of(sonic).unwrap();
    assert!(found.name.contains("SONiC"));
    for place in [
        "SCHEDULER weights as [switch] schedule = {",
        "PORT_QOS_MAP pfc_enable as [switch] lossless",
        "BUFFER_POOL size as [switch] buffer",
        "BUFFER_PROFILE xoff as [switch] pfc = { headroom",
        "WRED_PROFILE as [congestion-control] ecn = {",
        "pmax = 0.05 }, which is 5 percent there",
        "PORT speed as the rate of [fabric] link",
        "type STRICT as strict = [6]",
        "CABLE_LENGTH as its delay",
    ] {
        assert!(found.remedy.contains(place), "{place}");
    }
    let ports = "{ \"PORT\": { \"Ethernet0\": { \"lanes\": \"0,1\", \"speed\": \"100000\" } } }\n";
    assert!(Foreign::of(ports).unwrap().name.contains("SONiC"));
    assert!(Foreign::of("digraph G {\n  a -> b;\n}\n").unwrap().name.contains("Graphviz"));
    assert!(
        Foreign::of("\u{7}\n\u{5}0.0.4\u{1a}\u{8}\u{12}\u{e}COMM_COLL_NODE")
            .unwrap()
            .name
            .contains("Chakra")
    );
}

/// A byte order mark, comments, empty lines and indentation do not hide a format.
#[test]
fn surroundings_do_not_hide_a_format() {
    for (name, text) in SAMPLES {
        let indented: String = text.lines().map(|line| format!("    {line}\r\n")).collect();
        let text = format!("\u{feff}\n# exported\n\n{indented}");
        let found = Foreign::of(&text).unwrap_or_else(|| panic!("not recognised: {text}"));
        assert!(found.name.contains(name), "{} in place of {name}: {text}", found.name);
    }
}

#[test]
fn inputs_of_bandwise_are_not_foreign() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut checked = 0;
    for folder in [
        "docs/examples",
        "docs/examples/controller",
        "papers/rperf",
        "papers/irn",
        "crates/topology/tests/data",
    ] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if ["toml", "csv", "ibnetdiscover", "ibsim"].contains(&extension) {
                let text = std::fs::read_to_string(&path).unwrap();
                let found = Foreign::of(&text).map(|foreign| foreign.name);
                assert_eq!(found, None, "{}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked >= 15, "only {checked} files were found");
    let others = [
        "150 526\n1 0 1 22 1 65:1.0\n",
        "start_ns,src,dst,bytes\n0,0,1,5\n",
        "0 0\n10000 15\n30000000 100\n",
        "1 0\n2 0.5\n9 1\n",
        "qos = true\nlmc = 0\n",
        "",
    ];
    for text in others {
        assert!(Foreign::of(text).is_none(), "{text}");
    }
}
