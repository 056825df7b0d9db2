//! [`Pages`]: the pages of memory, by the wanted ones ([`WantedPages`]).

use bandwise_session::WantedPages;
use bandwise_units::Bytes;
use std::io;

/// The pages of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pages {
    /// Ordinary pages.
    Ordinary {
        /// The reason for which the pages are not huge, if huge pages were wanted.
        instead_because: Option<String>,
    },
    /// Huge pages of this size.
    Huge(Bytes),
}

/// The kernel's file with the numbers of huge pages.
pub(super) const HUGE_PAGES: &str = "/proc/meminfo";

/// The needed huge pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HugePages {
    /// The size of a page.
    pub(super) each: Bytes,
    /// The size of all pages.
    pub(super) all: Bytes,
    /// The numbers of free and of all pages.
    free: u64,
    there: u64,
}

impl HugePages {
    /// Returns the huge pages for `bytes` by the kernel's `meminfo`, or the reason for which they
    /// can't be allocated. Returns `None` if ordinary pages are wanted.
    pub(super) fn needed(
        wanted: WantedPages,
        bytes: u64,
        meminfo: &str,
    ) -> Option<Result<HugePages, String>> {
        if wanted == WantedPages::Ordinary {
            return None;
        }
        let number = |name: &str| {
            let line =
                meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let kib = number("Hugepagesize").filter(|&kib| kib > 0);
        Some(match (kib, number("HugePages_Free"), number("HugePages_Total")) {
            (Some(kib), Some(free), Some(there)) => {
                let each = Bytes::from_kib(kib);
                let all = Bytes::new(bytes.next_multiple_of(each.get()));
                Ok(HugePages { each, all, free, there })
            }
            _ => Err("this kernel has none (CONFIG_HUGETLBFS)".to_owned()),
        })
    }

    /// Returns the message for an allocation without huge pages.
    pub(super) fn missing(&self, error: &io::Error) -> String {
        let HugePages { each, all, free, there } = *self;
        let needed = all.get() / each.get();
        if free >= needed {
            return format!(
                "{needed} of {each} are needed, {free} are free, and the kernel gives none: {error}"
            );
        }
        format!(
            "{needed} of {each} are needed, and {free} are free. As root: \
             echo {} > /proc/sys/vm/nr_hugepages",
            there + needed - free
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "MemTotal: 1 kB\nHugePages_Total:       3\nHugePages_Free:        1\n\
                        HugePages_Rsvd:        0\nHugepagesize:       2048 kB\n";

    #[test]
    fn missing_huge_pages_name_the_number_to_reserve() {
        let huge = |bytes| HugePages::needed(WantedPages::Huge, bytes, SAID).unwrap().unwrap();
        assert_eq!(huge(1).all, Bytes::from_kib(2048));
        let many = huge((4 << 20) + 1);
        assert_eq!(many.all, Bytes::from_kib(6144));
        let error = || io::Error::from_raw_os_error(12);
        let message = many.missing(&error());
        assert!(message.contains("3 of 2 MiB are needed, and 1 are free"), "{message}");
        // The two pages of other programs stay.
        assert!(message.ends_with("echo 5 > /proc/sys/vm/nr_hugepages"), "{message}");
        assert!(huge(1).missing(&error()).contains("the kernel gives none"));
    }

    #[test]
    fn kernel_without_huge_pages_is_reported() {
        for meminfo in
            ["", "MemTotal: 1 kB", "Hugepagesize: 0 kB\nHugePages_Free: 0\nHugePages_Total: 0"]
        {
            assert!(
                HugePages::needed(WantedPages::HugeIfThere, 1, meminfo)
                    .unwrap()
                    .unwrap_err()
                    .contains("has none")
            );
        }
        assert!(HugePages::needed(WantedPages::Ordinary, 1, SAID).is_none());
    }
}
