//! `bandwise lab`: what is refused before anything is looked at. The rest is `tests/lab`.

use crate::common::Place;

#[test]
fn bad_flags_are_refused() {
    let place = Place::new();
    let refused = |args: &str, message: &[&str]| {
        let args: Vec<&str> = ["lab"].into_iter().chain(args.split(' ')).collect();
        place.run(&args).refused(message);
    };
    for hosts in ["1", "65", "-1", "four"] {
        refused(&format!("up --hosts {hosts}"), &["--hosts can't be", "2 to 64"]);
    }
    for rate in ["200", "0Mbit", "999kbit", "101Gbit", "-1Mbit"] {
        refused(&format!("up --rate {rate}"), &["--rate can't be", "1 Mbps to 100 Gbps"]);
    }
    for others in ["0", "100", "0.5"] {
        refused(&format!("up --others {others}"), &["--others can't be", "1 to 99"]);
    }
    for name in ["Lab", "a/b", "-a", "a.b", "abcdefghijklmnopq", ""] {
        refused(&format!("up --name={name}"), &["--name can't be", "a to z, 0 to 9 and -"]);
    }
    refused("exec h1", &["<COMMAND>"]);
    for weight in ["10", "0=1", "64=1", "10=0", "10=256", "10=x"] {
        refused(&format!("weights h1 {weight}"), &["a DSCP from 1 to 63 and a weight"]);
    }
    refused("weights h1 10=1 10,12=2", &["DSCP 10 has two weights", "one for each DSCP"]);
    refused("weights h1 1=1 2=1 3=1 4=1 5=1 6=1 7=1 8=1 9=1", &["9 weights", "up to 8"]);
    refused("weights h1 10=1 --clear", &["cannot be used with"]);
    for command in ["up", "down", "status"] {
        refused(&format!("{command} --json /nowhere/x"), &["no folder /nowhere"]);
    }
}
