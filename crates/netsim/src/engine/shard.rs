//! Shards: groups of partitions that run one after the other, with the link ends in them. Different
//! shards may run in parallel; they exchange mail.

use super::links::Links;
use super::partition::Node;
use bandwise_units::Time;

/// A group of partitions of a network.
#[derive(Debug)]
pub(super) struct Shard<N: Node> {
    /// Nodes by partition.
    pub partitions: Vec<Vec<N>>,
    pub links: Links<N::Packet, N::FlowControl>,
}

impl<N: Node> Shard<N> {
    /// Returns when the first event, message or deferred work is due, or [`Time::MAX`].
    pub(super) fn first(&self) -> Time {
        self.links.first()
    }

    /// Returns a node of a partition, and the links as that node sees them.
    pub(super) fn node_mut(
        &mut self,
        partition: u32,
        number: u32,
    ) -> (&mut N, &mut Links<N::Packet, N::FlowControl>) {
        self.links.current = partition as usize;
        (&mut self.partitions[partition as usize][number as usize], &mut self.links)
    }

    /// Handles all events before `horizon`. No later action of another shard may count here before
    /// that.
    pub(super) fn run(&mut self, horizon: Time) {
        self.links.open_mail();
        self.links.horizon = horizon;
        for (partition, nodes) in self.partitions.iter_mut().enumerate() {
            self.links.current = partition;
            nodes.iter().for_each(Node::begin);
            while let Some(event) = self.links.queues[partition].pop_before(horizon) {
                self.links.handled += 1;
                nodes[event.node()].handle(event, &mut self.links);
            }
            let next = nodes.iter_mut().map(|node| node.catch_up(horizon, &mut self.links)).min();
            self.links.deferred[partition] = next.unwrap_or(Time::MAX);
        }
    }
}

/// Returns the shard of each partition, out of `count` shards of about equal work with few links
/// between them.
///
/// Partitions with at most one neighbour (mostly hosts) are distributed in order and in equal
/// parts. From there outward, each partition joins the shard that contains most of its neighbours,
/// or the one with the least work among equals. `links` names the partitions at both ends of every
/// link.
///
/// # Panics
///
/// If `count` is zero and there are partitions.
pub fn shards(
    partitions: usize,
    links: impl IntoIterator<Item = (usize, usize)>,
    count: usize,
) -> Vec<u32> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); partitions];
    for (a, b) in links {
        if a != b {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
    }
    let leaves: Vec<usize> = (0..partitions).filter(|&p| neighbours[p].len() < 2).collect();
    let mut shard_of: Vec<Option<usize>> = vec![None; partitions];
    // Work is estimated by the number of links.
    let mut work = vec![0; count];
    for (place, &leaf) in leaves.iter().enumerate() {
        shard_of[leaf] = Some(place * count / leaves.len());
    }
    loop {
        let placed = shard_of.clone();
        let near =
            |p: usize, shard| neighbours[p].iter().filter(|&&n| placed[n] == Some(shard)).count();
        for partition in 0..partitions {
            let touches = neighbours[partition].iter().any(|&n| placed[n].is_some());
            if placed[partition].is_none() && touches {
                let best =
                    |&shard: &usize| (near(partition, shard), std::cmp::Reverse(work[shard]));
                // `max_by_key` returns the last of equal maxima, so reverse order selects the
                // first.
                let shard = (0..count).rev().max_by_key(best).expect("there is a shard");
                shard_of[partition] = Some(shard);
                work[shard] += neighbours[partition].len();
            }
        }
        let Some(alone) = shard_of.iter().position(Option::is_none) else { break };
        if shard_of == placed {
            let shard = (0..count).min_by_key(|&shard| work[shard]).expect("there is a shard");
            shard_of[alone] = Some(shard);
            work[shard] += neighbours[alone].len();
        }
    }
    shard_of.into_iter().map(|shard| shard.unwrap_or(0) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pods of two edge and two aggregation switches, with two hosts per edge switch; four
    /// cores.
    #[test]
    fn pods_stay_whole() {
        let edge = |pod, i| 4 + 4 * pod + i;
        let aggregation = |pod, i| 6 + 4 * pod + i;
        let mut links = Vec::new();
        for pod in 0..2 {
            for i in 0..2 {
                links.extend((0..2).map(|j| (edge(pod, i), aggregation(pod, j))));
                links.extend((0..2).map(|j| (edge(pod, i), 12 + 4 * pod + 2 * i + j)));
                links.extend((0..2).map(|j| (aggregation(pod, i), 2 * i + j)));
            }
        }
        let shard_of = shards(20, links, 2);
        assert_eq!(shard_of[4..8], [0; 4]);
        assert_eq!(shard_of[8..12], [1; 4]);
        assert_eq!(shard_of[12..16], [0; 4]);
        assert_eq!(shard_of[16..20], [1; 4]);
        assert_eq!(shard_of[..4].iter().sum::<u32>(), 2, "cores are split: {shard_of:?}");
    }

    #[test]
    fn rings_and_isolated_nodes_get_a_shard() {
        let ring = (0..6).map(|n| (n, (n + 1) % 6));
        let shard_of = shards(8, ring, 3);
        assert!(shard_of.iter().all(|&shard| shard < 3));
        assert_eq!(shards(3, [], 1), [0; 3]);
        assert_eq!(shards(0, [], 2), [0; 0]);
    }
}
