//! [`Foreign`]: files of other tools, recognised by their first lines, each with the input to give
//! instead.

mod infiniband;
mod kind;
mod others;
mod simulators;

pub use kind::Foreign;

use kind::Head;

impl Foreign {
    /// Returns the kind of a text; `None` for a kind that is not in the table.
    pub fn of(text: &str) -> Option<&'static Foreign> {
        let head = Head::new(text);
        let all = [infiniband::KNOWN, others::KNOWN, simulators::KNOWN];
        all.into_iter().flatten().find(|known| (known.matches)(&head))
    }
}
