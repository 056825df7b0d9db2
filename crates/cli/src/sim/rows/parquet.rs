//! Rows as a file of Apache Parquet: the columns of the CSV, by the same names.

use crate::failure::Failure;
use crate::output::Stream;
use bandwise_scenario::ethernet::FlowRecord;
use bandwise_units::Time;
use parquet::basic::Compression;
use parquet::data_type::{DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// The columns. A time is a double, which is exact to the picosecond for the longest run, an hour.
const COLUMNS: &str = "message flows {
    REQUIRED INT32 flow (INTEGER(32,false));
    REQUIRED DOUBLE start_ns;
    REQUIRED INT32 src (INTEGER(32,false));
    REQUIRED INT32 dst (INTEGER(32,false));
    REQUIRED INT64 bytes;
    REQUIRED DOUBLE fct_ns;
    REQUIRED DOUBLE slowdown;
}";

/// The number of rows of a row group. They are buffered in memory, 48 bytes each.
const GROUP: usize = 1 << 16;

/// A file of rows.
pub(super) struct Rows {
    to: SerializedFileWriter<Stream>,
    group: Vec<FlowRecord>,
}

impl Rows {
    pub(super) fn begin(to: Stream) -> anyhow::Result<Self> {
        let columns = Arc::new(parse_message_type(COLUMNS)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("bandwise version ", env!("CARGO_PKG_VERSION")).into());
        let to = SerializedFileWriter::new(to, columns, Arc::new(properties.build()))?;
        Ok(Rows { to, group: Vec::new() })
    }

    pub(super) fn add(&mut self, flow: &FlowRecord) -> anyhow::Result<()> {
        self.group.push(*flow);
        if self.group.len() < GROUP { Ok(()) } else { self.write() }
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.write()?;
        let to = self.to.into_inner().map_err(anyhow::Error::new)?;
        to.finish()
    }

    fn write(&mut self) -> anyhow::Result<()> {
        if self.group.is_empty() {
            return Ok(());
        }
        let flows = std::mem::take(&mut self.group);
        let mut to = self.to.next_row_group()?;
        let ns = |time: Time| time.as_ps() as f64 / 1e3;
        column::<Int32Type>(&mut to, &flows, |flow| flow.number as i32)?;
        column::<DoubleType>(&mut to, &flows, |flow| ns(flow.start))?;
        column::<Int32Type>(&mut to, &flows, |flow| flow.src as i32)?;
        column::<Int32Type>(&mut to, &flows, |flow| flow.dst as i32)?;
        column::<Int64Type>(&mut to, &flows, |flow| flow.bytes as i64)?;
        column::<DoubleType>(&mut to, &flows, |flow| ns(flow.completion_time))?;
        column::<DoubleType>(&mut to, &flows, FlowRecord::slowdown)?;
        to.close()?;
        Ok(())
    }
}

/// Writes the next column of a row group.
fn column<T: DataType>(
    to: &mut SerializedRowGroupWriter<Stream>,
    flows: &[FlowRecord],
    value: impl Fn(&FlowRecord) -> T::T,
) -> Result<(), ParquetError> {
    let mut column = to.next_column()?.expect("as many columns as there are");
    let values: Vec<T::T> = flows.iter().map(value).collect();
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}
