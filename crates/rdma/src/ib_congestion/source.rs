//! [`Throttle`]: throttling and recovery of a source.

use super::table::CctEntry;
use bandwise_units::Time;

/// Reaction of sources, for all flows of a service level (IBTA A10, CACongestionSetting and
/// CongestionControlTable). The index into the table is the CCTI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSettings {
    table: Vec<CctEntry>,
    timer: Time,
    increase: u16,
    min: u16,
}

/// Reason why settings are unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SourceSettingsError {
    /// The table is empty, or too long for a 16-bit index.
    #[error("the congestion control table has {0} entries: it must have 1 to 65536")]
    TableLength(usize),
    /// The smallest index is beyond the table.
    #[error("CCTI_Min is {min}, but CCTI_Limit, the last entry of the table, is {limit}")]
    MinBeyondLimit {
        /// Smallest index.
        min: u8,
        /// Last index.
        limit: usize,
    },
}

/// The unit of CCTI_Timer: 1.024 us.
const TIMER_UNIT: Time = Time::from_ns(1_024);

impl SourceSettings {
    /// Creates settings with a table; its last index is the CCTI_Limit. `ccti_timer` is the period
    /// in units of 1.024 us after which the index decreases by one (0: never). `ccti_increase` is
    /// the increase per BECN, `ccti_min` the smallest index.
    ///
    /// # Errors
    ///
    /// An empty table or one of more than 65536 entries, or a smallest index beyond the table.
    pub fn new(
        table: Vec<CctEntry>,
        ccti_timer: u16,
        ccti_increase: u8,
        ccti_min: u8,
    ) -> Result<Self, SourceSettingsError> {
        if table.is_empty() || table.len() > 1 << 16 {
            return Err(SourceSettingsError::TableLength(table.len()));
        }
        if usize::from(ccti_min) >= table.len() {
            return Err(SourceSettingsError::MinBeyondLimit {
                min: ccti_min,
                limit: table.len() - 1,
            });
        }
        Ok(SourceSettings {
            table,
            timer: TIMER_UNIT * u64::from(ccti_timer),
            increase: u16::from(ccti_increase),
            min: u16::from(ccti_min),
        })
    }

    /// Returns the time after which indices decrease by one; zero if they never do.
    pub fn timer(&self) -> Time {
        self.timer
    }

    /// Returns CCTI_Limit, the last index of the table.
    pub fn limit(&self) -> u16 {
        (self.table.len() - 1) as u16
    }
}

/// State of a flow (a queue pair, or a service level of a port).
///
/// The specification has a free-running timer for all flows of a service level, each expiration of
/// which decreases their indices by one. Here no timer runs: expirations since the last access to
/// the flow are counted at the next access. `now` is the time of that timer's clock. Its zero is
/// specific to the port.
#[derive(Debug, Clone, Copy, Default)]
pub struct Throttle {
    ccti: u16,
    updated: Time,
}

impl Throttle {
    /// Processes an acknowledgement or a notification with the BECN bit. Times must not decrease
    /// from call to call.
    pub fn on_becn(&mut self, settings: &SourceSettings, now: Time) {
        let ccti = self.ccti(settings, now);
        self.ccti = ccti.saturating_add(settings.increase).min(settings.limit());
    }

    /// Returns the wait of a flow between the end of a packet that took `packet_time` on the link
    /// and the start of its next.
    pub fn delay(&mut self, settings: &SourceSettings, now: Time, packet_time: Time) -> Time {
        let ccti = self.ccti(settings, now);
        settings.table[usize::from(ccti)].delay(packet_time)
    }

    /// Returns the index into the table at `now`.
    pub fn ccti(&mut self, settings: &SourceSettings, now: Time) -> u16 {
        debug_assert!(now >= self.updated, "time decreased");
        let ends = match settings.timer.as_ps() {
            0 => 0,
            period => now.as_ps() / period - self.updated.as_ps() / period,
        };
        let fallen = u64::from(self.ccti).saturating_sub(ends) as u16;
        self.ccti = fallen.max(settings.min);
        self.updated = now;
        self.ccti
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::linear_table;
    use super::*;
    use proptest::prelude::*;

    const UNIT: u64 = 1_024_000;

    fn at(timer_units: u64, ps: u64) -> Time {
        Time::from_ps(timer_units * UNIT + ps)
    }

    #[test]
    fn the_index_rises_with_notifications_and_falls_with_the_timer() {
        let table = linear_table(8);
        let settings = SourceSettings::new(table, 1, 3, 1).unwrap();
        let mut flow = Throttle::default();
        assert_eq!(flow.ccti(&settings, Time::ZERO), 1, "it starts at the minimum");
        flow.on_becn(&settings, at(0, 10));
        assert_eq!(flow.ccti(&settings, at(0, 20)), 4);
        flow.on_becn(&settings, at(0, UNIT - 1));
        assert_eq!(flow.ccti(&settings, at(0, UNIT - 1)), 7);
        flow.on_becn(&settings, at(0, UNIT - 1));
        assert_eq!(flow.ccti(&settings, at(0, UNIT - 1)), 7, "the limit");
        // The timer is free-running: it expires right after.
        assert_eq!(flow.ccti(&settings, at(1, 0)), 6);
        let packet = Time::from_ns(100);
        assert_eq!(flow.delay(&settings, at(3, 5), packet), Time::from_ns(400));
        assert_eq!(flow.ccti(&settings, at(1000, 0)), 1, "the minimum");
    }

    #[test]
    fn unusable_settings_are_refused() {
        assert_eq!(SourceSettings::new(vec![], 1, 1, 0), Err(SourceSettingsError::TableLength(0)));
        let error = SourceSettings::new(linear_table(4), 1, 1, 4).unwrap_err();
        assert_eq!(
            error.to_string(),
            "CCTI_Min is 4, but CCTI_Limit, the last entry of the table, is 3"
        );
    }

    proptest! {
        /// Frequent accesses to a flow change nothing, and its index stays in its bounds.
        #[test]
        fn index_changes_only_by_time_and_becns(
            steps in prop::collection::vec((0u64..3 * UNIT, any::<bool>()), 1..100),
            timer in 0u16..3, increase in 0u8..5, min in 0u8..5, len in 5u16..40,
        ) {
            let settings =
                SourceSettings::new(linear_table(len), timer, increase, min).unwrap();
            let (mut watched, mut left_alone) = (Throttle::default(), Throttle::default());
            // The annex's rules, one expiration of the timer at a time.
            let mut oracle = u16::from(min);
            let mut now = 0;
            for (gap, becn) in steps {
                for _ in 0..if timer == 0 { 0 } else {
                    (now + gap) / (UNIT * u64::from(timer)) - now / (UNIT * u64::from(timer))
                } {
                    oracle = oracle.saturating_sub(1).max(u16::from(min));
                }
                watched.ccti(&settings, Time::from_ps(now + gap / 2));
                now += gap;
                prop_assert_eq!(watched.ccti(&settings, Time::from_ps(now)), oracle);
                if becn {
                    watched.on_becn(&settings, Time::from_ps(now));
                    left_alone.on_becn(&settings, Time::from_ps(now));
                    oracle = (oracle + u16::from(increase)).min(len - 1);
                }
            }
            prop_assert_eq!(left_alone.ccti(&settings, Time::from_ps(now)), oracle);
            prop_assert!((u16::from(min)..len).contains(&oracle));
        }
    }
}
