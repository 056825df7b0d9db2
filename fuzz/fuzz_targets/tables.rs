//! Fuzzes the reader of sensitivity tables, TOML and CSV: any bytes give a table or a printable error. A table can be
//! written in both formats, and reads the same again.
#![no_main]

use bandwise_input::{InputError, Source};
use bandwise_saba::table::{Table, read, write};
use libfuzzer_sys::fuzz_target;

type Reader = fn(&Source) -> Result<Table, InputError>;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for reader in [read::toml as Reader, read::csv] {
        match reader(&Source::new("fuzz", &text)) {
            Ok(table) => {
                for (written, reader) in
                    [(write::toml(&table), read::toml as Reader), (write::csv(&table), read::csv)]
                {
                    match reader(&Source::new("written", &written)) {
                        Ok(again) => assert_eq!(again, table, "{written}"),
                        Err(error) => panic!("{error}\n{written}"),
                    }
                }
            }
            Err(error) => {
                assert!(error.line() <= text.lines().count().max(1) + 1, "{error}");
                assert!(!error.message().is_empty());
            }
        }
    }
});
