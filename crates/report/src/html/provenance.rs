//! The section that describes how to reproduce the report.

use crate::Provenance;
use crate::markup::Markup;

/// Writes the last section of the page.
pub(super) fn write(m: &mut Markup, provenance: &Provenance) {
    let seed = provenance.seed.to_string();
    let mut facts: Vec<(&str, &str)> = vec![("Version", &provenance.version), ("Seed", &seed)];
    facts.extend(provenance.machine.as_deref().map(|machine| ("Machine", machine)));
    facts.extend(provenance.date.as_deref().map(|date| ("Date", date)));
    facts.extend(provenance.extra.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    m.element("section", &[("class", &"provenance"), ("id", &"section-again")], |m| {
        m.leaf("h2", &[], "How to reproduce");
        m.element("pre", &[("class", &"command")], |m| {
            m.leaf("code", &[], &provenance.command);
        });
        m.element("dl", &[], |m| {
            for (name, value) in facts {
                m.element("div", &[], |m| {
                    m.leaf("dt", &[], name);
                    m.leaf("dd", &[], value);
                });
            }
        });
        if let Some(scenario) = &provenance.scenario {
            m.element("details", &[("class", &"printed")], |m| {
                m.leaf("summary", &[], "Scenario");
                m.element("pre", &[("tabindex", &0), ("aria-label", &"Scenario")], |m| {
                    m.leaf("code", &[], scenario);
                });
            });
        }
    });
}
