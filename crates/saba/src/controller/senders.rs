//! [`Senders`]: who sends through a port.

use crate::mapping::PriorityLevel;

/// The applications that send through a port, by level, and with how many connections. In the order of
/// their numbers, so that one application's stand together.
#[derive(Debug, Clone, Default)]
pub(super) struct Senders(Vec<Sender>);

/// Connections of one application and level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sender {
    /// The application's number.
    pub(super) application: u32,
    pub(super) connections: u32,
    pub(super) level: PriorityLevel,
}

impl Senders {
    /// One connection more.
    pub(super) fn add(&mut self, application: u32, level: PriorityLevel) {
        match self.find(application, level) {
            Ok(at) => self.0[at].connections += 1,
            Err(at) => self.0.insert(at, Sender { application, connections: 1, level }),
        }
    }

    /// Takes back what was added.
    pub(super) fn remove(&mut self, application: u32, level: PriorityLevel) {
        let Ok(at) = self.find(application, level) else { return };
        self.0[at].connections -= 1;
        if self.0[at].connections == 0 {
            self.0.remove(at);
        }
    }

    fn find(&self, application: u32, level: PriorityLevel) -> Result<usize, usize> {
        self.0.binary_search_by_key(&(application, level), |of| (of.application, of.level))
    }

    pub(super) fn all(&self) -> &[Sender] {
        &self.0
    }
}
