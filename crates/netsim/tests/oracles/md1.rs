//! Poisson arrivals, and waits at one output: the M/D/1 queue.

use bandwise_random::Stream;
use bandwise_units::Time;

/// Returns the times of a Poisson process with mean interval `mean`.
pub(super) fn poisson(number: u64, mean: Time) -> impl Iterator<Item = Time> {
    let mut stream = Stream::new(1, "poisson", number);
    let mut at = 0.0;
    std::iter::repeat_with(move || {
        let uniform = (stream.time_below(Time::from_ps(1 << 53)).as_ps() + 1) as f64;
        at -= (uniform / (1u64 << 53) as f64).ln() * mean.as_ps() as f64;
        Time::from_ps(at as u64)
    })
}

/// Checks a mean waiting time (ps) by Lindley's recursion for the same arrivals, which are in
/// order, and by Pollaczek-Khinchine for service without variance.
pub(super) fn check(simulated: f64, arrivals: &[Time], service: Time, load: f64) {
    let (mut wait, mut sum) = (Time::ZERO, 0.0);
    for pair in arrivals.windows(2) {
        wait = (wait + service).saturating_sub(pair[1] - pair[0]);
        sum += wait.as_ps() as f64;
    }
    let lindley = sum / arrivals.len() as f64;
    let formula = service.as_ps() as f64 * load / (2.0 * (1.0 - load));
    println!("load {load}: {simulated:.0} ps, Lindley {lindley:.0}, M/D/1 {formula:.0}");
    assert!((simulated / formula - 1.0).abs() < 0.03, "{simulated} instead of {formula}");
    assert!((simulated / lindley - 1.0).abs() < 0.005, "{simulated} instead of {lindley}");
}
