//! The oracle of grants: lists that are sorted each time.

use bandwise_rdma::homa::{HomaSettings, Message, Slot, ToSender};
use std::collections::BTreeSet;

#[derive(Debug, Clone)]
struct Known {
    slot: Slot,
    packets: u32,
    got: BTreeSet<u32>,
    granted: u32,
}

impl Known {
    fn missing(&self) -> usize {
        self.packets as usize - self.got.len()
    }
}

/// A literal implementation of Homa 3.3 to 3.5.
#[derive(Debug, Clone, Default)]
pub(crate) struct NaiveReceiver {
    /// Messages in the order of their first packets.
    known: Vec<Known>,
}

impl NaiveReceiver {
    pub(crate) fn on_data(
        &mut self,
        settings: &HomaSettings,
        slot: Slot,
        message: Message,
        seq: u32,
    ) -> Vec<(Slot, ToSender)> {
        let rtt = settings.rtt.get();
        let packets = message.packets;
        if !self.known.iter().any(|known| known.slot == slot) {
            let granted = packets.min(rtt);
            self.known.push(Known { slot, packets, got: BTreeSet::new(), granted });
        }
        let known = self.known.iter_mut().find(|known| known.slot == slot).unwrap();
        let mut answers = vec![];
        if !known.got.insert(seq) {
            return answers;
        }
        if known.missing() == 0 {
            answers.push((slot, ToSender::Done));
        }
        if known.granted == packets {
            return answers;
        }
        loop {
            let mut open: Vec<&mut Known> =
                self.known.iter_mut().filter(|known| known.granted < known.packets).collect();
            // The sort is stable: among equals, the message seen first stays first.
            open.sort_by_key(|known| known.missing());
            open.truncate(usize::from(settings.priorities.scheduled()));
            let count = open.len();
            let mut one_left = false;
            for (rank, known) in open.into_iter().enumerate() {
                let to = known.packets.min(known.got.len() as u32 + rtt);
                if to > known.granted {
                    known.granted = to;
                    let priority = (count - 1 - rank) as u8;
                    answers.push((known.slot, ToSender::Grant { to, priority }));
                }
                one_left |= known.granted == known.packets;
            }
            if !one_left {
                return answers;
            }
        }
    }
}
