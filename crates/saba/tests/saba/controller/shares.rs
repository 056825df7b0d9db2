//! Weights and tables of ports, compared with a naive count over all connections.

use super::world::{LEVELS, Watched, World, grouping, sends, sequences, smooth_worlds, table};
use bandwise_saba::controller::{Event, Levels, PortConfig, PortId, Profile, Settings, Weighting};
use bandwise_saba::mapping::{MAX_WEIGHT, PriorityLevel};
use bandwise_saba::sensitivity::Model;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The present connections of a naive controller.
struct Naive {
    /// The fraction that each application sends.
    sends: BTreeMap<u64, f64>,
    /// The application, level and ports of each connection.
    connections: Vec<(u64, PriorityLevel, BTreeSet<PortId>)>,
    queues: BTreeMap<PortId, u8>,
}

impl Naive {
    fn new(world: &World, knows_table: bool) -> Naive {
        let c = |model: &Model| {
            let one = (1..=5).map(|c| 0.2 * f64::from(c)).find(|&c| sends(c) == *model);
            one.expect("a model of these worlds")
        };
        let mut named: BTreeMap<String, f64> = BTreeMap::new();
        if knows_table {
            for (name, model, _) in table(&world.models).profiled() {
                named.insert(name.to_string(), c(model));
            }
        }
        for event in &world.lasting {
            if let Event::ModelUpdated { name, model, .. } = event {
                named.insert(name.to_string(), c(model));
            }
        }
        let (mut sends, mut connections, mut queues) =
            (BTreeMap::new(), Vec::new(), BTreeMap::new());
        for event in &world.lasting {
            match event.clone() {
                Event::Registered { application, profile: Profile::Model(model) } => {
                    sends.insert(application.0, c(&model));
                }
                Event::Registered { application, profile: Profile::Named(name) } => {
                    let known = named.get(name.as_str());
                    sends.extend(known.map(|&c| (application.0, c)));
                }
                Event::Connected { application, level, path, .. } => {
                    connections.push((application.0, level, path.into_iter().collect()));
                }
                Event::PortFound { port, queues: of, .. } => {
                    queues.insert(port, of.get());
                }
                _ => {}
            }
        }
        connections.retain(|(application, ..)| sends.contains_key(application));
        Naive { sends, connections, queues }
    }

    /// Returns the application and level of each connection through a port.
    fn at(&self, port: PortId) -> Vec<(u64, PriorityLevel)> {
        let through = self.connections.iter().filter(|of| of.2.contains(&port));
        through.map(|of| (of.0, of.1)).collect()
    }

    /// Returns the share of each queue. The time to send `c` with a share `b` is `c / b`. The sum
    /// is least with shares proportional to the roots of `c`. No share is near the floor of 5%.
    fn shares(&self, port: PortId, config: &PortConfig) -> Vec<f64> {
        let at = self.at(port);
        let applications: BTreeSet<u64> = at.iter().map(|of| of.0).collect();
        let roots: f64 = applications.iter().map(|of| self.sends[of].sqrt()).sum();
        let mut shares = vec![0.0; config.weights.len()];
        for (application, level) in &at {
            let connections = at.iter().filter(|of| of.0 == *application).count() as f64;
            let queue = usize::from(config.table.of(*level).unwrap());
            shares[queue] += self.sends[application].sqrt() / roots / connections;
        }
        shares
    }
}

fn check(world: &World, settings: Settings, levels: &Levels, found: &Watched) {
    let naive = Naive::new(world, matches!(levels, Levels::Shared(_)));
    for (&port, &queues) in &naive.queues {
        let present: BTreeSet<PriorityLevel> = naive.at(port).into_iter().map(|of| of.1).collect();
        let Some(config) = found.ports.get(&port) else {
            assert!(present.is_empty(), "{port:?} has no configuration");
            continue;
        };
        // Each level has a queue and each queue a level. Levels share a queue only if queues are
        // too few.
        assert!(config.table.iter().map(|of| of.0).eq(present.iter().copied()));
        let used: BTreeSet<u8> = config.table.iter().map(|of| of.1).collect();
        assert!(used.iter().copied().eq(0..config.weights.len() as u8));
        assert!(used.len() <= usize::from(queues));
        assert!(used.len() == present.len() || present.len() > usize::from(queues));
        if let Levels::Shared(table) = levels {
            let of = table.hierarchy().queues(&present, queues.try_into().unwrap());
            assert_eq!(config.table, of);
        }
        let shares = match settings.weighting {
            Weighting::Sensitivity => naive.shares(port, config),
            Weighting::EqualQueues => vec![1.0; config.weights.len()],
        };
        let largest = shares.iter().copied().fold(0.0, f64::max);
        for (share, weight) in shares.iter().zip(&config.weights) {
            let exact = share / largest * f64::from(MAX_WEIGHT);
            assert!((exact - f64::from(*weight)).abs() <= 1.0 + 1e-6, "{shares:?} {config:?}");
        }
    }
    assert!(found.ports.keys().all(|port| naive.queues.contains_key(port)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn queue_shares_are_sums_of_application_shares((world, events) in sequences(smooth_worlds())) {
        let equal = Settings { weighting: Weighting::EqualQueues, ..Settings::default() };
        for settings in [Settings::default(), equal] {
            let shared = Levels::Shared(table(&world.models));
            for levels in [Levels::Registered(grouping()), shared] {
                // A table of few models has fewer levels.
                if matches!(&levels, Levels::Shared(table) if table.levels().len() < LEVELS.into()) {
                    continue;
                }
                let found = Watched::new(settings, levels.clone()).all(events.clone());
                check(&world, settings, &levels, &found);
            }
        }
    }
}
