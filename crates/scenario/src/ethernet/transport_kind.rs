//! [`TransportKind`]: a transport by its name.

/// A transport by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportKind {
    /// Selective retransmission and BDP-FC (IRN 3).
    Irn,
    /// Go-back-N (IRN 2.1).
    Roce,
    /// TCP (IRN 4.6).
    Iwarp,
    /// Receivers grant, switches send by priority (Homa, SIGCOMM 2018).
    Homa,
}

impl TransportKind {
    /// Returns the name in scenario files.
    pub fn as_str(self) -> &'static str {
        match self {
            TransportKind::Irn => "irn",
            TransportKind::Roce => "roce",
            TransportKind::Iwarp => "iwarp",
            TransportKind::Homa => "homa",
        }
    }

    /// Returns the name as papers write it.
    pub fn title(self) -> &'static str {
        match self {
            TransportKind::Irn => "IRN",
            TransportKind::Roce => "RoCE",
            TransportKind::Iwarp => "iWARP",
            TransportKind::Homa => "Homa",
        }
    }
}
