//! `models` and `model`: sensitivity models, from a table or from a job's own keys.

use crate::jobs::Models;
use crate::jobs::job::calculated;
use crate::reader::nodes::suggestion;
use bandwise_input::{InputError, Source};
use bandwise_saba::sensitivity::{Samples, Setting};
use bandwise_saba::table::{Application, Entry};
use bandwise_units::BitRate;
use bandwise_workload::job::{PROFILE_INSTANCES, Workload};
use std::num::NonZeroU32;
use toml::Spanned;

/// Returns the application of that name in the table.
pub(super) fn find(
    source: &Source,
    name: &Spanned<String>,
    models: Option<&Models>,
) -> Result<(Application, Entry), InputError> {
    let text = name.get_ref().as_str();
    let Some(models) = models else {
        let error =
            source.error(name.span(), format!("a model of {text:?}, and no table of models"));
        return Err(error.allowed("models = \"FILE\" above the tables, or --models FILE"));
    };
    match (models.table.get(text), Application::try_from(text)) {
        (Some(entry), Ok(application)) => Ok((application, entry.clone())),
        _ => {
            let what = format!("{} has no model of {text:?}", models.file);
            let allowed = suggestion("applications", models.names().into_iter(), text);
            Err(source.error(name.span(), what).allowed(allowed))
        }
    }
}

/// Returns the entry of a workload, as the profiler would measure it.
pub(super) fn of_workload(workload: &Workload, samples: Samples) -> Entry {
    // Saba 3.1: 8 servers, and for the thesis's workloads the datasets of table 3.1.
    let is_known = Workload::by_name(&workload.name).is_some();
    let dataset = || "1 x that of Saba's table 3.1".parse().expect("a number and a unit");
    let setting =
        Setting { nodes: NonZeroU32::new(PROFILE_INSTANCES), dataset: is_known.then(dataset) };
    calculated(
        samples,
        setting,
        &format!("{}: a model of the workload, not measured", workload.about),
    )
}

/// Returns the entry of a job of stages.
pub(super) fn of_stages(samples: Samples, instances: u32) -> Entry {
    let setting = Setting { nodes: NonZeroU32::new(instances), dataset: None };
    calculated(samples, setting, "worked out from its stages, not measured")
}

/// Returns the entry of a job whose times were measured with other links than those of `link`.
pub(super) fn converted(measured: &Entry, samples: Samples, from: BitRate, to: BitRate) -> Entry {
    let comment = format!("worked out for links of {to} from times with links of {from}");
    calculated(samples, measured.setting.clone(), &comment)
}

/// Returns the entry of times measured with the job's own number of instances.
pub(super) fn measured(samples: Samples, instances: u32) -> Entry {
    calculated(samples, Setting { nodes: NonZeroU32::new(instances), dataset: None }, "")
}
