//! Dumps of ibnetdiscover as people have them: pasted, joined with error messages, cut off, or
//! taken while the fabric changes.

use bandwise_input::Source;
use bandwise_topology::read::{self, FabricFile, Format};
use std::fmt::Write;

/// The GUID of the switch of [`dump`].
const SWITCH: &str = "b8cef60300aa0000";

/// A dump of `hosts` hosts at one switch of 40 ports, all links 4xHDR. Host `i` is at port `i + 1`.
fn dump(hosts: usize) -> String {
    let mut text = format!(
        "#\n# Topology file: generated on Tue Mar  3 08:01:12 2026\n#\n\nvendid=0x2c9\n\
         devid=0xd2f0\nsysimgguid=0x{SWITCH}\nswitchguid=0x{SWITCH}({SWITCH})\n\
         Switch\t40 \"S-{SWITCH}\"\t\t# \"tor\" enhanced port 0 lid 9 lmc 0\n",
    );
    for i in 0..hosts {
        let (guid, port, lid) = (format!("b8cef60300bb00{i:02}"), i + 1, i + 10);
        let line = "(b8cef60300bb0100) \t\t# ";
        writeln!(text, "[{port}]\t\"H-{guid}\"[1]{line}\"n{i} mlx5_0\" lid {lid} 4xHDR").unwrap();
    }
    for i in 0..hosts {
        let (guid, port, lid) = (format!("b8cef60300bb00{i:02}"), i + 1, i + 10);
        let keys = format!("vendid=0x2c9\ndevid=0x101b\nsysimgguid=0x{guid}\ncaguid=0x{guid}");
        writeln!(text, "\n{keys}\nCa\t1 \"H-{guid}\"\t\t# \"n{i} mlx5_0\"").unwrap();
        let near = format!("[1](b8cef60300bb01{i:02})");
        let end = format!("# lid {lid} lmc 0 \"tor\" lid 9 4xHDR");
        writeln!(text, "{near} \t\"S-{SWITCH}\"[{port}]\t\t{end}").unwrap();
    }
    text
}

/// The dump with `lines` before the line of the switch's port 1.
fn with_lines(lines: &str) -> String {
    dump(3).replacen("[1]\t", &format!("{lines}[1]\t"), 1)
}

