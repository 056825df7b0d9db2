//! [`Simulated`]: a network in memory.

use super::document::SimulatedSpec;
use super::value::{at, queues as number_of_queues};
use bandwise_input::{InputError, Source};
use bandwise_topology::{Fabric, MAX_PORTS};
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A network in memory.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// The nodes and links.
    pub shape: Shape,
    /// The number of queues of each port for Saba.
    pub queues: NonZeroU8,
}

/// The nodes and links of a network in memory.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A fabric in the settings file.
    Given(Box<Fabric>),
    /// A fabric file: TOML, the output of ibnetdiscover, or a netlist of ibsim.
    File(PathBuf),
}

pub(super) fn simulated(
    source: &Source,
    spec: &Spanned<SimulatedSpec>,
    folder: &Path,
) -> Result<Simulated, InputError> {
    let SimulatedSpec { fabric, fabric_file, queues } = spec.get_ref();
    let shape = match (fabric, fabric_file) {
        (Some(fabric), None) => Shape::Given(Box::new(fabric.resolve(source, MAX_PORTS)?)),
        (None, Some(file)) => Shape::File(folder.join(file.get_ref())),
        _ => {
            let error = at(source, spec, "a simulated network has one fabric");
            return Err(error.allowed("fabric-file = \"FILE\", or a [simulated.fabric] table"));
        }
    };
    Ok(Simulated { shape, queues: number_of_queues(source, queues)? })
}
