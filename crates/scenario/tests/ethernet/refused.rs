//! Error messages for mistakes in Ethernet scenarios.

use super::try_read;

#[test]
fn invalid_scenarios_are_refused() {
    let documents = [
        "[flow]\n",
        "[[flow]]\nfrom = \"h0\"\n",
        "[[workload]]\n",
        "title = 3\n",
        // Fabric
        "[fabric]\nbuild = { fat-tree = 5 }\nlink = { rate = \"40 Gbps\" }\n",
        "[fabric]\nbuild = { fat-tree = 6 }\n",
        "[fabric]\nbuild = { single-switch = 1 }\nlink = { rate = \"40 Gbps\" }\n",
        "[fabric]\nbuild = { fat-tree = 6 }\nlink = { rate = \"1 Mbps\" }\n",
        "fabric-file = \"nowhere.toml\"\n",
        "fabric-file = \"bad.toml\"\n",
        "fabric-file = \"rack.toml\"\n[fabric]\nbuild = \"back-to-back\"\n",
        // Switch and host
        "[switch]\nbuffer = \"1000 B\"\n",
        "[switch]\nbuffer = \"4 GB\"\n",
        "[switch]\nbuffer = 240\n",
        "[switch]\nbuffer = \"20 KB\"\npfc = true\n",
        "[switch]\npfc = \"yes\"\n",
        "[switch]\npfc = 3\n",
        "[switch]\npfc = { xoff = \"241 KB\" }\n",
        "[switch]\npfc = { xoff = \"200 KB\", xon = \"201 KB\" }\n",
        "[switch]\npfc = { stop = \"200 KB\" }\n",
        "[switch]\nscheduling = \"fcfs\"\n",
        "[switch]\npfc = { headroom = \"20 KB\" }\n",
        "[switch]\nalpha = 2.0\n",
        "[switch]\nqueues = \"crossbar\"\n",
        // A buffer that all ports share
        "[switch]\nqueues = \"output\"\nbuffer = \"1000 B\"\n",
        "[switch]\nqueues = \"output\"\nbuffer = \"2 GB\"\n",
        "[switch]\nqueues = \"output\"\nbuffer = \"100 KB\"\npfc = true\n",
        "[switch]\nqueues = \"output\"\nreserve = \"300 KB\"\n",
        "[switch]\nqueues = \"output\"\npfc = { xoff = \"200 KB\" }\n",
        "[switch]\nqueues = \"output\"\nalpha = 0\n",
        "[switch]\nqueues = \"output\"\nbuffer = \"50 KB\"\nalpha = 0.01\n",
        "[switch]\nqueues = \"output\"\nalpha = \"1/2\"\n",
        // Traffic classes
        "[switch]\nclasses = 9\n",
        "[switch]\nclasses = 0\n",
        "[switch]\nclasses = 8\nbuffer = \"8 KB\"\n",
        "[switch]\nclasses = 2\nlossless = [0, 2]\n",
        "[switch]\nclasses = 2\nlossless = 1\n",
        "[switch]\nclasses = 2\nschedule = \"fair\"\n",
        "[switch]\nclasses = 2\nschedule = { weights = [1] }\n",
        "[switch]\nclasses = 2\nschedule = { weights = [1, 0] }\n",
        "[switch]\nclasses = 3\nschedule = { weights = [1, 1, 1], strict = [2] }\n",
        "[switch]\nclasses = 3\nschedule = { weights = [1, 1], strict = [3] }\n",
        "[switch]\nclasses = 3\nschedule = { weights = [1, 1], strict = 2 }\n",
        "[switch]\nclasses = 3\nschedule = { strict = [2] }\n",
        "[switch]\nclasses = 2\n[host]\nack-priority = 2\n",
        "[host]\ncnp-priority = 1\n",
        "[switch]\nclasses = 2\n[host]\ncnp-priority = 1\n[transport]\nkind = \"homa\"\n",
        "[switch]\nclasses = 2\n[workload]\npoisson = { priority = 2 }\n",
        "[workload]\nincast = { priority = 1 }\n",
        "[workload]\npermutation = { priority = -1 }\n",
        // Ports
        "[switch]\npfc = true\n[[switch.port]]\nnode = \"core\"\nxoff = \"1 KB\"\n",
        "[switch]\npfc = true\n[[switch.port]]\nnode = \"h0\"\nxoff = \"1 KB\"\n",
        "[switch]\npfc = true\n[[switch.port]]\nnode = \"core0.0\"\n",
        "[switch]\npfc = true\n[[switch.port]]\nnode = \"core0.0\"\ninput = 7\nxoff = \"1 KB\"\n",
        "[switch]\npfc = true\n[[switch.port]]\nnode = \"core0.0\"\nxoff = \"250 KB\"\n",
        "[[switch.port]]\nnode = \"core0.0\"\nxoff = \"1 KB\"\n",
        "[switch]\nqueues = \"output\"\n[[switch.port]]\nnode = \"core0.0\"\nxoff = \"1 KB\"\n",
        // Routing
        "[switch]\nrouting = \"adaptive\"\n",
        "[host]\nmtu = 256\n",
        "[host]\nmtu = -1\n",
        // Transport
        "[transport]\nkind = \"tcp\"\n",
        "[transport]\nrecovery = \"none\"\n",
        "[transport]\nbdp-cap = true\n",
        "[transport]\nbdp-cap = 0\n",
        "[transport]\nbdp-cap = \"none\"\n",
        "[transport]\ntimeout = \"320 us\"\n",
        "[transport]\nrto-low = \"400 us\"\n",
        "[transport]\nrto-high = \"0 us\"\n",
        "[transport]\ntimeout = \"fixed\"\nrto-low = \"50 us\"\n",
        "[transport]\ntimeout = \"dynamic\"\nfew = 3\n",
        "[transport]\nkind = \"roce\"\nrto-high = \"400 us\"\n",
        "[transport]\nacks = \"on-completion\"\n",
        "[transport]\nbdp-cap = false\nacks = \"on-completion\"\n",
        "[transport]\nkind = \"iwarp\"\nrecovery = \"sack\"\n",
        "[transport]\nkind = \"iwarp\"\ntimeout = false\n",
        "[transport]\nfetch-delay = \"2 s\"\n",
        "[transport]\nextra-header = 1000\n",
        "[host]\npoll = \"2 us\"\n",
        "[host]\npoll = 10\n",
        "[host]\npoll = \"10 ns\"\n[transport]\nkind = \"homa\"\n",
        "[transport]\ngo-back-n = true\n",
        // Congestion control
        "[congestion-control]\nkind = \"cubic\"\n",
        "[transport]\nkind = \"roce\"\nacks = \"on-completion\"\n[congestion-control]\nkind = \"hpcc\"\n",
        "[congestion-control]\nkind = \"dcqcn\"\necn = false\n",
        "[congestion-control]\necn = { kmin = \"3 GB\" }\n",
        "[congestion-control]\necn = { kmin = \"300 KB\", kmax = \"200 KB\" }\n",
        "[congestion-control]\necn = { pmax = 1.5 }\n",
        "[transport]\nkind = \"roce\"\nacks = \"on-completion\"\n[congestion-control]\nkind = \"timely\"\n",
        // and its parameters
        "[congestion-control.dcqcn]\ngain = 0.5\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn = \"fast\"\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn = { timer = \"55 us\" }\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.gain = 0\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.gain = \"1/256\"\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.alpha-timer = \"1 ns\"\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.increase-timer = 55\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.byte-counter = \"1 B\"\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.fast-recovery = 5.5\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.hyper-increase = \"1 Ebps\"\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.min-rate = \"0 bps\"\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.clamp-target = \"yes\"\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.back-off = -0.5\n",
        "[congestion-control]\nkind = \"dcqcn\"\ndcqcn.cnp-interval = \"2 s\"\n",
        "[congestion-control]\nkind = \"none\"\ntimely.min-rtt = \"0 us\"\n",
        "[congestion-control]\nkind = \"timely\"\ntimely.ewma = nan\n",
        "[congestion-control]\nkind = \"timely\"\ntimely = { low = \"60 us\", high = \"50 us\" }\n",
        "[congestion-control]\nkind = \"timely\"\ntimely.back-off = 2\n",
        "[congestion-control]\nkind = \"aimd\"\naimd.increase = inf\n",
        "[congestion-control]\nkind = \"dctcp\"\ndctcp.gain = 1.5\n",
        "[congestion-control]\nkind = \"hpcc\"\nhpcc.target = 0\n",
        "[congestion-control]\nkind = \"hpcc\"\nhpcc.max-stage = -1\n",
        "[congestion-control]\nkind = \"swift\"\nswift = { scaling-min = 2, scaling-max = 1 }\n",
        "[congestion-control]\nkind = \"swift\"\nswift.min-window = 0\n",
        // Workload
        "[workload]\n",
        "[workload]\nflows = \"a.csv\"\npoisson = {}\n",
        "[workload]\npoisson = { load = 0 }\n",
        "[workload]\npoisson = { load = 70 }\n",
        "[workload]\npoisson = { load = nan }\n",
        "[workload]\npoisson = { load = \"70%\" }\n",
        "[workload]\npoisson = { of = \"headers\" }\n",
        "[workload]\npoisson = { flows = 10, duration = \"1 ms\" }\n",
        "[workload]\npoisson = { flows = 0 }\n",
        "[workload]\npoisson = { duration = \"0 ms\" }\n",
        "[workload]\npoisson = { sizes = \"websearch\" }\n",
        "[workload]\npoisson = { sizes = 3 }\n",
        "[workload]\npoisson = { sizes = {} }\n",
        "[workload]\npoisson = { sizes = { fixed = \"0 B\" } }\n",
        "[workload]\npoisson = { sizes = { fixed = \"2 TB\" } }\n",
        "[workload]\npoisson = { sizes = { uniform = [\"5 MB\", \"500 KB\"] } }\n",
        "[workload]\npoisson = { sizes = { uniform = [\"5 MB\"] } }\n",
        "[workload]\npoisson = { sizes = { fixed = \"1 MB\", spread = \"uniform\" } }\n",
        "[workload]\npoisson = { sizes = { cdf = \"nowhere.cdf\" } }\n",
        "[workload]\npoisson = { sizes = { cdf = \"half.cdf\" } }\n",
        "[workload]\npoisson = { sizes = { cdf = \"half.cdf\", unit = \"0 B\" } }\n",
        "[workload]\npoisson = { sizes = { cdf = \"half.cdf\", unit = \"1 MB\" } }\n",
        "[workload]\npoisson = { sizes = { fixed = \"1 MB\", unit = \"1000 B\" } }\n",
        "[workload]\nincast = { senders = 54 }\n",
        "[workload]\nincast = { receiver = 54 }\n",
        "[workload]\nincast = { bytes = \"3 B\" }\n",
        "[workload]\nincast = { connections = 0 }\n",
        "[workload]\nincast = { requests = 0 }\n",
        "[workload]\npermutation = { start = \"-1 us\" }\n",
        // Run
        "[run]\nseed = -1\n",
        "[run]\nlimit = \"0 s\"\n",
        "[run]\npause-storm = \"0 s\"\n",
        "[run]\nduration = \"1 s\"\n",
        "[run]\nlimit = \"1 ms\"\nwarmup = \"2 ms\"\n",
        "[transport]\nrto-high = \"never\"\n",
    ];
    let messages = documents.iter().map(|text| {
        let error = try_read(text).expect_err(text);
        format!("{text}{error}\n")
    });
    insta::assert_snapshot!(messages.collect::<Vec<_>>().join("\n"));
}

#[test]
fn path_beyond_the_int_limit_is_refused() {
    // Ten switches in a row, a host at each end.
    let mut text = "[fabric]\nlink = { rate = \"10 Gbps\" }\n".to_owned();
    for n in 0..10 {
        text += &format!("[[fabric.switch]]\nname = \"s{n}\"\nports = 3\n");
    }
    for n in 1..10 {
        text += &format!("[[fabric.cable]]\nfrom = \"s{}:2\"\nto = \"s{n}:1\"\n", n - 1);
    }
    text += "[[fabric.host]]\nname = \"a\"\nport = \"s0:3\"\n";
    text += "[[fabric.host]]\nname = \"b\"\nport = \"s9:3\"\n";
    insta::assert_snapshot!(try_read(&text).unwrap_err(), @"n.toml:2: the path from b to a crosses 10 switches (allowed: at most 8)");
}
