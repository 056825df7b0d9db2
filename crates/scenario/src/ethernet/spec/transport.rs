//! `[transport]`: the settings of a transport, from its name and the given keys.

use super::doubts;
use super::homa::{self, HomaSpec};
use super::key::{Key, NoTable, key};
use crate::ethernet::{TransportKind, Workload};
use crate::reader::tables::placed;
use crate::reader::values::{Given, SECOND, Text, names, number, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::{EXTRA_HEADERS, NetworkModel, Routing, SwitchModel, bdp_packets};
use bandwise_rdma::transport::{Acks, RTO_HIGH, RTO_LOW, Recovery, Timeout, TransportSettings};
use bandwise_topology::Fabric;
use bandwise_units::Time;
use serde::Deserialize;
use std::num::NonZeroU32;
use std::ops::Range;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct TransportSpec {
    #[serde(deserialize_with = "text")]
    kind: Given<TransportKind>,
    #[serde(deserialize_with = "text")]
    recovery: Given<Recovery>,
    #[serde(deserialize_with = "key")]
    bdp_cap: Given<Cap>,
    #[serde(deserialize_with = "key")]
    timeout: Given<TimeoutName>,
    #[serde(deserialize_with = "text")]
    rto_low: Given<Time>,
    #[serde(deserialize_with = "text")]
    rto_high: Given<High>,
    #[serde(deserialize_with = "number")]
    few: Given<u64>,
    #[serde(deserialize_with = "text")]
    acks: Given<Acks>,
    #[serde(deserialize_with = "text")]
    fetch_delay: Given<Time>,
    #[serde(deserialize_with = "number")]
    extra_header: Given<u64>,
    #[serde(deserialize_with = "placed")]
    homa: Given<HomaSpec>,
}

names! { TransportKind, "transport", "\"irn\", \"roce\", \"iwarp\" or \"homa\"",
"irn" => TransportKind::Irn, "roce" => TransportKind::Roce, "iwarp" => TransportKind::Iwarp,
"homa" => TransportKind::Homa }
names! { Recovery, "recovery", "\"sack\", \"sack-only\", \"no-sack\" or \"go-back-n\"",
"sack" => Recovery::Selective { partial_acks: true },
"sack-only" => Recovery::Selective { partial_acks: false },
"no-sack" => Recovery::SelectiveWithoutSack, "go-back-n" => Recovery::GoBackN }
names! { Acks, "acks", "\"every-packet\" or \"on-completion\"",
"every-packet" => Acks::EveryPacket, "on-completion" => Acks::OnCompletion }

/// The key `bdp-cap`.
#[derive(Debug, Clone, Copy)]
enum Cap {
    Auto,
    Packets(u64),
    Off,
}

impl Key for Cap {
    const EXAMPLE: &'static str = "\"auto\", a number of packets, or false";
    type Table = NoTable;
    fn truth(on: bool) -> Option<Self> {
        (!on).then_some(Cap::Off)
    }
    fn number(packets: u64) -> Option<Self> {
        Some(Cap::Packets(packets))
    }
    fn text(text: &str) -> Option<Self> {
        (text == "auto").then_some(Cap::Auto)
    }
}

/// The key `timeout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeoutName {
    LowHigh,
    Fixed,
    Dynamic,
    Off,
}

impl Key for TimeoutName {
    const EXAMPLE: &'static str = "\"low-high\", \"fixed\", \"dynamic\" or false";
    type Table = NoTable;
    fn truth(on: bool) -> Option<Self> {
        (!on).then_some(TimeoutName::Off)
    }
    fn text(text: &str) -> Option<Self> {
        match text {
            "low-high" => Some(TimeoutName::LowHigh),
            "fixed" => Some(TimeoutName::Fixed),
            "dynamic" => Some(TimeoutName::Dynamic),
            _ => None,
        }
    }
}

/// The key `rto-high`.
#[derive(Debug, Clone, Copy)]
enum High {
    Auto,
    Time(Time),
}

