//! [`Tally`]: the number of rows that agree with published values.

use crate::Row;

/// The number of rows that agree with published values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Rows with a published value that counts.
    pub counted: usize,
    /// Rows among them that agree.
    pub agree: usize,
    /// Rows among those that agree only by the floor of the tolerance.
    pub by_floor: usize,
    /// Rows whose published value repeats or follows from another one.
    pub dependent: usize,
    /// Rows among them that agree.
    pub dependent_agree: usize,
    /// Rows without a published value.
    pub unpublished: usize,
}

impl Tally {
    /// Returns the tally of rows.
    pub fn of(rows: &[Row]) -> Self {
        let mut tally = Tally::default();
        for row in rows {
            let agrees = usize::from(row.agrees == Some(true));
            match (row.agrees, row.counts()) {
                (None, _) => tally.unpublished += 1,
                (_, true) => {
                    tally.counted += 1;
                    tally.agree += agrees;
                    tally.by_floor += usize::from(row.by_floor);
                }
                (_, false) => {
                    tally.dependent += 1;
                    tally.dependent_agree += agrees;
                }
            }
        }
        tally
    }
}

impl std::fmt::Display for Tally {
    /// Writes a sentence.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { counted, agree, by_floor, dependent, dependent_agree, unpublished } = *self;
        match (counted + dependent, unpublished) {
            (0, 0) => return write!(f, "Nothing was measured."),
            (0, rest) => {
                return write!(f, "{rest} measured, none with a published value to compare with.");
            }
            _ => {}
        }
        let independent = if dependent > 0 { "independent " } else { "" };
        write!(f, "{agree} of {counted} {independent}published values agree")?;
        if by_floor > 0 {
            write!(f, ", {by_floor} of them only by the floor of the tolerance")?;
        }
        if dependent > 0 {
            write!(f, "; {dependent_agree} of {dependent} repeated or derived ones agree")?;
        }
        match unpublished {
            0 => {}
            1 => write!(f, "; 1 more has no published value")?,
            rest => write!(f, "; {rest} more have no published value")?,
        }
        write!(f, ".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dependence;

    #[test]
    fn repeated_and_derived_values_are_not_counted() {
        let row = |agrees| Row { agrees: Some(agrees), ..Row::default() };
        let dependence = || Some(Dependence::Derived("2 - 1".into()));
        let rows = [
            row(true),
            Row { by_floor: true, ..row(true) },
            row(false),
            Row { dependence: dependence(), by_floor: true, ..row(true) },
            Row { dependence: dependence(), ..row(false) },
            Row::default(),
        ];
        assert_eq!(
            Tally::of(&rows).to_string(),
            "2 of 3 independent published values agree, 1 of them only by the floor of the \
             tolerance; 1 of 2 repeated or derived ones agree; 1 more has no published value."
        );
        assert_eq!(Tally::of(&rows[..1]).to_string(), "1 of 1 published values agree.");
        assert_eq!(Tally::of(&[]).to_string(), "Nothing was measured.");
    }
}
