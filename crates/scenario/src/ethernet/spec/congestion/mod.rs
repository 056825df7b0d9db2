//! `[congestion-control]`, and the marking of switches for it.

mod dcqcn;
mod hpcc;
mod range;
mod swift;
mod timely;
mod window;

use super::homa;
use super::key::{Key, key};
use crate::reader::tables::placed;
use crate::reader::values::{Given, names, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::telemetry::TELEMETRY;
use bandwise_netsim::ethernet::{Marking, SwitchModel};
use bandwise_rdma::congestion::{Algorithm, CongestionSettings, NotificationSettings, RedMarker};
use bandwise_rdma::transport::Acks;
use bandwise_topology::SLOWEST_LINK;
use bandwise_units::{BitRate, Bytes};
use dcqcn::DcqcnSpec;
use hpcc::HpccSpec;
use serde::Deserialize;
use std::ops::Range;
use swift::SwiftSpec;
use timely::TimelySpec;
use toml::Spanned;
use window::{AimdSpec, DctcpSpec};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct CongestionSpec {
    #[serde(deserialize_with = "text")]
    kind: Given<Algorithm>,
    #[serde(deserialize_with = "key")]
    ecn: Given<EcnKey>,
    #[serde(deserialize_with = "placed")]
    dcqcn: Given<DcqcnSpec>,
    #[serde(deserialize_with = "placed")]
    timely: Given<TimelySpec>,
    #[serde(deserialize_with = "placed")]
    aimd: Given<AimdSpec>,
    #[serde(deserialize_with = "placed")]
    dctcp: Given<DctcpSpec>,
    #[serde(deserialize_with = "placed")]
    hpcc: Given<HpccSpec>,
    #[serde(deserialize_with = "placed")]
    swift: Given<SwiftSpec>,
}

/// The algorithm of hosts.
#[derive(Debug, Default)]
pub(super) struct Congestion {
    pub(super) senders: CongestionSettings,
    pub(super) receivers: NotificationSettings,
}

names! { Algorithm, "congestion control",
"\"none\", \"dcqcn\", \"timely\", \"aimd\", \"dctcp\", \"hpcc\" or \"swift\"",
"none" => Algorithm::None, "dcqcn" => Algorithm::Dcqcn, "timely" => Algorithm::Timely,
"aimd" => Algorithm::Aimd, "dctcp" => Algorithm::Dctcp, "hpcc" => Algorithm::Hpcc,
"swift" => Algorithm::Swift }

#[derive(Debug)]
enum EcnKey {
    Truth(bool),
    Thresholds(EcnSpec),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct EcnSpec {
    #[serde(default, deserialize_with = "text")]
    kmin: Given<Bytes>,
    #[serde(default, deserialize_with = "text")]
    kmax: Given<Bytes>,
    pmax: Option<f64>,
    #[serde(default, deserialize_with = "text")]
    at: Given<BitRate>,
}

impl Key for EcnKey {
    const EXAMPLE: &'static str =
        "true, false or { kmin = \"5 KB\", kmax = \"200 KB\", pmax = 0.01 }";
    type Table = EcnSpec;
    fn truth(on: bool) -> Option<Self> {
        Some(EcnKey::Truth(on))
    }
    fn table(table: EcnSpec) -> Option<Self> {
        Some(EcnKey::Thresholds(table))
    }
}

impl CongestionSpec {
    fn algorithm(&self) -> Algorithm {
        self.kind.as_ref().map_or(Algorithm::None, |kind| *kind.get_ref())
    }

    /// Returns the bytes that the algorithm adds to every data packet.
    pub(super) fn telemetry(&self) -> u32 {
        if self.algorithm().needs_telemetry() { TELEMETRY } else { 0 }
    }

    /// Refuses congestion control with Homa, whose receivers limit the arriving data (Homa 3.3).
    pub(super) fn check_homa(&self, source: &Source) -> Result<(), InputError> {
        match (&self.kind, self.algorithm()) {
            (Some(given), algorithm) if algorithm != Algorithm::None => {
                let why = "receivers limit the arriving data by grants";
                Err(homa::refuse(source, "congestion-control", given.span(), why))
            }
            _ => Ok(()),
        }
    }

    /// Returns the places of given thresholds, and of the kind or `ecn`.
    pub(super) fn marking_places(&self) -> (Option<Range<usize>>, Range<usize>) {
        let at = place(&self.ecn, place(&self.kind, 0..0));
        let given = self.ecn.as_ref().filter(|g| matches!(g.get_ref(), EcnKey::Thresholds(_)));
        (given.map(Spanned::span), at)
    }

    /// Returns a warning about marks that no flow reads.
    pub(super) fn unread_marks(&self, source: &Source) -> Option<InputError> {
        let at = self.marking_places().0.filter(|_| !self.algorithm().needs_marks())?;
        let error = source.error(at, "no flow reads the marks");
        Some(error.allowed("kind = \"dcqcn\" or \"dctcp\", or no `ecn`"))
    }

    /// Returns the hosts' settings, and sets the marking of `switch`. Sets `acks` to the mode that
    /// the algorithm needs; another `given` mode is an error.
    pub(super) fn resolve(
        &self,
        source: &Source,
        switch: &mut SwitchModel,
        acks: &mut Acks,
        given: Option<Range<usize>>,
    ) -> Result<Congestion, InputError> {
        let algorithm = self.algorithm();
        let at = place(&self.kind, 0..0);
        let usual = match algorithm {
            Algorithm::Dctcp => RedMarker::DCTCP,
            _ => RedMarker::DCQCN,
        };
        switch.ecn = match self.ecn.as_ref().map(|given| given.get_ref()) {
            None => algorithm.needs_marks().then_some(usual.into()),
            Some(EcnKey::Truth(true)) => Some(usual.into()),
            Some(EcnKey::Truth(false)) if algorithm.needs_marks() => {
                let at = place(&self.ecn, at);
                let error = source.error(at, "this congestion control needs marks");
                return Err(error.allowed("ecn = true, or thresholds"));
            }
            Some(EcnKey::Truth(false)) => None,
            Some(EcnKey::Thresholds(spec)) => Some(self.thresholds(source, spec)?),
        };
        // Acknowledgements carry the feedback of windows, round trips and marks; CNPs are packets
        // of their own.
        let by_acks = !matches!(algorithm, Algorithm::None | Algorithm::Dcqcn);
        if by_acks && *acks == Acks::OnCompletion {
            if let Some(at) = given {
                let message = "this congestion control needs acknowledgements of every packet";
                return Err(source.error(at, message).allowed("acks = \"every-packet\""));
            }
            *acks = Acks::EveryPacket;
        }
        self.parameters(source, algorithm)
    }

    /// Returns the parameters of an algorithm. The document may have tables of other algorithms,
    /// for a sweep over `kind`, which are checked too; scenarios that differ only in these are
    /// equal.
    fn parameters(&self, source: &Source, algorithm: Algorithm) -> Result<Congestion, InputError> {
        self.check_kind(source)?;
        macro_rules! read {
            ($table:ident.$read:ident) => {
                self.$table
                    .as_ref()
                    .map_or(Ok(Default::default()), |t| t.get_ref().$read(source))?
            };
        }
        let given = CongestionSettings {
            algorithm,
            dcqcn: read!(dcqcn.resolve),
            timely: read!(timely.resolve),
            aimd: read!(aimd.resolve),
            dctcp: read!(dctcp.resolve),
            hpcc: read!(hpcc.resolve),
            swift: read!(swift.resolve),
        };
        let receivers = read!(dcqcn.notification);
        let usual = CongestionSettings { algorithm, ..CongestionSettings::default() };
        let senders = match algorithm {
            Algorithm::None => usual,
            Algorithm::Dcqcn => CongestionSettings { dcqcn: given.dcqcn, ..usual },
            Algorithm::Timely => CongestionSettings { timely: given.timely, ..usual },
            Algorithm::Aimd => CongestionSettings { aimd: given.aimd, ..usual },
            Algorithm::Dctcp => CongestionSettings { dctcp: given.dctcp, ..usual },
            Algorithm::Hpcc => CongestionSettings { hpcc: given.hpcc, ..usual },
            Algorithm::Swift => CongestionSettings { swift: given.swift, ..usual },
        };
        Ok(match algorithm {
            Algorithm::Dcqcn => Congestion { senders, receivers },
            _ => Congestion { senders, ..Congestion::default() },
        })
    }

    /// Refuses parameters without `kind`, which was most likely forgotten.
    fn check_kind(&self, source: &Source) -> Result<(), InputError> {
        fn of<T>(name: &'static str, table: &Given<T>) -> Option<(&'static str, Range<usize>)> {
            table.as_ref().map(|table| (name, Spanned::span(table)))
        }
        let first = of("dcqcn", &self.dcqcn)
            .or(of("timely", &self.timely))
            .or(of("aimd", &self.aimd))
            .or(of("dctcp", &self.dctcp))
            .or(of("hpcc", &self.hpcc))
            .or(of("swift", &self.swift));
        match first {
            Some((name, at)) if self.kind.is_none() => {
                let message = format!("the parameters of {name} are not used: there is no `kind`");
                Err(source.error(at, message).allowed(format!("kind = {name:?}, or another one")))
            }
            _ => Ok(()),
        }
    }

    fn thresholds(&self, source: &Source, spec: &EcnSpec) -> Result<Marking, InputError> {
        const MOST: Bytes = Bytes::new(1_000_000_000);
        let read = |name, given: &Given<Bytes>, or| {
            let given = given.as_ref();
            given.map_or(Ok(or), |given| within(source, name, given, Bytes::ZERO..=MOST))
        };
        let default = RedMarker::DCQCN;
        let kmin = read("kmin", &spec.kmin, default.kmin())?;
        let kmax = read("kmax", &spec.kmax, default.kmax())?;
        let marker = RedMarker::new(kmin, kmax, spec.pmax.unwrap_or(default.pmax()));
        let marker = marker.map_err(|error| {
            let error = source.error(place(&self.ecn, 0..0), error.to_string());
            error.allowed("kmin up to kmax, and pmax of 0 to 1")
        })?;
        let rates = SLOWEST_LINK..=range::MOST_RATE;
        let at = spec.at.as_ref().map(|given| within(source, "at", given, rates)).transpose()?;
        Ok(Marking { marker, at })
    }
}