impl Text for High {
    const EXAMPLE: &'static str = "\"auto\", or a time such as \"320 us\"";
    fn read(text: &str) -> Result<Self, String> {
        if text == "auto" { Ok(High::Auto) } else { Time::read(text).map(High::Time) }
    }
}

impl TransportSpec {
    pub(super) fn kind(&self) -> TransportKind {
        self.kind.as_ref().map_or(TransportKind::Irn, |kind| *kind.get_ref())
    }

    /// Returns the place of `acks`, if it is given.
    pub(super) fn acks_place(&self) -> Option<Range<usize>> {
        self.acks.as_ref().map(Spanned::span)
    }

    /// Returns the bytes of every data packet besides the usual headers.
    pub(super) fn extra_header(&self, source: &Source) -> Result<u32, InputError> {
        let given = self.extra_header.as_ref();
        let read = |given| within(source, "extra-header", given, EXTRA_HEADERS);
        Ok(given.map_or(Ok(0), read)? as u32)
    }

    /// Returns the settings without a cap that depends on the fabric. `loses` is true if packets can
    /// be dropped; `congested` is the longest round trip with one congested link.
    pub(super) fn resolve(
        &self,
        source: &Source,
        switch: &SwitchModel,
        routing: Routing,
        loses: bool,
        congested: impl Fn() -> Time,
        warnings: &mut Vec<InputError>,
    ) -> Result<TransportSettings, InputError> {
        let (kind, pfc) = (self.kind(), switch.buffering.has_pfc());
        self.check_tcp(source)?;
        if kind == TransportKind::Homa {
            self.check_homa(source)?;
            // With Homa, no code reads these settings.
            return Ok(TransportSettings::irn());
        }
        let mut settings = match kind {
            TransportKind::Irn => TransportSettings { window: None, ..TransportSettings::irn() },
            TransportKind::Roce if pfc => TransportSettings::roce_with_pfc(),
            TransportKind::Roce => TransportSettings::roce(),
            TransportKind::Iwarp => TransportSettings::iwarp(),
            TransportKind::Homa => unreachable!("it has settings of its own"),
        };
        // IRN 4.1: "We disable timeouts when PFC is enabled". TCP always has a timeout.
        if pfc && kind != TransportKind::Iwarp {
            settings.timeout = Timeout::None;
        }
        if let Some(recovery) = &self.recovery {
            settings.recovery = *recovery.get_ref();
        }
        settings.timeout = self.timeout(source, settings.timeout, congested)?;
        if let Some(Cap::Packets(_)) = self.bdp_cap.as_ref().map(Spanned::get_ref) {
            settings.window = self.packets(source)?;
        }
        // A sender with a timeout or a cap needs acknowledgements before the flow is complete.
        let has_cap = self.has_cap();
        if settings.timeout != Timeout::None || has_cap {
            settings.acks = match settings.acks {
                Acks::OnCompletion => Acks::EveryPacket,
                acks => acks,
            };
        }
        if let Some(acks) = &self.acks {
            settings.acks = *acks.get_ref();
            let silent = settings.acks == Acks::OnCompletion;
            if silent && (has_cap || settings.timeout != Timeout::None) {
                let what = if has_cap { "a cap" } else { "a timeout" };
                let message = format!("{what} needs acknowledgements before the flow is complete");
                let error = source.error(acks.span(), message);
                return Err(error.allowed("\"every-packet\", or bdp-cap and timeout = false"));
            }
        }
        if let Some(delay) = &self.fetch_delay {
            settings.fetch = within(source, "fetch-delay", delay, Time::ZERO..=SECOND)?;
        }
        if settings.timeout == Timeout::None {
            let at = place(&self.timeout, place(&self.kind, 0..0));
            let overtaken = routing == Routing::Spray && settings.recovery == Recovery::GoBackN;
            if loses {
                let message = "packets can be dropped, and without a timeout a flow whose last \
                               packet is lost never ends";
                let allowed = "timeout = \"fixed\" or \"low-high\", or PFC with its headroom";
                warnings.push(source.error(at, message).allowed(allowed));
            } else if overtaken {
                let message = "sprayed packets overtake each other, go-back-N drops them, \
                               and without a timeout a flow whose last packet comes too early \
                               never ends";
                let allowed = "timeout = \"fixed\" or \"low-high\", or routing = \"ecmp\"";
                warnings.push(source.error(at, message).allowed(allowed));
            }
        }
        debug_assert_eq!(settings.validate(), Ok(()));
        Ok(settings)
    }

