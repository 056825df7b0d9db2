//! [`ITEMS`]: the figures, tables and sections with numbers.

/// The figures, tables and sections with numbers, in the paper's order, each with a description.
pub(super) const ITEMS: &[(&str, &str)] = &[
    ("fig1", "IRN and RoCE with PFC"),
    ("fig2", "IRN with and without PFC"),
    ("fig3", "RoCE with and without PFC"),
    ("fig4", "IRN and RoCE with PFC, with Timely and DCQCN"),
    ("fig5", "IRN with and without PFC, with Timely and DCQCN"),
    ("fig6", "RoCE with and without PFC, with Timely and DCQCN"),
    ("fig7", "IRN with go-back-N, and without its cap (BDP-FC)"),
    ("text-4.3", "IRN without SACK, with a dynamic timeout, with go-back-N that backs off"),
    ("text-4.4.1", "the least and the most over all scenarios of tables 3 to 9"),
    ("fig8", "tail of flows of a single packet"),
    ("fig9", "incast of 10 to 50 senders"),
    ("text-4.4.3", "incast at other rates, with more connections, beside other traffic"),
    ("text-4.4.4", "AIMD and DCTCP"),
    ("fig10", "IRN and Resilient RoCE (DCQCN without PFC)"),
    ("fig11", "IRN and iWARP"),
    ("text-4.6", "IRN with AIMD, and iWARP"),
    ("fig12", "IRN with the overheads of an implementation"),
    ("table3", "link utilisation of 30% to 90%"),
    ("table4", "links of 10 to 100 Gbps"),
    ("table5", "54 to 250 servers"),
    ("table6", "heavy-tailed and uniform sizes"),
    ("table7", "buffers of 60 to 480 KB"),
    ("table8", "RTO_high of 320 to 1280 us"),
    ("table9", "N of 3 to 15"),
];
