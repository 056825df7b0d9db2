//! The findings of a measured case.

use super::{DeviceCase, Item, Reads};
use crate::Finding;
use bandwise_agents::coordinator::Outcome;
use bandwise_agents::{Counted, Report};
use bandwise_rperf::Summary;

impl DeviceCase {
    /// Returns the findings, or `None` if a flow has no message in the measured time.
    pub fn findings(&self, outcome: &Outcome) -> Option<Vec<Finding>> {
        let reports: Option<Vec<&Report>> =
            outcome.flows.iter().map(|flow| flow.report.as_ref()).collect();
        let reports = reports?;
        let gbps = |counted: &Counted| counted.rate().map(|rate| rate.as_gbps_f64());
        let first = reports.first()?;
        let mut found = Vec::new();
        let mut add = |item: Item, metric: &str, unit: &str, value: f64| {
            found.push(Finding {
                item: item.name().to_owned(),
                case: self.name.clone(),
                metric: metric.to_owned(),
                unit: unit.to_owned(),
                runs: vec![value],
            });
        };
        match self.reads {
            Reads::Ratio | Reads::Cpu => {
                let second = reports.get(1)?;
                let (one, other) = (gbps(&first.window)?, gbps(&second.window)?);
                add(self.item, "bandwidth ratio", "x", one / other);
                if matches!(self.reads, Reads::Cpu) {
                    add(self.item, "bandwidth, first", "Gbps", one);
                    add(self.item, "CPU, first", "%", 100.0 * first.cpu?);
                    add(self.item, "bandwidth, second", "Gbps", other);
                    add(self.item, "CPU, second", "%", 100.0 * second.cpu?);
                }
            }
            Reads::Small(called) => {
                let (latency, rate) = (first.window.latency?, first.window.per_second()?);
                let is_alone = self.item == Item::Mice && self.flows.len() == 1;
                let both = [self.item, Item::MouseElephant];
                for &item in if is_alone { &both[..] } else { &both[..1] } {
                    let us = |read: fn(&Summary) -> f64| read(&latency) / 1e3;
                    add(item, "latency p50", "us", us(|s| s.p50_ns));
                    add(item, "latency p99", "us", us(|s| s.p99_ns));
                    add(item, "latency p99.9", "us", us(|s| s.p99_9_ns));
                    add(item, called, "million/s", rate / 1e6);
                }
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::study;
    use super::*;
    use crate::isolation::PAPER;
    use bandwise_agents::FlowEnd;
    use bandwise_agents::coordinator::{FlowOutcome, RunEnd};
    use bandwise_rperf::Latency;
    use bandwise_units::{Bytes, Time};
    use std::collections::BTreeSet;

    /// Two flows of which the first gets twice as much.
    fn outcome(flows: usize) -> Outcome {
        let mut latency = Latency::new();
        latency.record_ps(2_000_000);
        let report = |i: usize| {
            let counted = Counted {
                messages: 10,
                bytes: Bytes::new(if i == 0 { 2_000 } else { 1_000 }),
                over: Time::from_us(1),
                latency: latency.summary(),
            };
            Report { window: counted, cpu: Some(0.5), ..Report::none(FlowEnd::Complete) }
        };
        let flow = |i| FlowOutcome { mtu: None, report: Some(report(i)) };
        let flows = (0..flows).map(flow).collect();
        Outcome { end: RunEnd::Complete, hosts: Vec::new(), flows, window: None }
    }

    /// The findings have the names by which the simulated study decides.
    #[test]
    fn findings_have_the_names_of_the_simulated_study() {
        let cases = study(|_| ()).cases();
        let found = cases.iter().flat_map(|case| case.findings(&outcome(case.len())).unwrap());
        let found = (PAPER.derived)(found.collect());
        let claims = (PAPER.claims)(&found);
        let sections: BTreeSet<&str> = claims.iter().map(|claim| claim.section).collect();
        let sections_of =
            ["At A First Glance", "Mouse vs. Mouse", "Mouse vs. Elephant", "HERD vs. Elephant"];
        for section in sections_of {
            assert!(sections.contains(section), "{sections:?}");
        }
        let verdicts = claims.iter().filter(|claim| claim.section == "At A First Glance");
        assert_eq!(verdicts.count(), 4);
        let ratio = found.iter().find(|f| f.case == "READ 1 GB over SEND 1 MB").unwrap();
        assert_eq!(ratio.runs, [2.0]);
    }

    #[test]
    fn store_findings_include_latency_and_requests() {
        let cases = study(|study| study.item = Some(Item::KeyValue)).cases();
        let found = cases[1].findings(&outcome(2)).unwrap();
        let metrics: Vec<&str> = found.iter().map(|f| f.metric.as_str()).collect();
        assert_eq!(metrics, ["latency p50", "latency p99", "latency p99.9", "requests"]);
    }

    #[test]
    fn flow_without_samples_has_no_findings() {
        let cases = study(|study| study.item = Some(Item::Mice)).cases();
        let mut empty = outcome(1);
        empty.flows[0].report.as_mut().unwrap().window = Counted::NONE;
        assert!(cases[0].findings(&empty).is_none());
    }
}