    /// Refuses keys of properties that TCP defines itself.
    fn check_tcp(&self, source: &Source) -> Result<(), InputError> {
        if self.kind() != TransportKind::Iwarp {
            return Ok(());
        }
        let refuse = |key: &str, at| {
            let error = source.error(at, format!("iwarp does not use `{key}`: it is TCP"));
            Err(error.allowed(format!("`{key}` with irn or roce")))
        };
        match (&self.recovery, &self.acks, &self.fetch_delay) {
            (Some(given), ..) => refuse("recovery", given.span()),
            (_, Some(given), _) => refuse("acks", given.span()),
            (_, _, Some(given)) => refuse("fetch-delay", given.span()),
            _ => Ok(()),
        }
    }

    /// Refuses keys that messages of Homa don't have.
    fn check_homa(&self, source: &Source) -> Result<(), InputError> {
        fn at<T>(key: &'static str, given: &Given<T>) -> Option<(&'static str, Range<usize>)> {
            given.as_ref().map(|given| (key, Spanned::span(given)))
        }
        let given = at("recovery", &self.recovery)
            .or(at("bdp-cap", &self.bdp_cap))
            .or(at("timeout", &self.timeout))
            .or(at("rto-low", &self.rto_low))
            .or(at("rto-high", &self.rto_high))
            .or(at("few", &self.few))
            .or(at("acks", &self.acks))
            .or(at("fetch-delay", &self.fetch_delay));
        match given {
            Some((key, at)) => {
                Err(homa::refuse(source, key, at, "the settings of homa are in [transport.homa]"))
            }
            None => Ok(()),
        }
    }

    /// Returns Homa's settings, if the transport is Homa. Its parameters may be present with other
    /// kinds, for a sweep over `kind`.
    pub(super) fn homa(
        &self,
        source: &Source,
        fabric: &Fabric,
        model: &NetworkModel,
        workload: &Workload,
    ) -> Result<Option<bandwise_rdma::homa::HomaSettings>, InputError> {
        if self.kind() != TransportKind::Homa {
            return Ok(None);
        }
        let usual = HomaSpec::default();
        let spec = self.homa.as_ref().map_or(&usual, |given| given.get_ref());
        spec.resolve(source, place(&self.kind, 0..0), fabric, model, workload).map(Some)
    }

