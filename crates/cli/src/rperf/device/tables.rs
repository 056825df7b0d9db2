//! What was measured, as tables.

use super::super::tables::{QUANTILES, row, unit_of};
use super::json::name;
use super::outcome::{Ended, Outcome};
use super::settings::{Settings, Until};
use bandwise_rdma::verbs::Transport;
use bandwise_report::{Cell, Table, text};
use bandwise_rperf::{Bandwidth, Summary};
use bandwise_verbs::session::{Method, Operation};

/// Everything that is printed for people.
pub(super) fn text(settings: &Settings, outcome: &Outcome) -> String {
    let latency = outcome.latency.as_ref().map(|measured| latency(settings, outcome, measured));
    let bandwidth = outcome.bandwidth.as_ref().map(|found| bandwidth(settings, outcome, found));
    let tables = latency.into_iter().chain(bandwidth).map(|table| text::table(&table));
    tables.chain([closing(settings, outcome)]).collect::<Vec<_>>().join("\n")
}

/// `64 B on SL0 from rxe0 to mlx5_0 at node1:18516`
fn who(settings: &Settings, outcome: &Outcome) -> String {
    let Settings { server, chosen, task, .. } = settings;
    let (bytes, sl) = (task.bytes.get(), task.sl.get());
    format!("{bytes} B on SL{sl} from {} to {} at {server}", chosen.device, outcome.peer)
}

/// What a method takes for the latency.
fn meaning(method: Method) -> &'static str {
    match method {
        Method::Rperf => {
            "The completion of a SEND over the wire less that of one over the loopback: from port to port, without \
             what the hosts add. Fewer than none is possible, and counted."
        }
        Method::PingPong(_) => {
            "From posting to the answer of the other side's program, with both hosts in it; perftest prints half."
        }
        Method::PostPoll | Method::ClosedLoop(_) | Method::Bulk(_) => {
            "From posting a request to its completion, with what both hosts and their RNICs add."
        }
    }
}

fn latency(settings: &Settings, outcome: &Outcome, measured: &Summary) -> Table {
    let (unit, scale) = unit_of(measured);
    let count = |name: &str, count: u64| row(name, vec![Cell::number(count as f64, "")]);
    let time = |name: &str, ns: f64| row(name, vec![Cell::number(ns * scale, unit)]);
    let mut rows = vec![count("samples", measured.count)];
    rows.extend(QUANTILES.iter().map(|&(name, of)| time(name, of(measured))));
    rows.push(time("mean", measured.mean_ns));
    rows.push(count("negative", measured.negatives));
    rows.push(count("zero", measured.zeros));
    let few = match settings.until {
        Until::Samples(wanted) if measured.count < wanted => {
            format!(" It took {} of {wanted} samples.", measured.count)
        }
        _ => String::new(),
    };
    let method = settings.task.method;
    Table {
        title: format!("{}: round-trip time of {}", named(method), who(settings, outcome)),
        caption: meaning(method).to_owned() + &few,
        header: ["", "measured"].map(str::to_owned).to_vec(),
        rows,
    }
}

fn bandwidth(settings: &Settings, outcome: &Outcome, found: &Bandwidth) -> Table {
    let cells = vec![
        Cell::text(named(settings.task.method)),
        Cell::text(who(settings, outcome)),
        Cell::number(found.rate().as_gbps_f64(), "Gbps"),
        Cell::number(found.messages as f64, ""),
    ];
    let header = ["flow", "messages of", "payload", "messages"];
    let caption = match settings.task.transport {
        Transport::Rc => "Payload of messages that completed while it was measured, one way.",
        Transport::Ud => {
            "Payload of datagrams that were sent while it was measured, whether they arrived or not."
        }
    };
    Table {
        title: "Bandwidth".to_owned(),
        caption: caption.to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: vec![cells],
    }
}

/// The method and what it moves messages by, where it has a choice.
pub(in crate::rperf) fn named(method: Method) -> String {
    let by = match method.operation() {
        _ if matches!(method, Method::Rperf | Method::PostPoll) => return name(method).to_owned(),
        Operation::Send => "SEND",
        Operation::Write => "WRITE",
        Operation::WriteImm => "WRITE with immediate",
        Operation::Read => "READ",
        Operation::Atomic => "atomic",
    };
    format!("{} by {by}", name(method))
}

