//! The parameters of congestion control: each key reaches its setting.

use super::{file, of_kind, read};
use bandwise_input::Source;
use bandwise_rdma::congestion::{
    AimdSettings, Algorithm, CongestionSettings, DcqcnSettings, DctcpSettings, HpccSettings,
    NotificationSettings, SwiftSettings, TimelySettings,
};
use bandwise_scenario::ethernet::Study;
use bandwise_units::{BitRate, Bytes, Time};

const US: fn(u64) -> Time = Time::from_us;
const MBPS: fn(u64) -> BitRate = |mbps| BitRate::from_bps(mbps * 1_000_000);

/// A document with all parameters, and this kind.
fn full(kind: &str) -> (CongestionSettings, NotificationSettings) {
    let text = include_str!("full.toml").replace("\"hpcc\"", &format!("{kind:?}"));
    let host = read(&text).model().host.clone();
    (host.congestion, host.notification)
}

fn settings(algorithm: Algorithm) -> CongestionSettings {
    CongestionSettings { algorithm, ..CongestionSettings::default() }
}

#[test]
fn every_dcqcn_parameter_is_read() {
    let dcqcn = DcqcnSettings {
        gain: 1.0 / 256.0,
        alpha_timer: US(45),
        increase_timer: US(300),
        byte_counter: Bytes::new(32_000),
        fast_recovery: 1,
        additive_increase: MBPS(5),
        hyper_increase: MBPS(50),
        min_rate: MBPS(100),
        clamp_target: true,
        back_off: 0.5,
    };
    let expected = CongestionSettings { dcqcn, ..settings(Algorithm::Dcqcn) };
    assert_eq!(full("dcqcn"), (expected, NotificationSettings { interval: US(4) }));
}

#[test]
fn every_timely_parameter_is_read() {
    let timely = TimelySettings {
        segment: Bytes::new(16_000),
        ewma: 0.02,
        min_rtt: US(24),
        low: US(40),
        high: US(300),
        additive_increase: MBPS(20),
        decrease: 0.9,
        floor: 0.4,
        hyper_after: 3,
        min_rate: MBPS(1),
        back_off: 0.25,
    };
    assert_eq!(full("timely").0, CongestionSettings { timely, ..settings(Algorithm::Timely) });
}

#[test]
fn every_parameter_of_other_algorithms_is_read() {
    let aimd = AimdSettings { increase: 2.0, decrease: 0.7 };
    assert_eq!(full("aimd").0, CongestionSettings { aimd, ..settings(Algorithm::Aimd) });
    let dctcp = DctcpSettings { gain: 0.125, increase: 3.0, decrease: 0.6 };
    assert_eq!(full("dctcp").0, CongestionSettings { dctcp, ..settings(Algorithm::Dctcp) });
    let hpcc = HpccSettings { target: 0.98, max_stage: 3, additive_increase: Bytes::new(160) };
    assert_eq!(full("hpcc").0, CongestionSettings { hpcc, ..settings(Algorithm::Hpcc) });
    let swift = SwiftSettings {
        queueing: US(30),
        scaling_range: US(80),
        scaling_min: 0.2,
        scaling_max: 50.0,
        increase: 0.5,
        decrease: 0.9,
        max_decrease: 0.4,
        min_window: 0.02,
        reset_after: 3,
    };
    assert_eq!(full("swift").0, CongestionSettings { swift, ..settings(Algorithm::Swift) });
}

#[test]
fn settings_of_other_algorithms_have_no_effect() {
    assert_eq!(full("none"), (CongestionSettings::default(), NotificationSettings::default()));
    let text = |gain| format!("[congestion-control]\nkind = \"timely\"\ndcqcn.gain = {gain}\n");
    let fingerprint = |gain| read(&text(gain)).fingerprint();
    assert_eq!(fingerprint("0.5"), fingerprint("0.25"));
}

#[test]
fn zero_disables_timers_and_limits_stay_ordered() {
    let of = |kind: &str, keys: &str| {
        read(&format!("[congestion-control]\nkind = {kind:?}\n{kind} = {{ {keys} }}\n"))
            .model()
            .host
            .clone()
    };
    let host = of(
        "dcqcn",
        "alpha-timer = \"0 us\", increase-timer = \"0 us\", byte-counter = \"0 B\", \
         cnp-interval = \"0 us\"",
    );
    let dcqcn = host.congestion.dcqcn;
    assert_eq!((dcqcn.alpha_timer, dcqcn.increase_timer), (Time::ZERO, Time::ZERO));
    assert_eq!((dcqcn.byte_counter, host.notification.interval), (Bytes::ZERO, Time::ZERO));
    let timely = of("timely", "high = \"30 us\"").congestion.timely;
    assert_eq!((timely.low, timely.high), (US(30), US(30)));
    let swift = of("swift", "scaling-max = 0.05").congestion.swift;
    assert_eq!((swift.scaling_min, swift.scaling_max), (0.05, 0.05));
}

#[test]
fn a_sweep_may_vary_a_parameter_or_the_kind() {
    let study = |text: &str| {
        let study = Study::from_toml(&Source::new("s.toml", &of_kind(text)), file).unwrap();
        let host = |point: &bandwise_scenario::ethernet::Point| point.scenario.model().host.clone();
        study.points.iter().map(|point| host(point).congestion).collect::<Vec<_>>()
    };
    let gains = study(
        "[congestion-control]\nkind = \"dcqcn\"\n[sweep]\n\
         congestion-control.dcqcn.gain = [0.5, 0.25]\n",
    );
    assert_eq!((gains[0].dcqcn.gain, gains[1].dcqcn.gain), (0.5, 0.25));
    let kinds = study(
        "[congestion-control.dcqcn]\ngain = 0.5\n[congestion-control.timely]\newma = 0.5\n\
         [sweep]\ncongestion-control.kind = [\"none\", \"dcqcn\", \"timely\"]\n",
    );
    assert_eq!(kinds[0], CongestionSettings::default());
    assert_eq!((kinds[1].dcqcn.gain, kinds[1].timely), (0.5, TimelySettings::default()));
    assert_eq!((kinds[2].timely.ewma, kinds[2].dcqcn), (0.5, DcqcnSettings::default()));
}
