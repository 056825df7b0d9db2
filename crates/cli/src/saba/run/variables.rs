//! [`Variables`]: the environment of the command.

use saba::{Mark, Options, environment};
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The loader's variable of libraries to preload.
const LD_PRELOAD: &str = "LD_PRELOAD";

/// Variables of NCCL (its manual, "Environment Variables") and UCX (`ucx_info -cf`).
const SERVICE_LEVEL: [&str; 2] = ["NCCL_IB_SL", "UCX_IB_SL"];
const TRAFFIC_CLASS: [&str; 2] = ["NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS"];

/// The environment of the command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Variables {
    /// Saba's variables: set, or removed if they have no value.
    own: Vec<(&'static str, Option<OsString>)>,
    /// Variables of other programs, which the user may have set.
    others: Vec<(&'static str, String)>,
    preload: Option<OsString>,
}

impl Variables {
    /// Returns the variables for an application and its mark.
    pub(super) fn new(name: &str, options: &Options, mark: Option<Mark>) -> Self {
        let text = |text: String| Some(OsString::from(text));
        let path = |path: &Option<PathBuf>| path.clone().map(OsString::from);
        let own = vec![
            (environment::APP, text(name.to_owned())),
            (environment::JOB, options.job.clone().map(OsString::from)),
            (environment::CONTROLLER, text(options.controller.to_string())),
            (environment::CA_FILE, path(&options.tls.authorities)),
            (environment::CERTIFICATE_FILE, path(&options.tls.certificate)),
            (environment::KEY_FILE, path(&options.tls.key)),
            (environment::HOST, options.host.clone().map(OsString::from)),
            (environment::NODES, options.nodes.and_then(|nodes| text(nodes.to_string()))),
            (environment::DATASET, options.dataset.clone().map(OsString::from)),
            (environment::MARK, mark.and_then(|mark| text(mark.to_string()))),
        ];
        let all = |names: [&'static str; 2], value: Option<u8>| {
            value.into_iter().flat_map(move |value| names.map(|name| (name, value.to_string())))
        };
        let level = all(SERVICE_LEVEL, mark.and_then(|mark| mark.service_level));
        let class = all(TRAFFIC_CLASS, mark.and_then(|mark| mark.traffic_class()));
        Variables { own, others: level.chain(class).collect(), preload: None }
    }

    /// Adds the files of flags. Without a flag, the variable of the environment stays.
    pub(super) fn files(mut self, token: Option<&Path>, hosts: Option<&Path>) -> Self {
        for (name, path) in [(environment::TOKEN_FILE, token), (environment::HOSTS, hosts)] {
            if let Some(path) = path {
                self.own.push((name, Some(path.into())));
            }
        }
        self
    }

    /// Adds the preloaded library.
    pub(super) fn preload(mut self, library: Option<&Path>) -> Self {
        self.preload = library.map(OsString::from);
        self
    }

    /// Returns the variables to set, and a note for each variable that has another value already.
    fn over(
        &self,
        present: impl Fn(&str) -> Option<OsString>,
    ) -> (Vec<(&'static str, Option<OsString>)>, Vec<String>) {
        let (mut set, mut kept) = (self.own.clone(), Vec::new());
        for (name, value) in &self.others {
            match present(name).filter(|present| present != OsStr::new(value)) {
                None => set.push((name, Some(value.into()))),
                Some(present) => kept.push(format!(
                    "{name} is {} already and stays; the mark would be {value}",
                    present.to_string_lossy()
                )),
            }
        }
        if let Some(library) = &self.preload {
            // The library precedes other libraries, whose functions it calls, and is listed once if
            // `saba run` is nested.
            let mut all = library.clone();
            for other in present(LD_PRELOAD).iter().flat_map(|all| libraries(all)) {
                if other != *library {
                    all.push(":");
                    all.push(other);
                }
            }
            set.push((LD_PRELOAD, Some(all)));
        }
        (set, kept)
    }

    /// Returns the whole environment of the command as `NAME=VALUE`, made from the present
    /// variables, and a note for each variable that keeps the user's value.
    pub(super) fn all(
        &self,
        present: impl Iterator<Item = (OsString, OsString)>,
    ) -> (Vec<CString>, Vec<String>) {
        let mut all: BTreeMap<OsString, OsString> = present.collect();
        let is_set =
            |name: &str| all.get(OsStr::new(name)).filter(|value| !value.is_empty()).cloned();
        let (set, kept) = self.over(is_set);
        for (name, value) in set {
            match value {
                Some(value) => drop(all.insert(name.into(), value)),
                None => drop(all.remove(OsStr::new(name))),
            }
        }
        let line = |(name, value): (OsString, OsString)| {
            let line = [name.as_bytes(), b"=", value.as_bytes()].concat();
            CString::new(line).expect("variables have no zero")
        };
        (all.into_iter().map(line).collect(), kept)
    }
}

/// Returns the libraries of a list, separated by spaces or colons (ld.so(8)).
fn libraries(list: &OsStr) -> Vec<OsString> {
    let text = list.to_string_lossy();
    text.split([' ', ':']).filter(|name| !name.is_empty()).map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(mark: Option<Mark>, there: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let options = Options { job: Some("j".into()), ..Options::default() };
        let variables = Variables::new("LR", &options, mark).preload(Some(Path::new("/l/p.so")));
        let found =
            |name: &str| Some(OsString::from(there.iter().find(|(other, _)| *other == name)?.1));
        let (set, kept) = variables.over(found);
        let line = |(name, value): (&str, Option<OsString>)| match value {
            Some(value) => format!("{name}={}", value.to_string_lossy()),
            None => format!("-{name}"),
        };
        (set.into_iter().map(line).collect(), kept)
    }

    #[test]
    fn mark_is_set_for_saba_nccl_and_ucx() {
        let mark = Mark { level: 1, dscp: Some(7), service_level: Some(3) };
        let (set, kept) =
            set(Some(mark), &[("LD_PRELOAD", "/a.so /l/p.so:b.so"), ("UCX_IB_SL", "3")]);
        assert_eq!(
            set,
            [
                "SABA_APP=LR",
                "SABA_JOB=j",
                "SABA_CONTROLLER=unix:/run/bandwise/controller.sock",
                "-SABA_CA_FILE",
                "-SABA_CERTIFICATE_FILE",
                "-SABA_KEY_FILE",
                "-SABA_HOST",
                "-SABA_NODES",
                "-SABA_DATASET",
                "SABA_MARK=level=1,dscp=7,sl=3",
                "NCCL_IB_SL=3",
                "UCX_IB_SL=3",
                "NCCL_IB_TC=28",
                "UCX_IB_TRAFFIC_CLASS=28",
                "LD_PRELOAD=/l/p.so:/a.so:b.so",
            ]
        );
        assert_eq!(kept, [""; 0]);
    }

    #[test]
    fn user_set_variable_is_preserved_and_reported() {
        let mark = Mark { level: 1, dscp: None, service_level: Some(3) };
        let (set, kept) = set(Some(mark), &[("NCCL_IB_SL", "5")]);
        assert!(
            !set.iter().any(|set| set.starts_with("NCCL") || set.contains("TRAFFIC")),
            "{set:?}"
        );
        assert_eq!(kept, ["NCCL_IB_SL is 5 already and stays; the mark would be 3"]);
    }

    #[test]
    fn run_without_mark_removes_inherited_mark() {
        let (set, _) = set(None, &[("SABA_MARK", "level=2")]);
        assert!(set.contains(&"-SABA_MARK".to_owned()), "{set:?}");
        assert!(!set.iter().any(|set| set.contains("_IB_")), "{set:?}");
    }
}
