//! Files that can't be used: exit code 2, file and line, what is allowed, and nothing written.

use crate::common::{BACK_TO_BACK, Place};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs on the file with all outputs asked for.
#[track_caller]
fn refuses(name: &str, content: impl AsRef<[u8]>, message: &[&str]) {
    let place = Place::new();
    place.write(name, content);
    let args = ["rperf", "--fabric", name, "--to", "h0", "--json", "o.json", "--report", "o.html"];
    place.run(&args).refused(message);
    assert_eq!(place.files(), [name], "something was written");
}

fn switch_and(rest: &str) -> String {
    format!(
        "kind = \"infiniband\"\n[fabric]\nlink = {{ rate = \"10 Gbps\" }}\n[[fabric.switch]]\nname = \"tor\"\n\
         ports = 4\n[[fabric.host]]\nname = \"h0\"\nport = \"tor:1\"\n{rest}"
    )
}

fn back_to_back_and(rest: &str) -> String {
    format!("kind = \"infiniband\"\n{BACK_TO_BACK}{rest}")
}

#[test]
fn unconnected_port_is_refused() {
    let text = switch_and("[[fabric.host]]\nname = \"h1\"\n");
    refuses("f.toml", text, &["f.toml:11: host \"h1\" has no link", "allowed: a link to"]);
}

#[test]
fn duplicate_name_is_refused() {
    let text = switch_and("[[fabric.host]]\nname = \"h0\"\nport = \"tor:2\"\n");
    refuses("f.toml", text, &["f.toml:11: ", "\"h0\"", "allowed: a name that no other"]);
}

#[test]
fn unknown_host_is_refused() {
    let text = back_to_back_and("[[flow]]\nfrom = \"h7\"\nto = \"h0\"\nmethod = \"rperf\"\n");
    refuses("f.toml", text, &["f.toml:6: there is no host \"h7\"", "allowed: ", "\"h1\""]);
}

#[test]
fn credit_loop_in_a_scenario_is_refused() {
    let text = crate::rperf::ring("");
    let message = ["f.toml:2: ", "s0:2 -> s1:2 -> s2:2", "allowed: ", "allow-credit-loops"];
    refuses("f.toml", text, &message);
}

#[test]
fn lane_unserved_at_a_port_on_the_path_is_refused() {
    let tables = "[qos]\nsl2vl = [0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]\n\
                  [[qos.port]]\nnode = \"h1\"\nlow = [\"0:64\"]\n";
    let place = Place::new();
    place.write("f.toml", back_to_back_and(tables));
    let args = ["rperf", "--fabric", "f.toml", "--to", "h0", "--sl", "1", "--json", "o.json"];
    let message = [
        "<flags>:1: SL1 goes to VL1 at h1:1, where no arbitration entry serves this lane",
        "allowed: sl =",
    ];
    place.run(&args).refused(&message);
    assert_eq!(place.files(), ["f.toml"]);
}

#[test]
fn credit_loop_in_a_netlist_is_refused() {
    let mut text = "# seven switches\n\n".to_owned();
    for i in 0..7 {
        let (next, last) = ((i + 1) % 7, (i + 6) % 7);
        text += &format!("Switch 3 \"s{i}\"\n[1] \"h{i}\"\n[2] \"s{next}\"[3]\n");
        text += &format!("[3] \"s{last}\"[2]\nHca 1 \"h{i}\"\n[1] \"s{i}\"[1]\n");
    }
    let message = ["f.net:3: ports can wait", "s0:2 -> s1:2", "allowed: ", "in a TOML scenario"];
    refuses("f.net", text, &message);
}

#[test]
fn unknown_mtu_is_refused() {
    let text = back_to_back_and("[device]\nmtu = 5000\n");
    refuses("f.toml", text, &["f.toml:6: ", "5000", "mtu = 5000", "256, 512, 1024, 2048 or 4096"]);
}

#[test]
fn too_large_weight_is_refused() {
    let text = back_to_back_and("[qos]\nlow = [\"0:300\"]\n");
    refuses("f.toml", text, &["f.toml:6: ", "300", "allowed: ", "255"]);
}

#[test]
fn negative_size_is_refused() {
    let flow = "[[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"rperf\"\nbytes = ";
    refuses(
        "f.toml",
        back_to_back_and(&format!("{flow}\"-64 B\"\n")),
        &["f.toml:9: ", "allowed: "],
    );
    refuses("f.toml", back_to_back_and(&format!("{flow}-64\n")), &["f.toml:9: ", "allowed: "]);
}

#[test]
fn unknown_key_is_refused() {
    let text = back_to_back_and("[switch]\nlatencie = \"200 ns\"\n");
    refuses("f.toml", text, &["f.toml:6: unknown field `latencie`", "allowed: ", "latency"]);
}

#[test]
fn empty_file_is_refused() {
    refuses("f.toml", "", &["f.toml:1: the file is empty", "allowed: "]);
    refuses("f.toml", " \n\n", &["f.toml:1: the file is empty", "allowed: "]);
}

#[test]
fn binary_file_is_refused() {
    refuses("f.bin", b"[fabric]\nbuild\0 = 1", &["f.bin:2: a NUL byte (byte 14", "allowed: "]);
    refuses("f.bin", b"\x7fELF\xff\xfe", &["f.bin:1: bytes that are not UTF-8", "allowed: "]);
    // Beyond the first chunk, which ends in the middle of a character.
    let mut late = vec![b'#'; (64 << 10) - 1];
    late.extend("é\n".bytes());
    late.push(0xff);
    refuses("f.bin", late, &["f.bin:2: bytes that are not UTF-8", "allowed: "]);
}

