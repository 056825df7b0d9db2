//! `queues = "input"`: a buffer for each input port (IRN 4.1).

use super::pfc_key::{PfcKey, PfcSpec};
use super::switch::{Buffered, Surroundings, SwitchSpec, room_for_a_packet};
use super::thresholds::{ASKS, Share, thresholds, too_little};
use crate::reader::values::{place, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::{Buffering, InputBuffers, LARGEST_BUFFER, Pfc};
use bandwise_units::Bytes;

/// Default of `buffer`, IRN 4.1: twice the bandwidth-delay product of the longest path.
pub(super) const BUFFER: Bytes = Bytes::new(240_000);

impl SwitchSpec {
    /// Returns buffers for each input, in equal parts for each class.
    pub(super) fn input_queues(
        &self,
        source: &Source,
        around: &Surroundings,
        warnings: &mut Vec<InputError>,
    ) -> Result<Buffered, InputError> {
        self.only_with_output_queues(source)?;
        let Surroundings { classes, .. } = *around;
        let (packet, headroom) = (around.packet(), around.most_headroom());
        let buffer = match &self.buffer {
            None => BUFFER,
            Some(given) => {
                room_for_a_packet(source, given, packet)?;
                within(source, "buffer", given, packet..=LARGEST_BUFFER)?
            }
        };
        let buffer = Bytes::new(buffer.get() / u64::from(classes.count));
        if buffer < packet {
            let at = place(&self.buffer, place(&self.classes, 0..0));
            let message = format!(
                "a buffer for {} classes has {} B for each, which can't hold a packet",
                classes.count,
                buffer.get()
            );
            let error = source.error(at, message);
            return Err(error.allowed(format!("{packet} for each class, or fewer classes")));
        }
        let share = Share { buffer, headroom };
        let pfc = match self.pfc.as_ref().map(|given| given.get_ref()) {
            // IRN 4.2: "IRN is always used without PFC, while RoCE is always used with PFC".
            None if around.is_roce => self.lossless_inputs(source, &share)?,
            None | Some(PfcKey::Truth(false)) => {
                let buffering = Buffering::PerInput(InputBuffers { buffer, pfc: None });
                return Ok(Buffered { buffering, loses: true });
            }
            Some(PfcKey::Truth(true)) => self.lossless_inputs(source, &share)?,
            Some(PfcKey::Thresholds(spec)) => {
                spec.only_of_input_queues(source)?;
                if spec.xoff.is_none() {
                    self.lossless_inputs(source, &share)?;
                }
                thresholds(source, &spec.xoff, &spec.xon, &share)?
            }
        };
        let at = place(&self.pfc, 0..0);
        let warning = too_little(source, at, &share, pfc);
        let loses = warning.is_some();
        warnings.extend(warning);
        let buffering = Buffering::PerInput(InputBuffers { buffer, pfc: Some(pfc) });
        Ok(Buffered { buffering, loses })
    }

    /// Returns the highest thresholds with which no packet is dropped.
    fn lossless_inputs(&self, source: &Source, share: &Share) -> Result<Pfc, InputError> {
        let Share { buffer, headroom } = *share;
        if buffer <= headroom {
            let at = place(&self.buffer, place(&self.pfc, 0..0));
            let (had, least) = (buffer.get(), headroom.get());
            let message =
                format!("a buffer of {had} B has no room for the bytes that arrive after a pause");
            let allowed = format!("more than {least} B: {ASKS}; or pfc = false");
            return Err(source.error(at, message).allowed(allowed));
        }
        let xoff = buffer - headroom;
        Ok(Pfc { xoff, xon: xoff })
    }
}

impl PfcSpec {
    fn only_of_input_queues(&self, source: &Source) -> Result<(), InputError> {
        let keys = [("headroom", &self.headroom), ("slack", &self.slack)];
        for (key, given) in keys {
            if let Some(given) = given {
                let message = format!("`{key}` is not used: each input has a buffer of its own");
                let error = source.error(given.span(), message);
                return Err(error.allowed("xoff and xon, or queues = \"output\""));
            }
        }
        Ok(())
    }
}
