//! The plan of a case for agents.

use super::{DeviceCase, DeviceStudy, Wanted};
use bandwise_agents::Plan;
use bandwise_input::Source;

impl DeviceCase {
    /// Returns the plan for agents.
    pub fn plan(&self, study: &DeviceStudy) -> Plan {
        let (length, margin) = (study.length, study.margin);
        let mut text =
            format!("title = {:?}\nduration = \"{length}\"\nmargin = \"{margin}\"\n", self.title());
        for (name, agent) in [("from", &study.from), ("to", &study.to)] {
            text += &format!("[[host]]\nname = \"{name}\"\nagent = \"{agent}\"\n");
        }
        if self.store {
            let (clients, workers) = (study.clients, study.workers);
            text += &format!(
                "[[flow]]\nname = \"store\"\nfrom = \"from\"\nto = \"to\"\nmethod = \"key-value\"\n\
                 clients = {clients}\nworkers = {workers}\n"
            );
        }
        let depth = study.depth;
        for (number, flow) in self.flows.iter().enumerate() {
            let Wanted { opcode, bytes, events } = flow;
            // "Both flows share the same link": the host that posts a READ is the destination of
            // the data.
            let (from, to) = if *opcode == "read" { ("to", "from") } else { ("from", "to") };
            let completion = if *events { "event" } else { "poll" };
            text += &format!(
                "[[flow]]\nname = \"{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\nmethod = \"closed-loop\"\n\
                 opcode = \"{opcode}\"\nbytes = \"{bytes} B\"\ncompletion = \"{completion}\"\nthink = \"0 s\"\n\
                 depth = {depth}\n"
            );
        }
        let plan = Plan::from_toml(&Source::new("<isolation>", &text), study.from.port);
        plan.expect("cases are tested, and addresses are ones")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Item, study};
    use super::*;
    use bandwise_agents::Address;
    use bandwise_session::Method;
    use bandwise_units::{Bytes, Time};

    #[test]
    fn every_case_gives_a_valid_plan() {
        let count = |change: &dyn Fn(&mut DeviceStudy)| {
            let study = study(change);
            let cases = study.cases();
            for case in &cases {
                let plan = case.plan(&study);
                assert_eq!(plan.hosts[1].agent, Address { name: "10.0.0.2".into(), port: 7 });
                assert_eq!(plan.flows.len(), case.len());
                assert!(plan.flows.iter().all(|flow| flow.think == Time::ZERO));
                for flow in &plan.flows[usize::from(case.store)..] {
                    assert_eq!(u64::from(flow.task.depth.get()), study.depth);
                }
            }
            cases.len()
        };
        // Three of each verb with itself, four of each pair of two: 12 and 24.
        assert_eq!(count(&|s| s.item = Some(Item::Elephants)), 36);
        assert_eq!(count(&|s| (s.item, s.quick) = (Some(Item::Elephants), true)), 3);
        assert_eq!(
            count(&|s| (s.item, s.largest) = (Some(Item::Elephants), Bytes::new(1_000_000))),
            10
        );
        assert_eq!(count(&|s| s.item = Some(Item::MouseElephant)), 9);
        assert_eq!(count(&|s| (s.item, s.length) = (Some(Item::Mice), Time::from_ms(500))), 4);
        assert_eq!(count(&|s| (s.item, s.largest) = (Some(Item::Polling), Bytes::new(10))), 0);
        assert_eq!(count(&|s| (s.item, s.quick) = (Some(Item::KeyValue), true)), 3);
        assert_eq!(
            count(&|s| (s.item, s.largest, s.clients) =
                (Some(Item::KeyValue), Bytes::new(1_000_000), 1)),
            2
        );
        assert_eq!(count(&|_| ()), 36 + 8 + 4 + 8 + 3);
        // READs can be at most 255 at a time; all cases are plans with as many as the flag takes.
        assert_eq!(count(&|s| s.depth = 128), count(&|_| ()));
    }

    /// The store of the simulated study, and its elephant: where threads are no other than asked for.
    #[test]
    fn the_store_is_the_first_flow() {
        let study = study(|s| (s.item, s.workers) = (Some(Item::KeyValue), 3));
        let cases = study.cases();
        let plan = cases[1].plan(&study);
        assert_eq!(cases[1].title(), "kv: beside 1 GB");
        let [store, elephant] = &plan.flows[..] else { panic!("two flows") };
        let Method::KeyValue(of) = store.task.method else { panic!("{:?}", store.task) };
        assert_eq!((of.clients.get(), of.workers.get(), of.put_every), (4, 3, 20));
        assert_eq!(
            (store.task.bytes.get(), store.task.depth.get(), store.task.events),
            (32, 4, false)
        );
        assert_eq!((elephant.task.bytes.get(), elephant.task.events), (1_000_000_000, true));
        assert_eq!((store.from, store.to), (elephant.from, elephant.to));
    }

    /// Data of all flows crosses the same link.
    #[test]
    fn read_flow_is_posted_by_the_receiver() {
        let study = study(|s| s.item = Some(Item::Elephants));
        let cases = study.cases();
        let read = cases.iter().find(|case| case.name == "WRITE 1 MB over READ 1 MB").unwrap();
        let plan = read.plan(&study);
        let ends: Vec<_> = plan.flows.iter().map(|flow| (flow.from, flow.to)).collect();
        assert_eq!(ends, [(0, 1), (1, 0)]);
    }
}