/// 0x96 is a dash in Windows-1252. `iconv` converts both files.
#[test]
fn text_in_another_encoding_is_refused_with_its_remedy() {
    let text = b"kind = \"infiniband\"\ntitle = \"a \x96 b\"\n";
    let place = Place::new();
    place.write("f.toml", text);
    // 20 bytes of line 1 and 11 of line 2 precede the dash.
    let wanted = [
        "f.toml:2: bytes that are not UTF-8 (byte 31 of the file, 0x96)",
        "iconv -f WINDOWS-1252 -t UTF-8",
    ];
    place.run(&["sim", "run", "f.toml"]).refused(&wanted);
    let utf16: Vec<u8> = "\u{feff}kind = 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.write("w.toml", utf16);
    let wanted = ["w.toml:1: a text in UTF-16", "iconv -f UTF-16 -t UTF-8"];
    place.run(&["fabric", "show", "w.toml"]).refused(&wanted);
    place.write("s.toml", "kind = \"ethernet\"\n");
    place.write("l.csv", b"start_ns,src,dst,bytes\n0,0,1,5 \x96\n");
    let wanted = ["l.csv:2: this is not UTF-8", "iconv -f WINDOWS-1252 -t UTF-8"];
    place.run(&["sim", "run", "s.toml", "--flows", "l.csv"]).refused(&wanted);
}

#[test]
fn gigabyte_file_is_refused_at_once() {
    let place = Place::new();
    let file = std::fs::File::create(place.path().join("big.bin")).unwrap();
    file.set_len(1 << 30).unwrap();
    let began = Instant::now();
    for command in [
        &["rperf", "--to", "h0", "--json", "o.json", "--fabric", "big.bin"][..],
        &["fabric", "show", "big.bin"],
        &["fabric", "convert", "big.bin", "--to", "toml"],
    ] {
        place.run(command).refused(&["big.bin:1: has 1024 MiB: too large", "allowed: ", "64 MiB"]);
    }
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(place.files(), ["big.bin"]);
}

#[test]
fn endless_standard_input_is_refused() {
    // 65 MiB of text: refused without a file's length to go by.
    let text = vec![b'#'; 65 << 20];
    let ran = Place::new().run_with(&["fabric", "show", "-"], &text);
    ran.refused(&["<stdin>:1: has more than 64 MiB", "allowed: "]);
}

#[test]
fn missing_file_or_folder_is_refused() {
    let place = Place::new();
    place
        .run(&["fabric", "show", "no.toml"])
        .refused(&["error: no.toml: can't be read: No such file"]);
    place.run(&["fabric", "show", "."]).refused(&["error: .: is a folder", "allowed: "]);
}

#[test]
fn byte_order_mark_is_ignored() {
    let netlist = "\u{feff}Switch 2 \"s\"\n[1] \"h\"[1]\nHca 1 \"h\"\n[1] \"s\"[1]\n";
    let ran = Place::new().run_with(&["fabric", "show", "-"], netlist.as_bytes()).good();
    assert!(ran.stdout.contains("switches      1"), "{}", ran.stdout);
    let nothing = Place::new().run_with(&["fabric", "show", "-"], "\u{feff}\n".as_bytes());
    nothing.refused(&["<stdin>:1: the file is empty"]);
}

#[test]
fn closed_stderr_keeps_the_exit_code() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bandwise"));
    command.args(["fabric", "show", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The reader closes stderr before the error is written.
    drop(child.stderr.take());
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// Characters that move the cursor, ring, or show a text other than it is.
const UNPRINTABLE: [char; 4] = ['\u{1b}', '\u{7}', '\u{202e}', '\u{2028}'];

#[track_caller]
fn check_printable(text: &str) {
    assert!(!text.contains(UNPRINTABLE), "{text:?}");
}

#[test]
fn control_characters_of_inputs_are_escaped_in_texts_for_people() {
    let place = Place::new();
    place.write("f.toml", "[fabric]\n\u{1b}[2J = 1\n");
    let ran = place.run(&["fabric", "show", "f.toml"]).refused(&["f.toml:2: "]);
    check_printable(&ran.stderr);
    // Names of files and wrong flags.
    let odd: String = UNPRINTABLE.into_iter().collect();
    let file = format!("f{odd}.toml");
    place.write(&file, "[fabric]\nx = 1\n");
    check_printable(&place.run(&["fabric", "show", &file]).refused(&[":2: "]).stderr);
    check_printable(&place.run(&["fabric", "show", &format!("none{odd}")]).refused(&[]).stderr);
    for arguments in [vec![odd.as_str()], vec!["fabric", "show", "f.toml", &odd]] {
        check_printable(&place.run(&arguments).refused(&[]).stderr);
    }
    let controller = format!("unix:{odd}");
    let flags = ["saba", "run", "--app", "LR", "--controller", &controller, "--"];
    let ran = place.run(&[&flags[..], &[&format!("./none{odd}")]].concat());
    assert_eq!(ran.code, Some(127));
    check_printable(&ran.stderr);
}

#[test]
fn control_characters_in_titles_and_names_are_escaped_in_results() {
    let place = Place::new();
    let odd = r"\u001b[31m\u0007\u202e\u2028";
    for file in ["jobs.toml", "two-lanes.toml"] {
        let example = format!("{}/../../docs/examples/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(example).unwrap();
        let odd_text = text.replace("title = \"", &format!("title = \"{odd}"));
        let named = format!("name = \"N{odd}\"\nworkload = ");
        let odd_text = odd_text.replace("workload = ", &named);
        place.write(file, odd_text);
    }
    for arguments in [["saba", "plan", "jobs.toml"], ["sim", "run", "two-lanes.toml"]] {
        let ran = place.run(&arguments).good();
        check_printable(&ran.stdout);
        check_printable(&ran.stderr);
    }
}
