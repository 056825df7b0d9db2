//! [`Contests`]: the choice among packets that compete for the last place of a full queue.
//!
//! A packet arrives and leaves at an instant in this simulator, and over a packet time on a wire.
//! If senders of one rate fill a queue, each departure frees one place in each packet time, and
//! the order of their packets within it never changes: the same sender would win every place. On
//! a wire that order changes all the time. Decision 16 has the reasons for this rule.

use bandwise_random::Stream;

/// The contests of a switch's queues, by number.
#[derive(Debug)]
pub(super) struct Contests {
    /// Packets refused since the last admission, by queue.
    refused: Vec<u32>,
    random: Stream,
}

impl Contests {
    /// Creates contests of `queues` queues.
    pub(super) fn new(queues: usize, random: Stream) -> Self {
        Contests { refused: vec![0; queues], random }
    }

    /// Starts the next contest of a queue that has admitted a packet.
    #[inline]
    pub(super) fn admitted(&mut self, queue: usize) {
        self.refused[queue] = 0;
    }

    /// Returns whether a packet without room takes the place of the queue's last packet. Each packet
    /// of a contest keeps the place with the same probability (reservoir sampling: the n-th wins
    /// with probability 1/n).
    pub(super) fn wins(&mut self, queue: usize) -> bool {
        let refused = &mut self.refused[queue];
        *refused = refused.saturating_add(1);
        self.random.one_in(refused.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of n packets wins 1/n of 12,000 contests, within five standard deviations:
    /// 5 sqrt(12,000 (1/n) (1 - 1/n)) is at most 5 sqrt(3,000) = 274.
    #[test]
    fn each_packet_of_a_contest_is_equally_likely_to_win() {
        let mut contests = Contests::new(2, Stream::new(3, "contests", 0));
        for packets in [1usize, 2, 3, 8] {
            let mut won = vec![0i32; packets];
            for _ in 0..12_000 {
                contests.admitted(1);
                let winner = (1..packets).filter(|_| contests.wins(1)).last().unwrap_or(0);
                won[winner] += 1;
            }
            let expected = 12_000 / packets as i32;
            assert!(won.iter().all(|&n| (n - expected).abs() <= 274), "{packets}: {won:?}");
        }
    }
}
