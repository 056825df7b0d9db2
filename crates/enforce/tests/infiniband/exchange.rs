//! Requests and answers, by a clock that is an argument.

use bandwise_enforce::infiniband::{
    Attribute, Exchange, Method, Patience, Request, Route, Smp, Unanswered,
};
use bandwise_units::Time;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn request(port: u8) -> Request {
    Request::get(&Route::new(&[port]).unwrap(), Attribute::NodeInfo, 0)
}

fn answer(smp: &Smp, status: u16) -> Smp {
    Smp { method: Method::Answer, status, data: [smp.route.ports()[0]; 64], ..smp.clone() }
}

const PATIENCE: Patience =
    Patience { timeout: Time::from_ms(10), attempts: 2, window: 2, m_key: 0 };

#[test]
fn exchange_matches_answers_and_retransmits() {
    let mut exchange = Exchange::new(PATIENCE, 7);
    (1..=3).for_each(|port| exchange.ask(port, request(port)));
    let start = Time::from_ms(100);
    let (one, two) = (exchange.send(start).unwrap(), exchange.send(start).unwrap());
    // At most two requests are outstanding.
    assert_eq!(exchange.send(start), None);
    assert_eq!((one.transaction, two.transaction, exchange.next_number()), (7, 8, 9));
    assert_eq!(exchange.deadline(), Some(Time::from_ms(110)));
    // The upper half of the number, which the kernel sets, is ignored. Another attribute or part is no answer, nor is a request.
    exchange.received(&Smp { modifier: 1, ..answer(&two, 0) });
    exchange.received(&Smp { attribute: 0x15, ..answer(&two, 0) });
    exchange.received(&two);
    assert_eq!(exchange.done(), None);
    exchange.received(&Smp { transaction: 0xabcd_0000_0008, ..answer(&two, 0) });
    assert_eq!(exchange.done(), Some((2, request(2), Ok([2; 64]))));
    let three = exchange.send(start).unwrap();
    exchange.received(&answer(&three, 0x1c));
    let refused = Unanswered::Refused { status: 0x1c };
    assert_eq!(exchange.done(), Some((3, request(3), Err(refused))));
    // Late: it is retransmitted with another number, and the first's answer is ignored.
    exchange.passed(Time::from_ms(110));
    let again = exchange.send(Time::from_ms(110)).unwrap();
    assert_eq!((again.transaction, &again.route), (10, &one.route));
    exchange.received(&answer(&one, 0));
    assert_eq!(exchange.done(), None);
    // A busy node has not executed the request, and is asked again after the timeout.
    exchange.received(&answer(&again, 1));
    assert_eq!(exchange.done(), None);
    exchange.passed(Time::from_ms(120));
    assert_eq!(exchange.done(), Some((1, request(1), Err(Unanswered::Silent(2)))));
    assert_eq!((exchange.send(start), exchange.deadline()), (None, None));
}

proptest! {
    /// With any losses, delays and refusals each request ends once, and succeeds if an answer came in time.
    #[test]
    fn every_request_ends_exactly_once(fates in prop::collection::vec(0u8..5, 0..200), n in 0u8..40) {
        let mut exchange = Exchange::new(PATIENCE, u32::MAX - 5);
        (1..=n).for_each(|port| exchange.ask(port, request(port)));
        let (mut now, mut fates) = (Time::ZERO, fates.into_iter());
        let (mut answered, mut ended) = (BTreeMap::new(), BTreeMap::new());
        loop {
            let mut sent = Vec::new();
            sent.extend(std::iter::from_fn(|| exchange.send(now)));
            for smp in &sent {
                let port = smp.route.ports()[0];
                match fates.next().unwrap_or(4) {
                    0 => {}
                    1 => exchange.received(&answer(smp, 1)),
                    2 => exchange.received(&answer(smp, 0x0c)),
                    3 => exchange.received(&Smp { transaction: smp.transaction ^ 1 << 31, ..answer(smp, 0) }),
                    _ => {
                        answered.insert(port, ());
                        exchange.received(&answer(smp, 0));
                        exchange.received(&answer(smp, 0));
                    }
                }
            }
            while let Some((key, _, outcome)) = exchange.done() {
                prop_assert_eq!(outcome.is_ok(), answered.contains_key(&key));
                prop_assert_eq!(ended.insert(key, outcome), None);
            }
            let Some(deadline) = exchange.deadline() else {
                if sent.is_empty() { break }
                continue;
            };
            now = deadline;
            exchange.passed(now);
            while let Some((key, _, outcome)) = exchange.done() {
                prop_assert_eq!(outcome, Err(Unanswered::Silent(2)));
                prop_assert_eq!(ended.insert(key, outcome), None);
            }
        }
        prop_assert_eq!(ended.len(), usize::from(n));
    }
}
