//! `queues = "output"`: a buffer that all ports share, by dynamic thresholds.

use super::input_queues::BUFFER;
use super::pfc_key::{PfcKey, PfcSpec};
use super::switch::{Buffered, Surroundings, SwitchSpec, room_for_a_packet};
use super::thresholds::ASKS;
use crate::reader::values::{place, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::{
    ALPHAS, Buffering, Headroom, LARGEST_BUFFER, SharedBuffer, SharedPfc,
};
use bandwise_units::Bytes;

/// Default of `alpha`: a single full queue takes half of the buffer, each of two a third. Defaults
/// of real switches are similar.
const ALPHA: f64 = 1.0;

impl SwitchSpec {
    /// Returns a shared buffer. Its default size is that of all inputs' buffers together.
    pub(super) fn shared_buffer(
        &self,
        source: &Source,
        around: &Surroundings,
        warnings: &mut Vec<InputError>,
    ) -> Result<Buffered, InputError> {
        let packet = around.packet();
        let buffer = match &self.buffer {
            None => Bytes::new(BUFFER.get() * around.most_ports()),
            Some(given) => {
                room_for_a_packet(source, given, packet)?;
                within(source, "buffer", given, packet..=LARGEST_BUFFER)?
            }
        };
        let alpha = self.alpha.as_ref();
        let alpha = alpha.map_or(Ok(ALPHA), |given| within(source, "alpha", given, ALPHAS))?;
        let reserve = self.reserve.as_ref();
        let reserve = reserve.map_or(Ok(Bytes::ZERO), |given| {
            within(source, "reserve", given, Bytes::ZERO..=buffer)
        })?;
        let pfc = match self.pfc.as_ref().map(|given| given.get_ref()) {
            None if !around.is_roce => None,
            Some(PfcKey::Truth(false)) => None,
            None | Some(PfcKey::Truth(true)) => Some(PfcSpec::default().shared(source, around)?),
            Some(PfcKey::Thresholds(spec)) => Some(spec.shared(source, around)?),
        };
        let shared = SharedBuffer { buffer, alpha, reserve, pfc };
        self.check_pool(source, around, &shared)?;
        let loses = match pfc {
            None => true,
            Some(SharedPfc { headroom: Headroom::Fixed(headroom), .. })
                if headroom < around.most_headroom() =>
            {
                let message = format!(
                    "packets can be dropped in spite of PFC: {} B of headroom hold the bytes that \
                     arrive after a pause",
                    headroom.get()
                );
                let enough = around.most_headroom().get();
                let allowed = format!("{enough} B: {ASKS}, or no key `headroom`");
                let at = place(&self.pfc, 0..0);
                warnings.push(source.error(at, message).allowed(allowed));
                true
            }
            Some(_) => false,
        };
        Ok(Buffered { buffering: Buffering::Shared(shared), loses })
    }

    /// Refuses headroom and reserves that leave less than a packet to share.
    fn check_pool(
        &self,
        source: &Source,
        around: &Surroundings,
        shared: &SharedBuffer,
    ) -> Result<(), InputError> {
        let Surroundings { fabric, classes, after_pause, .. } = *around;
        let packet = around.packet();
        for &switch in fabric.switches() {
            let pool = shared.pool(fabric, switch, after_pause, classes);
            if let Some(pool) = pool.filter(|&pool| pool >= packet) {
                self.check_alpha(source, packet, pool, shared)?;
                continue;
            }
            let at = place(&self.buffer, place(&self.reserve, place(&self.pfc, 0..0)));
            let headrooms = shared.headrooms(fabric, switch, after_pause).map(Bytes::get);
            let headroom = headrooms.sum::<u64>() * u64::from(classes.lossless_count());
            let message = format!(
                "a buffer of {} B has nothing to share at {}: {} queues reserve {} B each, and the \
                 headroom of all ports is {headroom} B",
                shared.buffer.get(),
                fabric.node(switch).name,
                u64::from(fabric.port_count(switch)) * u64::from(classes.count),
                shared.reserve.get(),
            );
            let error = source.error(at, message);
            return Err(
                error.allowed("a larger buffer, or less headroom, less reserve and fewer classes")
            );
        }
        Ok(())
    }
}

impl SwitchSpec {
    /// Refuses an `alpha` with which a single full queue has no room for a packet.
    fn check_alpha(
        &self,
        source: &Source,
        packet: Bytes,
        pool: Bytes,
        shared: &SharedBuffer,
    ) -> Result<(), InputError> {
        let share = shared.alpha / (1.0 + shared.alpha);
        let alone = (share * pool.get() as f64) as u64 + shared.reserve.get();
        if alone >= packet.get() {
            return Ok(());
        }
        let message = format!("with this alpha a queue has {alone} B at most, less than a packet");
        let at = place(&self.alpha, place(&self.buffer, 0..0));
        let allowed = format!("a larger alpha, or a larger buffer: {packet} for a queue at least");
        Err(source.error(at, message).allowed(allowed))
    }
}

impl PfcSpec {
    /// Returns the headroom and slack of a shared buffer. An input resumes two packets below the
    /// threshold; otherwise it would pause again at once.
    fn shared(&self, source: &Source, around: &Surroundings) -> Result<SharedPfc, InputError> {
        for (key, given) in [("xoff", &self.xoff), ("xon", &self.xon)] {
            if let Some(given) = given {
                let message =
                    format!("`{key}` is not used: a shared buffer has dynamic thresholds");
                let error = source.error(given.span(), message);
                return Err(error.allowed("alpha, headroom and slack, or queues = \"input\""));
            }
        }
        let read = |name, given: &Option<toml::Spanned<Bytes>>, or| {
            let given = given.as_ref();
            given.map_or(Ok(or), |g| within(source, name, g, Bytes::ZERO..=LARGEST_BUFFER))
        };
        let headroom = match &self.headroom {
            None => Headroom::ByLink,
            given => Headroom::Fixed(read("headroom", given, Bytes::ZERO)?),
        };
        let slack = read("slack", &self.slack, Bytes::new(2 * around.packet().get()))?;
        Ok(SharedPfc { headroom, slack })
    }
}