/// The line that says what all numbers rest on.
fn closing(settings: &Settings, outcome: &Outcome) -> String {
    let partial = match &outcome.end {
        Ended::Complete => String::new(),
        Ended::Interrupted => "Partial: interrupted. ".to_owned(),
        Ended::Failed(why) => format!("Partial: {why}. "),
    };
    let none = match (&outcome.latency, &outcome.bandwidth) {
        (None, None) => "No sample. ",
        _ => "",
    };
    let (chosen, task) = (&settings.chosen, &settings.task);
    let gid = chosen.gid.map_or(String::new(), |(index, gid)| format!(", GID {index} ({gid})"));
    let transport = match task.transport {
        Transport::Rc => "RC",
        Transport::Ud => "UD",
    };
    let queue_pairs = match task.queue_pairs.get() {
        1 => format!("1 queue pair ({transport})"),
        n => format!("{n} queue pairs ({transport})"),
    };
    format!(
        "{partial}{none}{} port {}{gid}, {queue_pairs}, MTU {}; {:.3} s by {}, {} with a processor busy for {:.3} s; \
         seed {}, bandwise {}.\n",
        chosen.device,
        chosen.port,
        outcome.mtu,
        outcome.took.as_s_f64(),
        outcome.clock,
        if task.events { "by events" } else { "looking all the time" },
        outcome.busy.as_s_f64(),
        settings.seed,
        env!("CARGO_PKG_VERSION"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;
    use bandwise_agents::Address;
    use bandwise_rdma::wire::Mtu;
    use bandwise_rperf::Latency;
    use bandwise_units::{Bytes, Time};
    use bandwise_verbs::ibverbs::{Chosen, Gid};
    use bandwise_verbs::session::Task;

    fn settings(method: Method) -> Settings {
        let mut gid = [0; 16];
        (gid[10], gid[11], gid[12], gid[15]) = (0xff, 0xff, 10, 2);
        Settings {
            server: Address { name: "node1".into(), port: 7000 },
            chosen: Chosen {
                device: "mlx5_0".into(),
                port: 1,
                gid: Some((3, Gid(gid))),
                lid: 0,
                mtu: Mtu::MAX,
            },
            task: Task {
                method,
                transport: Transport::Rc,
                bytes: 64.try_into().unwrap(),
                inline: 0.try_into().unwrap(),
                queue_pairs: 2.try_into().unwrap(),
                depth: 128.try_into().unwrap(),
                mtu: Mtu::MAX,
                sl: 5.try_into().unwrap(),
                traffic_class: 0.try_into().unwrap(),
                events: false,
            },
            until: Until::Samples(10),
            seed: 7,
        }
    }

    fn outcome(end: Ended) -> Outcome {
        Outcome {
            peer: "mlx5_1".into(),
            mtu: Mtu::try_from(1024).unwrap(),
            latency: None,
            bandwidth: None,
            end,
            took: Time::from_ms(20),
            busy: Time::from_ms(19),
            clock: "the system's clock".into(),
        }
    }

    /// Samples below zero count, and what is missing is said.
    #[test]
    fn a_latency_that_is_partial() {
        let mut latency = Latency::new();
        [-2_000, 0, 4_000].iter().for_each(|&ps| latency.record_ps(ps));
        let end = Ended::Failed("the other side is gone".into());
        let outcome = Outcome { latency: latency.summary(), ..outcome(end) };
        let settings = settings(Method::Rperf);
        let said = text(&settings, &outcome);
        for words in [
            "rperf: round-trip time of 64 B on SL5 from mlx5_0 to mlx5_1 at node1:7000",
            "samples           3",
            "max            4 ns",
            "negative          1",
            "It took 3 of 10 samples.",
            "Partial: the other side is gone. mlx5_0 port 1, GID 3 (::ffff:10.0.0.2), 2 queue pairs (RC), MTU 1024 B",
            "0.020 s by the system's clock, looking all the time with a processor busy for 0.019 s;",
            "seed 7",
        ] {
            assert!(said.contains(words), "no {words:?} in {said}");
        }
        let json = json::of(&settings, &outcome);
        let flow = &json["flows"][0];
        assert_eq!(
            (&json["stop"], &json["failure"]),
            (&"failed".into(), &"the other side is gone".into())
        );
        assert_eq!(flow["latency"]["measured"]["negatives"], 1);
        assert_eq!((&flow["operation"], &flow["mtu_bytes"]), (&"send".into(), &1024.into()));
    }

    #[test]
    fn a_bandwidth() {
        let (from, to) = (Time::from_ms(1), Time::from_ms(2));
        // 1.25 MB in a millisecond are 10 Gbps.
        let bandwidth = Bandwidth { bytes: Bytes::new(1_250_000), messages: 20, from, to };
        let outcome = Outcome { bandwidth: Some(bandwidth), ..outcome(Ended::Complete) };
        let settings = settings(Method::Bulk(Operation::WriteImm));
        let said = text(&settings, &outcome);
        for words in ["bulk by WRITE with immediate", "10 Gbps", " 20\n"] {
            assert!(said.contains(words), "no {words:?} in {said}");
        }
        assert!(!said.contains("Partial"), "{said}");
        let json = json::of(&settings, &outcome);
        assert_eq!(json["flows"][0]["bandwidth"]["gbps"], 10.0);
        assert_eq!(json["flows"][0]["operation"], "write-imm");
    }
}