    /// Returns the timeout; `usual` is its default.
    fn timeout(
        &self,
        source: &Source,
        usual: Timeout,
        congested: impl Fn() -> Time,
    ) -> Result<Timeout, InputError> {
        let name = match (&self.timeout, usual) {
            (Some(given), _) => *given.get_ref(),
            (None, Timeout::LowHigh { .. }) => TimeoutName::LowHigh,
            (None, Timeout::Fixed(_)) => TimeoutName::Fixed,
            (None, Timeout::Dynamic { .. }) => TimeoutName::Dynamic,
            (None, Timeout::None) => TimeoutName::Off,
        };
        if self.kind() == TransportKind::Iwarp
            && name != TimeoutName::Dynamic
            && let Some(given) = &self.timeout
        {
            let error = source.error(given.span(), "TCP has no other timeout than a dynamic one");
            return Err(error.allowed("\"dynamic\""));
        }
        let unused = |key: &str, at, with: &str| {
            let message = match self.timeout {
                None if name == TimeoutName::Off => {
                    format!("`{key}` is not used: with PFC there is no timeout (IRN 4.1)")
                }
                _ => format!("`{key}` is not used by this timeout"),
            };
            Err(source.error(at, message).allowed(format!("`{key}` with timeout = {with}")))
        };
        match (name, &self.rto_low, &self.rto_high, &self.few) {
            (TimeoutName::LowHigh, ..) => {}
            (_, Some(given), ..) => return unused("rto-low", given.span(), "\"low-high\""),
            (_, _, _, Some(given)) => return unused("few", given.span(), "\"low-high\""),
            (TimeoutName::Off, _, Some(given), _) => {
                return unused("rto-high", given.span(), "\"low-high\", \"fixed\" or \"dynamic\"");
            }
            _ => {}
        }
        let least = Time::from_us(1);
        let high = match &self.rto_high {
            None => RTO_HIGH,
            Some(given) => match *given.get_ref() {
                High::Auto => congested().clamp(least, SECOND),
                High::Time(time) => {
                    let given = Spanned::new(given.span(), time);
                    within(source, "rto-high", &given, least..=SECOND)?
                }
            },
        };
        Ok(match name {
            TimeoutName::Off => Timeout::None,
            TimeoutName::Fixed => Timeout::Fixed(high),
            TimeoutName::Dynamic => {
                // The maximum allows at least three doublings.
                let Timeout::Dynamic { max, .. } = Timeout::DYNAMIC else { unreachable!() };
                Timeout::Dynamic { initial: high, min: high, max: max.max(high * 8) }
            }
            TimeoutName::LowHigh => {
                let low = self.rto_low.as_ref();
                let low = low.map_or(Ok(RTO_LOW.min(high)), |l| {
                    within(source, "rto-low", l, least..=high)
                })?;
                let few = self.few.as_ref();
                let few = few.map_or(Ok(3), |few| within(source, "few", few, 0..=1_000_000))?;
                Timeout::LowHigh { low, high, few: few as u32 }
            }
        })
    }

    fn cap_key(&self) -> Cap {
        match (&self.bdp_cap, self.kind()) {
            (Some(given), _) => *given.get_ref(),
            (None, TransportKind::Irn) => Cap::Auto,
            (None, _) => Cap::Off,
        }
    }

    fn has_cap(&self) -> bool {
        !matches!(self.cap_key(), Cap::Off)
    }

    fn packets(&self, source: &Source) -> Result<Option<NonZeroU32>, InputError> {
        let Some(given) = &self.bdp_cap else { return Ok(None) };
        let Cap::Packets(packets) = *given.get_ref() else { return Ok(None) };
        let packets = Spanned::new(given.span(), packets);
        let packets = within(source, "bdp-cap", &packets, 1..=1_000_000)?;
        Ok(NonZeroU32::new(packets as u32))
    }

    /// Sets a cap that depends on the fabric: the packets that a single flow needs in flight to fill
    /// its link on the longest path.
    pub(super) fn cap(&self, model: &mut NetworkModel, fabric: &Fabric) {
        if let Cap::Auto = self.cap_key() {
            model.host.transport.window = NonZeroU32::new(bdp_packets(fabric, &model.host));
        }
    }

    /// Returns warnings about a cap and a timeout that do not fit the fabric.
    pub(super) fn doubts(
        &self,
        source: &Source,
        fabric: &Fabric,
        model: &NetworkModel,
    ) -> Vec<InputError> {
        let at = place(&self.kind, 0..0);
        if self.kind() == TransportKind::Homa {
            let given = self.homa.as_ref().is_some_and(|homa| homa.get_ref().has_rtt_bytes());
            let grants = doubts::grants(fabric).filter(|_| !given);
            let warning =
                |message| source.error(at, message).allowed("rtt-bytes in [transport.homa]");
            return grants.map(warning).into_iter().collect();
        }
        let is_auto = matches!(self.cap_key(), Cap::Auto);
        let cap = doubts::cap(fabric, model).filter(|_| is_auto).map(|message| {
            let error = source.error(place(&self.bdp_cap, at.clone()), message);
            error.allowed("bdp-cap, a number of packets or false")
        });
        let timeout = doubts::timeout(fabric, model).map(|(key, message)| {
            let given = match key {
                "rto-low" => place(&self.rto_low, at.clone()),
                _ => place(&self.rto_high, at.clone()),
            };
            source.error(given, message).allowed(format!("a longer `{key}`"))
        });
        cap.into_iter().chain(timeout).collect()
    }
}
