#![allow(missing_docs)]
use bandwise_netsim::egress::Scheduling;
use bandwise_netsim::host::DeviceModel;
use bandwise_netsim::switch::{Hiccup, Queueing, SwitchModel};
use bandwise_netsim::{Models, Qos};
use bandwise_rdma::qos::*;
use bandwise_rdma::verbs::Opcode;
use bandwise_scenario::*;
use bandwise_topology::*;
use bandwise_units::*;
use std::ops::ControlFlow;

fn models(s: Scheduling, hiccup: bool, vls: u8) -> Models {
    let mut sl2vl = [0; 16];
    if vls == 2 {
        sl2vl[1] = 1;
    }
    let e = |v: u8, weight| VlArbEntry { vl: Vl::try_from(v).unwrap(), weight };
    let vlarb = if vls == 2 {
        VlArbTable { high: vec![e(1, 64)], low: vec![e(0, 64)], high_limit: 1 }
    } else {
        VlArbTable { high: vec![], low: vec![e(0, 64)], high_limit: 0 }
    };
    Models {
        switch: SwitchModel {
            latency: Time::from_ns(200),
            buffer: Bytes::from_kib(32),
            scheduling: s,
            queueing: Queueing::Fifo,
            hiccup: hiccup.then_some(Hiccup { one_in: 256, up_to: Time::from_ns(200) }),
            credit_delay: Time::from_ns(std::env::var("CD").map_or(50, |t| t.parse().unwrap())),
            marking: None,
        },
        device: DeviceModel::connectx4_56g(),
        qos: Qos { sl2vl: Sl2Vl::new(sl2vl).unwrap(), vlarb },
    }
}
fn fabric(hops: usize, direct: bool) -> Fabric {
    let rate = BitRate::from_bps(54_545_454_545);
    let mut b = FabricBuilder::new();
    let h: Vec<_> =
        (0..if direct { 2 } else { 7 }).map(|i| b.add_host(format!("h{i}"), 1).unwrap()).collect();
    let p = |node, number| Port { node, number };
    if direct {
        b.connect(p(h[0], 1), p(h[1], 1), rate, Time::from_ns(24)).unwrap();
    } else {
        let s: Vec<_> = (0..hops).map(|i| b.add_switch(format!("s{i}"), 12).unwrap()).collect();
        let d = Time::from_ps(9_600);
        for (i, &host) in h.iter().enumerate() {
            // two hops: h1,h2 (BSG) and h6 (LSG) upstream = s1
            let up = hops == 2 && (i == 1 || i == 2 || i == 6);
            b.connect(p(host, 1), p(s[usize::from(up)], i as u8 + 1), rate, d).unwrap();
        }
        if hops == 2 {
            b.connect(p(s[0], 12), p(s[1], 12), rate, d).unwrap();
        }
    }
    b.build().unwrap()
}
fn think() -> Time {
    Time::from_ns(std::env::var("THINK").map_or(600, |t| t.parse().unwrap()))
}
fn lat(bytes: u32, samples: u64) -> LatencyTraffic {
    LatencyTraffic { bytes, warmup: 20, samples, think: think() }
}
fn bulk(bytes: u32, batch: u32, qps: u16) -> Method {
    Method::Bulk(BulkTraffic {
        bytes,
        opcode: Opcode::Write,
        buffer: Bytes::from_kib(32),
        depth: 512,
        batch,
        qps,
        rate: None,
    })
}
fn sl(n: u8) -> Sl {
    Sl::try_from(n).unwrap()
}
fn run(name: &str, f: Fabric, m: Models, flows: Vec<Flow>, ms: u64) -> Option<Results> {
    if !name.starts_with(&std::env::var("ONLY").unwrap_or_default()) {
        return None;
    }
    let routes = Routes::shortest(&f);
    let s = Scenario {
        title: name.into(),
        fabric: f,
        routes,
        models: m,
        flows,
        warmup: Time::from_us(100),
        duration: Time::from_ms(ms),
        seed: 1,
    };
    let t = std::time::Instant::now();
    let r = s.run(|_| ControlFlow::Continue(())).unwrap();
    let w = t.elapsed().as_secs_f64();
    print!("{name:28}");
    let mut total = 0.0;
    let mut bw = vec![];
    for f in &r.flows {
        if let Some(l) = &f.latency {
            print!(
                " n={} p50={:.3} p99.9={:.3} mean={:.3}",
                l.measured.count,
                l.measured.p50_ns / 1e3,
                l.measured.p99_9_ns / 1e3,
                l.measured.mean_ns / 1e3
            );
            if let (Some(t), Some(e)) = (l.truth, l.error) {
                print!(" truth={:.1}/{:.1} err={:.1}", t.p50_ns, t.p99_9_ns, e.p50_ns);
            }
        }
        if let Some(b) = &f.bandwidth {
            let g = b.rate().as_gbps_f64();
            total += g;
            bw.push(format!("{g:.2}"));
        }
    }
    if total > 0.0 {
        print!(" total={total:.2} [{}]", bw.join(" "));
    }
    println!(
        "  {:.1}M hops/s {:.2}s ev/hop {:.2}",
        r.counters.packet_hops as f64 / w / 1e6,
        w,
        r.counters.events as f64 / r.counters.packet_hops as f64
    );
    Some(r)
}
fn flow(name: &str, from: usize, s: u8, method: Method) -> Flow {
    Flow { name: name.into(), from, to: 0, sl: sl(s), method }
}
fn main() {
    use Scheduling::*;
    let n = 20_000;
    if std::env::var("ONLY").as_deref() == Ok("bench") {
        let mut v: Vec<Flow> = (1..=5).map(|i| flow("b", i, 0, bulk(4096, 1, 1))).collect();
        v.push(flow("l", 6, 0, Method::RPerf(lat(64, u64::MAX))));
        let ms = std::env::var("MS").map_or(2000, |m| m.parse().unwrap());
        run("bench", fabric(1, false), models(Fcfs, true, 1), v, ms);
        return;
    }
    for (d, nm) in [(true, "direct"), (false, "switch")] {
        for b in [64, 4096] {
            run(
                &format!("fig4 {nm} {b}"),
                fabric(1, d),
                models(Fcfs, true, 1),
                vec![flow("l", 1, 0, Method::RPerf(lat(b, n)))],
                1000,
            );
        }
    }
    for (d, nm) in [(true, "direct"), (false, "switch")] {
        for b in [64, 1024, 4096] {
            run(
                &format!("fig5 {nm} {b}"),
                fabric(1, d),
                models(Fcfs, true, 1),
                vec![flow("b", 1, 0, bulk(b, 1, 1))],
                2,
            );
        }
    }
    for b in [64, 4096] {
        run(
            &format!("fig6 perftest {b}"),
            fabric(1, false),
            models(Fcfs, true, 1),
            vec![flow("l", 1, 0, Method::PingPong(lat(b, n)))],
            1000,
        );
        run(
            &format!("fig6 qperf {b}"),
            fabric(1, false),
            models(Fcfs, true, 1),
            vec![flow("l", 1, 0, Method::PostPoll(lat(b, n)))],
            1000,
        );
    }
    let conv = |nb: usize, bytes: u32, batch: u32| {
        let mut v: Vec<Flow> = (1..=nb).map(|i| flow("b", i, 0, bulk(bytes, batch, 1))).collect();
        v.push(flow("l", 6, 0, Method::RPerf(lat(64, 10_000))));
        v
    };
    for nb in 0..=5 {
        run(
            &format!("fig7 n={nb}"),
            fabric(1, false),
            models(Fcfs, true, 1),
            conv(nb, 4096, 1),
            100,
        );
    }
    for b in [64, 128, 256, 512, 1024, 4096] {
        run(
            &format!("fig8 {b}"),
            fabric(1, false),
            models(Fcfs, true, 1),
            conv(5, b, if b <= 512 { 8 } else { 1 }),
            40,
        );
    }
    let conv = |nb: usize, bytes: u32, batch: u32| {
        let mut v: Vec<Flow> = (1..=nb).map(|i| flow("b", i, 0, bulk(bytes, batch, 1))).collect();
        v.push(flow("l", 6, 0, Method::ClosedLoop(Opcode::Send, lat(64, 10_000))));
        v
    };
    for nb in 0..=5 {
        run(
            &format!("fig10 fcfs n={nb}"),
            fabric(1, false),
            models(Fcfs, false, 1),
            conv(nb, 4096, 1),
            100,
        );
    }
    for nb in 0..=5 {
        run(
            &format!("fig10 rr n={nb}"),
            fabric(1, false),
            models(RoundRobin, false, 1),
            conv(nb, 4096, 1),
            50,
        );
    }
    for s in [Fcfs, RoundRobin] {
        run(&format!("fig11 {s:?}"), fabric(2, false), models(s, false, 1), conv(5, 4096, 1), 100);
    }
    let mut v: Vec<Flow> = (1..=5).map(|i| flow("b", i, 0, bulk(4096, 1, 1))).collect();
    v.push(flow("l", 6, 1, Method::RPerf(lat(64, 10_000))));
    run("fig12 dedicated", fabric(1, false), models(Fcfs, true, 2), v, 50);
    for (q, ba) in [(1, 8), (2, 8), (2, 4), (2, 1)] {
        let mut v: Vec<Flow> = (1..=4).map(|i| flow("b", i, 0, bulk(4096, 1, 1))).collect();
        v.push(flow("p", 5, 1, bulk(256, ba, q)));
        v.push(flow("l", 6, 1, Method::RPerf(lat(64, 10_000))));
        run(
            &format!("fig12 pretend qps={q} batch={ba}"),
            fabric(1, false),
            models(Fcfs, true, 2),
            v,
            50,
        );
    }
}
