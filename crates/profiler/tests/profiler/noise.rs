use super::share;
use bandwise_profiler::{Verdict, judge};
use bandwise_random::Stream;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Sample, Samples};
use bandwise_units::Time;

fn samples(of: &[(f64, &[f64])]) -> Samples {
    let runs = of.iter().flat_map(|&(percent, seconds)| {
        seconds
            .iter()
            .map(move |s| Sample { share: share(percent), time: Time::from_ps((s * 1e12) as u64) })
    });
    Samples::new(runs).unwrap()
}

/// Hand-computed: four pairs of relative deviations of -10% and 10% have a coefficient of variation of
/// sqrt(0.08 / 4) with four degrees of freedom, for which tables of Student's distribution have
/// 2.776.
#[test]
fn intervals_are_those_of_the_textbook() {
    let pair = [0.9, 1.1];
    let slow = pair.map(|x| 4.0 * x);
    let judged =
        judge(&samples(&[(5.0, &slow), (25.0, &slow), (50.0, &pair), (100.0, &pair)]), 0.1);
    let part = 2.776_445 * (0.08f64 / 4.0).sqrt();
    let within: Vec<f64> = judged.measured.iter().map(|m| m.within.unwrap()).collect();
    for (within, expected) in within.iter().zip([4.0 * part, 4.0 * part, part, 0.0]) {
        assert!((within - expected).abs() < 1e-5, "{within} {expected}");
    }
    let Verdict::Noisy { within, repeats, .. } = judged.verdict else { panic!("{judged:?}") };
    assert!((within - part).abs() < 1e-5);
    // 2 (part / 0.1)² = 30.8
    assert_eq!(repeats, 31);
    assert_eq!(judged.rises, None);
    let lenient =
        judge(&samples(&[(5.0, &slow), (25.0, &slow), (50.0, &pair), (100.0, &pair)]), 0.4);
    assert_eq!(lenient.verdict, Verdict::Enough);
}

#[test]
fn single_runs_give_no_noise() {
    let judged = judge(&samples(&[(5.0, &[9.0]), (25.0, &[3.0]), (100.0, &[1.0])]), 0.1);
    assert_eq!(judged.verdict, Verdict::Unknown);
    assert!(judged.measured.iter().all(|measured| measured.within.is_none()));
    // One share with two runs is enough for an estimate.
    let judged = judge(&samples(&[(5.0, &[9.0, 9.0001]), (25.0, &[3.0]), (100.0, &[1.0])]), 0.1);
    assert_eq!(judged.verdict, Verdict::Enough);
}

#[test]
fn rise_is_reported_only_beyond_noise() {
    let rising = [(5.0, &[2.0, 2.01][..]), (25.0, &[2.5, 2.51]), (100.0, &[1.0, 1.01])];
    assert_eq!(judge(&samples(&rising), 0.1).rises, Some((share(5.0), share(25.0))));
    let noisy = [(5.0, &[2.0, 2.4][..]), (25.0, &[2.1, 2.5]), (100.0, &[1.0, 1.2])];
    assert_eq!(judge(&samples(&noisy), 0.1).rises, None);
}

/// About 95% of the 95% intervals contain the true slowdown: 3 runs of each of the paper's shares,
/// 2,000 times, with 8% of uniform noise.
#[test]
fn intervals_have_the_stated_coverage() {
    let (mut covered, mut all) = (0u32, 0u32);
    for campaign in 0..2_000 {
        let mut random = Stream::new(1, "noise", campaign);
        let truth = |share: Share| 0.5 + 0.5 / share.get();
        let mut runs = Vec::new();
        for share in Share::PROFILED {
            for _ in 0..3 {
                let noise = 1.0 + 0.08 * (2.0 * random.fraction() - 1.0);
                runs.push(Sample {
                    share,
                    time: Time::from_ps((truth(share) * noise * 1e12) as u64),
                });
            }
        }
        let judged = judge(&Samples::new(runs).unwrap(), 0.1);
        for measured in judged.measured.iter().filter(|measured| measured.share < Share::ALL) {
            let off = (measured.slowdown - truth(measured.share)).abs();
            covered += u32::from(off <= measured.within.unwrap());
            all += 1;
        }
    }
    let part = f64::from(covered) / f64::from(all);
    assert!((0.94..0.965).contains(&part), "{part}");
}
