//! Headroom of a shared buffer, port by port.

use super::{read, try_read};
use bandwise_netsim::ethernet::{Buffering, Headroom, NetworkModel};
use bandwise_scenario::ethernet::EthernetScenario;
use bandwise_units::{Bytes, Time};
use proptest::prelude::*;

/// A switch of five ports, the last of which has no cable.
fn unequal(rates: [u64; 4], delays: [u64; 4], switch: &str) -> String {
    let mut text = "[fabric]\n[[fabric.switch]]\nname = \"s\"\nports = 5\n".to_owned();
    for n in 0..4 {
        text += &format!("[[fabric.host]]\nname = \"h{n}\"\n");
    }
    for (n, (rate, delay)) in rates.into_iter().zip(delays).enumerate() {
        text += &format!(
            "[[fabric.cable]]\nfrom = \"h{n}\"\nto = \"s:{}\"\nrate = \"{rate} Gbps\"\n\
             delay = \"{delay} ns\"\n",
            n + 1
        );
    }
    format!(
        "{text}[switch]\nqueues = \"output\"\n{switch}[transport]\nkind = \"roce\"\n\
         acks = \"every-packet\"\n"
    )
}

fn headrooms(scenario: &EthernetScenario) -> Vec<u64> {
    let NetworkModel { switch, .. } = scenario.model();
    let Buffering::Shared(shared) = &switch.buffering else { panic!("no shared buffer") };
    let (fabric, after) = (scenario.fabric(), scenario.model().after_pause());
    shared.headrooms(fabric, fabric.switches()[0], after).map(Bytes::get).collect()
}

#[test]
fn each_port_has_the_headroom_of_its_own_cable() {
    // Three packets, the pause frame: 1,082 + 84 + 1,082 + 1,062 = 3,310 B. On the cables
    // 400e9 x 2 x 4 us / 8 = 400,000, 100e9 x 2 x 1 us / 8 = 25,000, 25e9 x 2 x 100 ns / 8 = 625.
    let rates = [400, 100, 25, 25];
    let delays = [4_000, 1_000, 100, 100];
    let scenario = read(&unequal(rates, delays, "buffer = \"1 MB\"\n"));
    assert_eq!(headrooms(&scenario), [403_310, 28_310, 3_935, 3_935, 0]);
    // A response of 2 us: 400e9 x 2 us / 8 = 100,000, 25,000, 6,250.
    let slow = "buffer = \"1 MB\"\npfc = { response = \"2 us\" }\n";
    let scenario = read(&unequal(rates, delays, slow));
    assert_eq!(headrooms(&scenario), [503_310, 53_310, 10_185, 10_185, 0]);
    assert_eq!(scenario.model().pause_response, Time::from_us(2));
    // A given headroom is that of each port with a cable.
    let given = "buffer = \"4 MB\"\npfc = { headroom = \"500 KB\" }\n";
    let scenario = read(&unequal(rates, delays, given));
    assert_eq!(headrooms(&scenario), [500_000, 500_000, 500_000, 500_000, 0]);
    let Buffering::Shared(shared) = scenario.model().switch.buffering else { panic!() };
    assert_eq!(shared.pfc.unwrap().headroom, Headroom::Fixed(Bytes::new(500_000)));
    // Two lossless classes have two headrooms, each with a further pause frame: 2 x (439,490 + 4 x 84)
    // = 879,652 B of 900 KB, and three lossless classes have no room.
    let two = "buffer = \"900 KB\"\nclasses = 2\n";
    assert_eq!(headrooms(&read(&unequal(rates, delays, two)))[..2], [403_394, 28_394]);
}

#[test]
fn impossible_headroom_is_refused() {
    let (rates, delays) = ([400, 100, 25, 25], [4_000, 1_000, 100, 100]);
    let refused = |switch: &str| try_read(&unequal(rates, delays, switch)).expect_err(switch);
    let input = "[switch]\npfc = { response = \"60 us\" }\n[transport]\nkind = \"roce\"\n";
    let messages = [
        // Together 403,310 + 28,310 + 3,935 + 3,935 = 439,490 B.
        refused("buffer = \"439 KB\"\n"),
        refused("pfc = { response = \"2 ms\" }\n"),
        refused("pfc = { response = \"-1 us\" }\n"),
        refused("pfc = { response = 8.2 }\n"),
        // An input has 240 KB: 40e9 x 60 us / 8 = 300,000 B arrive until a pause is obeyed.
        try_read(input).expect_err(input),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// With any links and any response, the headroom of each port holds what arrives after a pause.
    #[test]
    fn no_packet_is_dropped_with_the_headroom_of_each_port(
        rates in prop::array::uniform4(prop::sample::select(vec![10u64, 25, 100, 400])),
        delays in prop::array::uniform4(0u64..4_000),
        response in 0u64..5_000,
        beyond in 5_000u64..40_000,
        alpha in prop::sample::select(vec![0.5, 1.0, 8.0]),
        seed in any::<u32>(),
    ) {
        let pfc = format!("pfc = {{ response = \"{response} ns\" }}\nalpha = {alpha}\n");
        let large = read(&unequal(rates, delays, &format!("buffer = \"900 MB\"\n{pfc}")));
        let buffer = headrooms(&large).iter().sum::<u64>() + beyond;
        let text = format!(
            "{}[workload]\nincast = {{ senders = 3, bytes = \"3 MB\", receiver = 3 }}\n\
             poisson = {{ load = 0.5, duration = \"200 us\" }}\n[run]\nseed = {seed}\n",
            unequal(rates, delays, &format!("buffer = \"{buffer} B\"\n{pfc}"))
        );
        let results = read(&text).run(&mut ());
        prop_assert_eq!(results.counters.packets_dropped, 0);
        prop_assert_eq!(results.finished, results.started);
        prop_assert!(results.counters.peak_buffer.get() <= buffer);
    }
}
