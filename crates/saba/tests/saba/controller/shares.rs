//! Weights and tables of ports, compared with a naive count over all connections.

use super::world::{LEVELS, Watched, World, grouping, sends, sequences, smooth_worlds, table};
use bandwise_saba::Share;
use bandwise_saba::controller::{
    Event, Levels, PortConfig, PortId, Profile, Settings, Tenant, Weighting,
};
use bandwise_saba::mapping::{MAX_WEIGHT, PriorityLevel};
use bandwise_saba::sensitivity::Model;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The present connections of a naive controller.
struct Naive {
    /// The fraction that each application sends, and its tenant.
    sends: BTreeMap<u64, (f64, Tenant)>,
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
                Event::Registered { application, profile, tenant } => {
                    let known = match &profile {
                        Profile::Model(model) => Some(c(model)),
                        Profile::Named(name) => named.get(name.as_str()).copied(),
                    };
                    sends.extend(known.map(|c| (application.0, (c, tenant))));
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

    /// Returns the share of each queue.
    fn shares(&self, port: PortId, config: &PortConfig, guaranteed: Option<Share>) -> Vec<f64> {
        let at = self.at(port);
        let applications: BTreeSet<u64> = at.iter().map(|of| of.0).collect();
        let of_application = self.of_applications(&applications, guaranteed);
        let mut shares = vec![0.0; config.weights.len()];
        for (application, level) in &at {
            let connections = at.iter().filter(|of| of.0 == *application).count() as f64;
            let queue = usize::from(config.table.of(*level).unwrap());
            shares[queue] += of_application[application] / connections;
        }
        shares
    }

    /// Returns the share of each application. The time to send `c` with a share `b` is `c / b`. The
    /// sum is least with shares proportional to the roots of `c`, separately for each tenant that has
    /// just what is guaranteed to it, and for all others together. Of all such divisions that are
    /// allowed, the one with the least sum is the optimum.
    fn of_applications(
        &self,
        applications: &BTreeSet<u64>,
        guaranteed: Option<Share>,
    ) -> BTreeMap<u64, f64> {
        let tenants: BTreeSet<&Tenant> = applications.iter().map(|of| &self.sends[of].1).collect();
        let least = guaranteed.map_or(0.0, Share::get) / tenants.len().max(1) as f64;
        let root = |of: &u64| self.sends[of].0.sqrt();
        let divided = |held: &BTreeSet<&Tenant>| {
            let mut shares = BTreeMap::new();
            let mut divide = |capacity: f64, among: Vec<u64>| {
                let roots: f64 = among.iter().map(root).sum();
                shares.extend(among.iter().map(|of| (*of, capacity * root(of) / roots)));
            };
            let of = |tenant: &Tenant| -> Vec<u64> {
                applications.iter().copied().filter(|of| self.sends[of].1 == *tenant).collect()
            };
            held.iter().for_each(|tenant| divide(least, of(tenant)));
            let others = tenants.difference(held).flat_map(|tenant| of(tenant)).collect();
            divide(1.0 - least * held.len() as f64, others);
            shares
        };
        let is_allowed = |shares: &BTreeMap<u64, f64>| {
            tenants.iter().all(|tenant| {
                let own = shares.iter().filter(|of| self.sends[of.0].1 == **tenant);
                own.map(|of| of.1).sum::<f64>() >= least - 1e-9
            })
        };
        let time = |shares: &BTreeMap<u64, f64>| -> f64 {
            shares.iter().map(|(of, share)| self.sends[of].0 / share).sum()
        };
        let each: Vec<&Tenant> = tenants.iter().copied().collect();
        let held = (0..1u32 << each.len()).map(|held| {
            let is_held = |i: &usize| held >> i & 1 == 1;
            (0..each.len()).filter(is_held).map(|i| each[i]).collect::<BTreeSet<&Tenant>>()
        });
        let some_free = held.filter(|held| held.len() < each.len().max(1));
        let best = some_free.map(|held| divided(&held)).filter(is_allowed);
        let best =
            best.min_by(|a, b| time(a).total_cmp(&time(b))).expect("equal parts are allowed");
        // Models are extrapolated below.
        assert!(best.values().all(|&share| share >= 0.05));
        best
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
            Weighting::Sensitivity => naive.shares(port, config, settings.guaranteed),
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
        let published = Settings { guaranteed: None, ..Settings::default() };
        for settings in [Settings::default(), published, equal] {
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
