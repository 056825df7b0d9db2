//! The measurement of all cases by the agents of the two hosts.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use bandwise_agents::Token;
use bandwise_measure::coordinator::coordinate;
use bandwise_papers::isolation::{DeviceCase, DeviceMeasurement, DeviceResults, DeviceStudy};

/// Measures the cases in order, up to the first failure.
pub(super) fn all(
    study: &DeviceStudy,
    cases: &[DeviceCase],
    token: &Token,
    interrupt: &Interrupt,
) -> Result<DeviceResults, Failure> {
    let mut measurement = DeviceMeasurement::new(cases);
    while let Some(case) = measurement.next_case() {
        let done = measurement.done();
        note(format_args!("{} ({} of {}) …", case.title(), done + 1, cases.len()));
        match coordinate(&case.plan(study), token, &|| interrupt.asked(), |text| note(text)) {
            Ok(outcome) => measurement.add(outcome),
            Err(error) if done == 0 => return Err(error.into()),
            Err(error) => measurement.fail(&format!("{error:#}")),
        }
    }
    Ok(measurement.finish())
}
