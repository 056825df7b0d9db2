//! Several instances have the same result as one controller.

use super::world::{Watched, World, any_worlds, sequences, table};
use bandwise_random::Stream;
use bandwise_saba::controller::{
    Command, Event, Forward, Instance, InstanceId, Levels, Partition, PortConfig, PortId, Refused,
    Settings,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Instances, and the events in transit between them.
struct Cluster {
    instances: Vec<Instance>,
    on_the_way: Vec<Forward>,
    chance: Stream,
    ports: BTreeMap<PortId, PortConfig>,
}

impl Cluster {
    fn new(world: &World, owners: &[u32], instances: u32, seed: u64) -> Cluster {
        let owner = (0..).map(PortId).zip(owners.iter().map(|&owner| InstanceId(owner))).collect();
        let partition = Arc::new(Partition::new((0..instances).map(InstanceId), owner));
        let table = table(&world.models);
        let instance = |id| {
            let (partition, table) = (partition.clone(), table.clone());
            Instance::new(InstanceId(id), partition, Settings::default(), table)
        };
        Cluster {
            instances: (0..instances).map(instance).collect(),
            on_the_way: Vec::new(),
            chance: Stream::new(seed, "delivery", 0),
            ports: BTreeMap::new(),
        }
    }

    /// Delivers an external event to any instance.
    fn accept(&mut self, event: Event) {
        let entry = self.chance.below(self.instances.len() as u64) as usize;
        self.instances[entry].accept(event).unwrap();
        self.on_the_way.extend(self.instances[entry].take_forwards());
    }

    /// Delivers an event in transit, selected by `which`. Some events stay and are delivered again.
    fn deliver(&mut self) {
        if self.on_the_way.is_empty() {
            return;
        }
        let which = self.chance.below(self.on_the_way.len() as u64) as usize;
        let Forward { to, event } = match self.chance.below(4) {
            0 => self.on_the_way[which].clone(),
            _ => self.on_the_way.swap_remove(which),
        };
        let to = &mut self.instances[to.0 as usize];
        to.accept_forwarded(event).unwrap();
        self.on_the_way.extend(to.take_forwards());
    }

    /// Loses some of the events in transit.
    fn lose(&mut self) {
        let chance = &mut self.chance;
        self.on_the_way.retain(|_| chance.below(2) == 0);
    }

    fn deliver_all(&mut self) {
        while !self.on_the_way.is_empty() {
            self.deliver();
        }
    }

    /// Settles all instances. Each configures its own ports only.
    fn settle(&mut self, owners: &[u32]) {
        for (id, instance) in (0..).zip(&mut self.instances) {
            for command in instance.settle() {
                if let Command::Configure { port, .. } = command {
                    assert_eq!(owners[port.0 as usize], id);
                }
            }
        }
        let all = self.instances.iter().flat_map(|of| of.configurations());
        self.ports = all.map(|(port, config)| (port, config.clone())).collect();
    }
}

fn centralised(world: &World) -> Watched {
    let levels = Levels::Shared(table(&world.models));
    Watched::new(Settings::default(), levels).at_once(&world.lasting)
}

/// Returns the owner of each port of a world.
fn owners() -> impl Strategy<Value = (u32, Vec<u32>)> {
    (1u32..5).prop_flat_map(|n| (Just(n), prop::collection::vec(0..n, 6)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Ports are configured as by one controller, with any partition, any order of delivery and
    /// repeated events.
    #[test]
    fn instances_together_equal_one_controller(
        (world, events) in sequences(any_worlds()), (instances, owners) in owners(), seed: u64,
    ) {
        prop_assume!(table(&world.models).levels().len() == 4);
        let mut cluster = Cluster::new(&world, &owners, instances, seed);
        for (event, settle) in events {
            cluster.accept(event);
            cluster.deliver();
            if settle {
                cluster.settle(&owners);
            }
        }
        cluster.deliver_all();
        cluster.settle(&owners);
        let one = centralised(&world);
        prop_assert_eq!(&cluster.ports, &one.ports);
        for instance in &cluster.instances {
            for (&application, &level) in &one.levels {
                prop_assert_eq!(instance.level(application), Some(level));
            }
        }
    }

    /// Lost events are replaced once all external events are repeated, at any instance.
    #[test]
    fn repeated_events_replace_lost_ones(
        (world, events) in sequences(any_worlds()), (instances, owners) in owners(), seed: u64,
    ) {
        prop_assume!(table(&world.models).levels().len() == 4);
        let mut cluster = Cluster::new(&world, &owners, instances, seed);
        for (event, _) in &events {
            cluster.accept(event.clone());
            cluster.lose();
            cluster.deliver();
        }
        cluster.settle(&owners);
        for event in world.events.iter().rev() {
            cluster.accept(event.clone());
        }
        cluster.deliver_all();
        cluster.settle(&owners);
        prop_assert_eq!(cluster.ports, centralised(&world).ports);
    }
}

/// Only the instance at which an application registered assigns its level.
#[test]
fn only_the_registering_instance_assigns_the_level() {
    let owner = BTreeMap::from([(PortId(0), InstanceId(0)), (PortId(1), InstanceId(1))]);
    let partition = Arc::new(Partition::new([], owner));
    let model = super::world::sends(0.4);
    let table = table(std::slice::from_ref(&model));
    let mut instances = [0, 1].map(|id| {
        let (partition, table) = (partition.clone(), table.clone());
        Instance::new(InstanceId(id), partition, Settings::default(), table)
    });
    instances[0].accept(super::world::registered(3, &model)).unwrap();
    let forwards = instances[0].take_forwards();
    assert_eq!(forwards.len(), 1);
    for Forward { to, event } in forwards {
        assert_eq!(to, InstanceId(1));
        instances[1].accept_forwarded(event).unwrap();
    }
    assert_eq!((instances[0].settle().len(), instances[1].settle().len()), (1, 0));
    // Each instance on the path forwards to the next.
    instances[0].accept(super::world::connected(1, 3, 0, &[1, 0, 1])).unwrap();
    let forwards = instances[0].take_forwards();
    let rest = super::world::connected(1, 3, 0, &[1, 1]);
    assert_eq!(forwards, [Forward { to: InstanceId(1), event: rest }]);
    let refused = instances[0].accept(super::world::connected(2, 3, 0, &[0, 9]));
    assert_eq!(refused, Err(Refused::NoOwner(PortId(9))));
    assert!(instances[0].take_forwards().is_empty());
}