fn read(text: &str) -> FabricFile {
    let source = Source::new("f", text);
    assert_eq!(read::detect(&source), Format::Ibnetdiscover, "{text}");
    read::any(&source).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Reads a text with the fabric of `dump(3)`, and returns the warnings.
fn warnings(text: &str) -> Vec<String> {
    let file = read(text);
    assert_eq!(file.parts, read(&dump(3)).parts, "{text}");
    file.warnings.iter().map(ToString::to_string).collect()
}

fn refused(text: &str) -> String {
    read::any(&Source::new("f", text)).expect_err("this must be refused").to_string()
}

fn rates(file: &FabricFile) -> Vec<u64> {
    file.parts[0].links().iter().map(|link| link.rate.as_bps() / 1_000_000_000).collect()
}

#[test]
fn plain_dump_has_no_warning() {
    assert_eq!(warnings(&dump(3)), [""; 0]);
    assert_eq!(rates(&read(&dump(3))), [200; 3]);
}

/// The switch's ID is not taken for that of the host below it, and a part keeps the IDs.
#[test]
fn device_ids_of_nodes_are_kept() {
    let text = dump(3).replacen("devid=0x101b\n", "", 1).replacen("devid=0x101b", "devid=4123", 1);
    let file = read(&text);
    let fabric = &file.parts[0];
    let ids: Vec<_> = fabric.hosts().iter().map(|&host| fabric.node(host).device).collect();
    assert_eq!(ids, [None, None, Some(0x101b)]);
    assert_eq!(fabric.node(fabric.switches()[0]).device, Some(0xd2f0));
    let two = dump(2) + &dump(2).replace("b8cef60300", "b8cef60301");
    let ids = |part: &bandwise_topology::Fabric| part.node(part.hosts()[0]).device;
    assert_eq!(read(&two).parts.iter().map(ids).collect::<Vec<_>>(), [Some(0x101b); 2]);
}

#[test]
fn indentation_and_line_ends_are_ignored() {
    let indented: String = dump(3).lines().map(|line| format!("\t  {line}  \r\n")).collect();
    assert_eq!(warnings(&indented), [""; 0]);
}

/// Mail quotes each line, once for each reply.
#[test]
fn mail_quotes_are_removed_with_a_note() {
    let note = "f:1: lines begin with `>`, as mail quotes: removed";
    for quote in ["> ", ">", "> > ", ">> "] {
        let quoted: String = dump(3).lines().map(|line| format!("{quote}{line}\n")).collect();
        assert_eq!(warnings(&quoted), [note], "{quote}");
    }
    let net = "> width=2\n> Switch 2 \"s\"\n> [1] \"h\"[1]\n>\n> Hca 1 \"h\"\n> [1] \"s\"[1]\n";
    let file = read::any(&Source::new("f", net)).unwrap();
    assert_eq!((file.parts[0].hosts().len(), file.warnings.len()), (1, 1));
    // Text of the mail around the quote.
    let quoted: String = dump(3).lines().map(|line| format!("> {line}\n")).collect();
    let mail = format!("On Mon, Mar 2, 2026, Ann wrote:\n{quoted}\nThanks,\nBob\n");
    assert_eq!(warnings(&mail), [note, "f:1: 3 lines before and after the dump skipped"]);
    // A prompt of one character is no quote.
    let prompt = format!("> ibnetdiscover\n{}", dump(3));
    assert_eq!(warnings(&prompt), ["f:1: 1 shell prompt skipped"]);
}

#[test]
fn error_messages_without_a_node_are_a_failure_of_the_tool() {
    let messages = "ibwarn: [4711] mad_rpc_open_port: can't open UMAD port ((null):0)\n\
                    /build/libibnetdisc/ibnetdisc.c:811; can't open MAD port ((null):0)\n\
                    ibnetdiscover: iberror: failed: discover failed\n";
    let with_path = messages.replace("ibnetdiscover: ", "/usr/sbin/ibnetdiscover: ");
    let head = dump(0).split("\n\n").next().unwrap().to_owned();
    for text in [
        messages.to_owned(),
        format!("$ ibnetdiscover\n{messages}"),
        with_path,
        "bash: ibnetdiscover: command not found\n".into(),
        "zsh: command not found: ibnetdiscover\n".into(),
        head,
    ] {
        let error = refused(&text);
        assert!(
            error.starts_with("f:1: no node: ibnetdiscover failed, or found nothing"),
            "{error}"
        );
        assert!(error.contains("(allowed: the output of ibnetdiscover as root"), "{error}");
    }
}

#[test]
fn prompts_are_skipped_with_a_warning() {
    for (before, after) in [
        ("[admin@head ~]$ ibnetdiscover\n", "[admin@head ~]$ \n"),
        ("[root@head opt]# sudo ibnetdiscover\n", "[root@head opt]# exit\n"),
        ("me@head:~/dumps$ ibnetdiscover -C mlx5_0\n", "me@head:~/dumps$\n"),
        ("$ ibnetdiscover\n", "$\n"),
        ("head% ibnetdiscover\n", "$ \n"),
    ] {
        let found = warnings(&format!("{before}{}{after}", dump(3)));
        assert_eq!(found, ["f:1: 2 shell prompts skipped"], "{before}");
    }
    // The root prompt of a plain shell is a comment.
    assert_eq!(warnings(&format!("# ibnetdiscover\n{}# \n", dump(3))), [""; 0]);
}

#[test]
fn error_messages_between_lines_are_skipped_with_a_warning() {
    let messages = "ibwarn: [88] mad_rpc: _do_madrpc failed; dport (DR path slid 0; 0,3)\n\
                    src/query_smp.c:197; umad (DR path slid 0; Attr 0x11:0) bad status 110\n\
                    /build/libibnetdisc/ibnetdisc.c:820; Failed to query port\n";
    let what = "3 error messages of ibnetdiscover: nodes did not answer, so the fabric may be \
                incomplete";
    assert_eq!(warnings(&with_lines(messages)), [format!("f:10: {what}")]);
    assert_eq!(warnings(&format!("{messages}{}", dump(3))), [format!("f:1: {what}")]);
}

/// Standard output is written in blocks, so an error message can stand within a line.
#[test]
fn error_message_within_a_line_is_refused() {
    let within = [
        dump(3).replacen("devid=0x101b", "deibwarn: [88] failed\nvid=0x101b", 1),
        dump(3).replacen("\"n1 mlx5_0\" lid", "\"n1 mibwarn: [88] failed\nlx5_0\" lid", 1),
        dump(3).replacen("\"n1 mlx5_0\" lid", "\"n1 msrc/ibnetdisc.c:234; failed\nlx5_0\" lid", 1),
        dump(3).replacen(" 4xHDR", " ibwarn: [88] failed\n4xHDR", 1),
    ];
    for text in within {
        let error = refused(&text);
        assert!(error.contains("a warning of ibnetdiscover within a line: the two"), "{error}");
    }
}

/// Text around a dump: a greeting, the marks of a code block, the end of a terminal session.
#[test]
fn lines_around_a_dump_are_skipped_with_a_warning() {
    for (before, after, count) in [
        ("Hello,\n\n", "", 1),
        ("```text\n", "```\n", 2),
        ("<pre>\n", "</pre>\n", 2),
        ("[sudo] password for ann:\n", "", 1),
        ("[09:12:44] (base) ann % ibnetdiscover\n", "", 1),
        ("", "(END)\n", 1),
        ("", "exit\nlogout\n", 2),
        ("[1] see below\n", "[1] a footnote\n", 2),
        ("Ca. 40 hosts\n", "Switch it off?\n", 2),
    ] {
        let lines = if count == 1 { "line" } else { "lines" };
        let found = warnings(&format!("{before}{}{after}", dump(3)));
        assert!(
            found[0].ends_with(&format!(": {count} {lines} before and after the dump skipped"))
        );
        assert_eq!(found.len(), 1);
    }
    let between = refused(&with_lines("Hello,\n"));
    assert!(between.contains("long lines seem to be wrapped"), "{between}");
    let between =
        refused(&dump(3).replacen("\nvendid=0x2c9\ndevid=0x101b", "\nHello,\ndevid=0x101b", 1));
    assert!(between.contains("not a line that ibnetdiscover prints"), "{between}");
}

/// `pdsh`, `srun -l`, `cat -n`, `grep -n` and loggers write a word before each line.
#[test]
fn words_before_all_lines_are_removed_with_a_note() {
    let lines = |before: &dyn Fn(usize) -> String| -> String {
        dump(3).lines().enumerate().map(|(i, line)| before(i + 1) + line + "\n").collect()
    };
    let number = "f:1: each line begins with a number or a time: removed";
    for (before, note) in [
        (
            &(|_| "head: ".into()) as &dyn Fn(usize) -> String,
            "f:1: each line begins with `head:`: removed",
        ),
        (&|_| "0: ".into(), "f:1: each line begins with `0:`: removed"),
        (&|i| format!("{i:6}\t"), number),
        (&|i| format!("{i}:"), number),
        (&|i| format!("2026-03-03T08:01:{i:02} "), number),
        (
            &|i| format!("Nov 02 09:12:{i:02} n1 ibnetdiscover[123]: "),
            "f:1: each line begins as `Nov 02 09:12:02 n1 ibnetdiscover[123]:`, but for digits: removed",
        ),
        (&|_| "n1  | ".into(), "f:1: each line begins as `n1  |`, but for digits: removed"),
        (
            &|_| "[pod/x2k/main] ".into(),
            "f:1: each line begins as `[pod/x2k/main]`, but for digits: removed",
        ),
        (
            &|i| format!("[  12.3456{i:02}] "),
            "f:1: each line begins as `[  12.345602]`, but for digits: removed",
        ),
    ] {
        assert_eq!(warnings(&lines(before)), [note]);
    }
}

/// Lines of 80 columns, as mail programs break them.
#[test]
fn wrapped_lines_are_explained() {
    let wrap = |line: &str| match line.char_indices().nth(78) {
        Some((at, _)) => format!("{}\n{}\n", &line[..at], &line[at..]),
        None => format!("{line}\n"),
    };
    let text: String = dump(3).replace("mlx5_0", "mlx5_bond_of_two_0").lines().map(wrap).collect();
    let error = refused(&text);
    assert!(error.contains("long lines seem to be wrapped"), "{error}");
}

/// An adapter with a port in each of two subnets, which were dumped one after the other.
#[test]
fn nodes_of_two_dumps_are_joined() {
    let first = dump(2).replace("Ca\t1 ", "Ca\t2 ");
    let second = first.replace("S-b8cef60300aa", "S-b8cef60300ab").replace("[1](b8", "[2](b8");
    let second = second.replace("\"[1](b8cef60300bb0100)", "\"[2](b8cef60300bb0100)");
    let file = read(&(first.clone() + "\n" + &second.replace("\"tor\"", "\"tor-b\"")));
    let fabric = &file.parts[0];
    let ports: Vec<usize> = fabric.hosts().iter().map(|&host| fabric.ports(host).count()).collect();
    assert_eq!((ports, fabric.switches().len()), (vec![2, 2], 2));
    let message = "2 nodes again, as in a second dump: their ports are joined";
    assert!(file.warnings[0].to_string().ends_with(message), "{}", file.warnings[0]);
    // The same dump twice, and one that contradicts the first.
    assert_eq!(read(&(first.clone() + &first)).parts, read(&first).parts);
    let other = first.replace("\"[1](b8cef60300bb0100)", "\"[2](b8cef60300bb0100)");
    for other in [other, first.replace("4xHDR", "4xEDR")] {
        let error = refused(&(first.clone() + &other));
        assert!(error.contains("is already connected in line"), "{error}");
    }
}

#[test]
fn loopback_cables_are_left_out() {
    let half =
        |from: u8, to: u8| format!("[{from}]\t\"S-{SWITCH}\"[{to}]\t\t# \"tor\" lid 9 4xHDR\n");
    let cable = half(30, 31) + &half(31, 30);
    let message =
        "port 30 of \"tor\" is cabled to its port 31: a loopback cable, which is left out";
    assert_eq!(warnings(&with_lines(&cable)), [format!("f:10: {message}")]);
    let two = cable + &half(32, 33) + &half(33, 32);
    assert_eq!(warnings(&with_lines(&two)), [format!("f:10: {message} (and 1 more like it)")]);
    // A loopback plug connects a port to itself.
    assert_eq!(warnings(&with_lines(&half(35, 35))).len(), 1);
}

#[test]
fn lower_of_two_speeds_is_used() {
    for line in ["# \"n1 mlx5_0\" lid 11 4xHDR", "# lid 11 lmc 0 \"tor\" lid 9 4xHDR"] {
        let text = dump(3).replacen(line, &line.replace("HDR", "EDR"), 1);
        let file = read(&text);
        assert_eq!(rates(&file), [200, 100, 200]);
        let warning = file.warnings[0].to_string();
        let ends =
            [" is 4xEDR at one end and 4xHDR at the", " is 4xHDR at one end and 4xEDR at the"];
        assert!(ends.iter().any(|ends| warning.contains(ends)), "{warning}");
        assert!(warning.ends_with("other: the lower speed is used"), "{warning}");
    }
}

#[test]
fn cut_off_end_is_named() {
    let text = dump(3);
    for cut in [3, 10, 25, 40] {
        let error = refused(&text[..text.len() - cut]);
        let wanted = "seems cut off at its last line, at node \"n2 mlx5_0\"";
        assert!(error.contains(wanted), "{error}");
    }
    // Between two lines: the last host lacks the line of its link. Between two nodes: the switch
    // names a host that is not in the file.
    let before_line = text.trim_end().rsplit_once('\n').unwrap().0;
    let before_node = text.rsplit_once("\nvendid").unwrap().0;
    for (cut, last) in [(before_line, "n2"), (before_node, "n1")] {
        let error = refused(cut);
        let wanted = format!("is the file cut off after its last node, \"{last} mlx5_0\"?");
        assert!(error.contains(&wanted), "{error}");
    }
}

#[test]
fn unknown_speeds_of_an_old_tool_are_explained() {
    for speed in ["4x???", "4xundefined", "??x???"] {
        let error = refused(&dump(3).replace("4xHDR", speed));
        assert!(error.contains("this ibnetdiscover is older than the link's speed"), "{error}");
        assert!(error.contains("a newer ibnetdiscover"), "{error}");
    }
}

/// Digits of GUIDs are replaced before a dump is sent to others. The format stays the same.
#[test]
fn unreadable_guids_do_not_change_the_format() {
    let file = read(&dump(3).replace("b8cef603", "XXXXXXXX"));
    assert_eq!((file.parts[0].hosts().len(), rates(&file)), (3, vec![200; 3]));
    // Equal ids tell no nodes apart.
    let equal = dump(2).replace("b8cef60300bb0001", "-").replace("b8cef60300bb0000", "-");
    let error = refused(&equal);
    let wanted =
        "two nodes have the id \"H--\": are GUIDs made unreadable, so that they are alike?";
    assert!(error.contains(wanted), "{error}");
}

/// The dump, with port 2 of each host at a second switch.
fn two_ports(hosts: usize) -> String {
    const SECOND: &str = "b8cef60300aa0001";
    let mut text = dump(hosts).replace("Ca\t1 ", "Ca\t2 ");
    let start = "\t\t# \"tor2\" enhanced port 0 lid 8 lmc 0";
    let mut switch = format!("\nSwitch\t40 \"S-{SECOND}\"{start}\n");
    for i in 0..hosts {
        let port = i + 1;
        let end = format!("\t# \"n{i} mlx5_0\" lid 5{i} 4xHDR");
        writeln!(switch, "[{port}]\t\"H-b8cef60300bb00{i:02}\"[2]{end}").unwrap();
        let line = format!("[2]\t\"S-{SECOND}\"[{port}]\t# lid 5{i} lmc 0 \"tor2\" lid 8 4xHDR\n");
        let at = text.rfind(&format!("[1](b8cef60300bb01{i:02})")).unwrap();
        text.insert_str(at, &line);
    }
    text + &switch
}

#[test]
fn hosts_with_several_ports_are_named() {
    let file = read(&two_ports(3));
    let warning = file.warnings[0].to_string();
    let wanted = "\"n0 mlx5_0\" has 2 linked ports, and its traffic uses the lowest one (and 2 more \
                  like it); links without traffic: 3 of 6";
    assert!(warning.contains(wanted), "{warning}");
}

/// Rails without a spine, dumped into one file.
#[test]
fn parts_without_a_path_are_read_apart() {
    let other = dump(2).replace("b8cef603", "b8cef604").replace("\"tor\"", "\"tor-b\"");
    let text =
        format!("{}\n{}", dump(3), other.replace("\"n0 ", "\"m0 ").replace("\"n1 ", "\"m1 "));
    let source = Source::new("f", &text);
    let file = read(&text);
    let hosts: Vec<usize> = file.parts.iter().map(|part| part.hosts().len()).collect();
    assert_eq!(hosts, [3, 2]);
    let (part, _) = file.clone().with_hosts(&source, &["m1 mlx5_0", "m0 mlx5_0"]).unwrap();
    assert_eq!(part.hosts().len(), 2);
    let apart = file.clone().with_hosts(&source, &["n1 mlx5_0", "m0 mlx5_0"]).unwrap_err();
    let wanted =
        "hosts \"n1 mlx5_0\" and \"m0 mlx5_0\" can't reach each other: the file has 2 parts";
    assert_eq!(apart.message(), wanted);
    assert!(file.connected(&source).unwrap_err().message().contains("can't reach each other"));
}

/// Returns the dump of 3 hosts with `ports` ports of the switch. Host n2 is at the last one of
/// `cables`, and behind the last port is a node inside the switch if `inside`.
fn large(ports: u16, cables: u16, inside: bool) -> String {
    let mut text = dump(3)
        .replace("Switch\t40", &format!("Switch\t{ports}"))
        .replace("[3]\t", &format!("[{cables}]\t"))
        .replace(&format!("\"S-{SWITCH}\"[3]"), &format!("\"S-{SWITCH}\"[{cables}]"));
    if inside {
        let (id, name) = ("H-b8cef60300aa0008", "Mellanox Technologies Aggregation Node");
        let port =
            format!("[{ports}]\t\"{id}\"[1](b8cef60300aa0008) \t\t# \"{name}\" lid 99 4xHDR\n");
        text = text.replacen(
            "\nvendid=0x2c9\ndevid=0x101b",
            &format!("{port}\nvendid=0x2c9\ndevid=0x101b"),
            1,
        );
        let near = format!("[1](b8cef60300aa0008) \t\"S-{SWITCH}\"[{ports}]");
        writeln!(text, "\nCa\t1 \"{id}\"\t\t# \"{name}\"").unwrap();
        writeln!(text, "{near}\t\t# lid 99 lmc 0 \"tor\" lid 9 4xHDR").unwrap();
    }
    text
}

/// 64 cages of two ports are 128 ports for cables when each is split, and the node for reduction
/// has a port after them. It is absent if it does not answer.
#[test]
fn switches_of_more_than_64_ports_are_read() {
    for (ports, cables, inside) in
        [(65, 64, true), (65, 64, false), (129, 128, true), (254, 254, false)]
    {
        let file = read(&large(ports, cables, inside));
        let fabric = &file.parts[0];
        let switch = fabric.switches()[0];
        assert_eq!((fabric.hosts().len(), fabric.links().len()), (3, 3), "{ports}");
        assert_eq!(fabric.port_count(switch), ports - u16::from(inside));
        let (peer, _) = fabric.peer(fabric.host_port(fabric.find("n2 mlx5_0").unwrap())).unwrap();
        assert_eq!(fabric.describe(peer), format!("tor:{cables}"));
        let warnings: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
        // The switch has 9 lines and 4 ports, each host 7 lines, and an empty line precedes the
        // node inside: 9 + 4 + 3 * 7 + 1 + 1 = 36.
        let expected = inside.then(|| "f:36: 1 aggregation node (SHARP) left out".to_owned());
        assert_eq!(warnings, Vec::from_iter(expected));
    }
    insta::assert_snapshot!(refused(&large(255, 254, false)), @r#"f:9: "tor" can't have 255 ports (allowed: 1 to 254 ports)"#);
}
